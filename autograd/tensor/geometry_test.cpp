#include "autograd/tensor/geometry.h"

#include <algorithm>
#include <set>

#include "autograd/testing/expect.h"
#include "ops/ops.h"

// After GoogleTest, which it extends.
#include <rapidcheck/gtest.h>

namespace notape::testing {
namespace {

/// The element offsets that a window reaches, repeated ones included.
std::vector<int64_t> offsets_of(const Geometry& g) {
  std::vector<int64_t> offsets = {g.offset()};
  for (int d = 0; d < g.dim(); ++d) {
    std::vector<int64_t> next;
    for (int64_t offset : offsets)
      for (int64_t i = 0; i < g.size(d); ++i) next.push_back(offset + i * g.stride(d));
    offsets = std::move(next);
  }
  return offsets;
}

std::set<int64_t> bytes_of(const Geometry& g, int64_t item) {
  std::set<int64_t> bytes;
  for (int64_t offset : offsets_of(g))
    for (int64_t b = 0; b < item; ++b) bytes.insert(offset * item + b);
  return bytes;
}

Geometry draw_geometry(int64_t largest_size, int64_t largest_stride, int64_t largest_offset) {
  const auto rank = *rc::gen::inRange<std::size_t>(0, 5);
  std::vector<int64_t> sizes(rank), strides(rank);
  for (std::size_t d = 0; d < rank; ++d) {
    sizes[d] = *rc::gen::inRange<int64_t>(0, largest_size + 1);
    strides[d] = *rc::gen::inRange<int64_t>(0, largest_stride + 1);
  }
  return Geometry(sizes, strides, *rc::gen::inRange<int64_t>(0, largest_offset + 1));
}

bool share_a_byte(const Geometry& a, int64_t a_item, const Geometry& b, int64_t b_item) {
  const auto mine = bytes_of(a, a_item), other = bytes_of(b, b_item);
  return std::any_of(mine.begin(), mine.end(), [&](int64_t byte) { return other.count(byte) > 0; });
}

// Small windows are decided exactly: the product of both sides stays below the work limit.
RC_GTEST_PROP(Overlaps, EqualsBruteForceOnSmallWindows, ()) {
  for (int round = 0; round < 40; ++round) {
    const Geometry a = draw_geometry(3, 14, 40), b = draw_geometry(3, 14, 40);
    const int64_t a_item = *rc::gen::element<int64_t>(1, 4, 8);
    const int64_t b_item = *rc::gen::element<int64_t>(1, 4, 8);
    if (a.numel() * b.numel() > 1500) continue;
    RC_ASSERT(overlaps(a, a_item, b, b_item) == share_a_byte(a, a_item, b, b_item));
    RC_ASSERT(overlaps(b, b_item, a, a_item) == overlaps(a, a_item, b, b_item));
  }
}

RC_GTEST_PROP(Overlaps, NeverMissesASharedByteOfLargeWindows, ()) {
  const Geometry a = draw_geometry(7, 60, 300), b = draw_geometry(7, 60, 300);
  if (share_a_byte(a, 4, b, 4)) RC_ASSERT(overlaps(a, 4, b, 4));
}

TEST(Overlaps, TellsInterleavedWindowsApart) {
  const Geometry even({1000000}, {2}, 0), odd({1000000}, {2}, 1);
  EXPECT_TRUE(overlaps(even, 8, even, 8));
  const Geometry left({100, 4}, {8, 1}, 0), right({100, 4}, {8, 1}, 4);
  EXPECT_FALSE(overlaps(left, 4, right, 4)) << "left and right half of a matrix";
  EXPECT_TRUE(overlaps(left, 4, Geometry({100, 4}, {8, 1}, 3), 4));
  EXPECT_FALSE(overlaps(even, 8, odd, 8));
  EXPECT_TRUE(overlaps(even, 8, Geometry({3}, {1}, 1999995), 8));
  EXPECT_FALSE(overlaps(Geometry({5}, {2}, 0), 4, Geometry({5}, {2}, 1), 4));
  EXPECT_FALSE(overlaps(Geometry(IntArrayRef({0})), 4, Geometry(IntArrayRef({9})), 4))
      << "nothing overlaps no elements";
  EXPECT_TRUE(overlaps(Geometry(IntArrayRef()), 4, Geometry(IntArrayRef({9})), 4))
      << "0-d has one element";
  EXPECT_FALSE(overlaps(even, 8, Geometry({1}, {1}, 2000000), 8)) << "beyond the end";
}

RC_GTEST_PROP(Geometry, IsDenseExactlyIfItCoversARangeOnce, ()) {
  for (int round = 0; round < 40; ++round) {
    const Geometry g = draw_geometry(4, 9, 5);
    if (g.numel() == 0) continue;
    const auto offsets = offsets_of(g);
    const auto distinct = std::set<int64_t>(offsets.begin(), offsets.end());
    const bool once = distinct.size() == offsets.size();
    const bool gapless =
        *distinct.rbegin() - *distinct.begin() + 1 == static_cast<int64_t>(distinct.size());
    RC_ASSERT(g.is_dense() == (once && gapless));
    if (g.is_non_overlapping()) RC_ASSERT(once);
    RC_ASSERT(g.storage_end() == *distinct.rbegin() + 1);
    RC_ASSERT(g.numel() == static_cast<int64_t>(offsets.size()));
    std::vector<int64_t> row_major(offsets.size());
    for (std::size_t i = 0; i < row_major.size(); ++i)
      row_major[i] = g.offset() + static_cast<int64_t>(i);
    RC_ASSERT(g.is_contiguous() == (offsets == row_major));
  }
}

TEST(Geometry, KnowsThatPermutedRowMajorDoesNotOverlap) {
  EXPECT_TRUE(Geometry({2, 3, 4}, {1, 2, 6}, 7).is_non_overlapping());
  EXPECT_TRUE(Geometry({2, 3, 4}, {1, 2, 6}, 7).is_dense());
  EXPECT_FALSE(Geometry({2, 3}, {1, 0}, 0).is_non_overlapping()) << "expanded";
  EXPECT_TRUE(Geometry({2, 1}, {1, 0}, 0).is_non_overlapping()) << "size 1: the stride is unused";
}

TEST(Geometry, CopiesAndMovesMoreThanFourDimensions) {
  const std::vector<int64_t> sizes = {2, 3, 1, 4, 5, 2}, strides = {900, 7, 3, 50, 1, 400};
  const Geometry original(sizes, strides, 11);
  Geometry copy(original);
  EXPECT_EQ(copy, original);
  EXPECT_NE(copy.size_data(), original.size_data());
  Geometry moved(std::move(copy));
  EXPECT_EQ(moved, original);
  copy = moved;  // a moved-from geometry may be assigned to
  EXPECT_EQ(copy, original);
  Geometry small({2, 2});
  small = copy;  // heap into inline
  EXPECT_EQ(small, original);
  copy = Geometry(IntArrayRef({3}));  // inline into heap
  EXPECT_EQ(copy.sizes(), IntArrayRef({3}));
  small = std::move(copy);
  EXPECT_EQ(small.numel(), 3);
  Geometry& itself = moved;
  moved = itself;
  EXPECT_EQ(moved, original);
  moved.set_contiguous({2, 2, 2, 2, 2});
  EXPECT_EQ(moved.strides(), IntArrayRef({16, 8, 4, 2, 1}));
  EXPECT_EQ(original.at_offset(3).offset(), 3);
  EXPECT_EQ(original.at_offset(3).strides(), original.strides());
}

TEST(Geometry, ZeroSizesAndNoDimensions) {
  EXPECT_EQ(Geometry(IntArrayRef()).numel(), 1);
  EXPECT_EQ(Geometry(IntArrayRef({2, 0, 3})).numel(), 0);
  EXPECT_EQ(Geometry(IntArrayRef({2, 0, 3})).strides(), IntArrayRef({3, 3, 1}));
  EXPECT_EQ(Geometry({2, 0}, {5, 5}, 9).storage_end(), 0);
  EXPECT_TRUE(Geometry({2, 0}, {5, 5}, 9).is_contiguous());
}

struct BadGeometry {
  const char* name;
  std::vector<int64_t> sizes, strides;
  int64_t offset;
  const char* message;
};

TEST(Geometry, RefusesWhatNoTensorCanHave) {
  const int64_t huge = int64_t{1} << 40, limit = INT64_MAX;
  const std::vector<BadGeometry> table = {
      {"negative size", {2, -1}, {1, 1}, 0, "negative dimension -1 in size [2, -1]"},
      {"more sizes than strides", {2, 3}, {1}, 0, "2 sizes but 1 strides"},
      {"negative stride", {2}, {-1}, 0, "negative strides are not supported, got [-1]"},
      {"negative offset", {2}, {1}, -3, "negative storage offset -3"},
      {"too many elements", {huge, huge}, {1, 1}, 0, "is too large"},
      {"too many, but for a zero", {huge, huge, 0}, {1, 1, 1}, 0, "is too large"},
      {"a stride beyond 64 bits", {3}, {limit}, 0, "too large"},
      {"strides that add up beyond 64 bits",
       {2, 2},
       {limit / 2 + 1, limit / 2 + 1},
       0,
       "too large"},
      {"an offset that does", {2}, {limit - 1}, 2, "too large"},
      {"65 dimensions", std::vector<int64_t>(65, 1), std::vector<int64_t>(65, 1), 0,
       "at most 64 dimensions, but 65"},
  };
  for (const BadGeometry& one : table) {
    SCOPED_TRACE(one.name);
    expect_error<ShapeError>(one.message, [&] { Geometry(one.sizes, one.strides, one.offset); });
  }
  expect_error<ShapeError>("negative dimension", [] { Geometry(IntArrayRef({-5})); });
}

TEST(Geometry, FailedSetContiguousChangesNothing) {
  Geometry g({2, 3, 4, 5, 6}, {500, 100, 20, 3, 1}, 4);
  const Geometry before(g);
  EXPECT_THROW(g.set_contiguous({1, 2, -3, 4, 5, 6}), ShapeError);
  EXPECT_EQ(g, before);
}

RC_GTEST_PROP(Geometry, DenseStridesLikeKeepTheOrderInMemory, ()) {
  const auto rank = *rc::gen::inRange<std::size_t>(0, 6);
  const auto sizes =
      *rc::gen::container<std::vector<int64_t>>(rank, rc::gen::inRange<int64_t>(1, 5));
  const auto like =
      *rc::gen::container<std::vector<int64_t>>(rank, rc::gen::inRange<int64_t>(1, 99));
  const Geometry g(sizes, dense_strides_like(sizes, like), 0);
  RC_ASSERT(g.is_dense());
  for (int a = 0; a < g.dim(); ++a)
    for (int b = 0; b < g.dim(); ++b)
      if (like[static_cast<std::size_t>(a)] > like[static_cast<std::size_t>(b)] && g.size(b) > 1)
        RC_ASSERT(g.stride(a) > g.stride(b));
}

TEST(Geometry, WindowBeyondTheStorageIsRefusedHoweverLargeItsStrides) {
  const Tensor x = zeros({4});
  expect_error<ShapeError>("", [&] { as_strided(x, {2}, {4}); });
  expect_error<ShapeError>("", [&] { as_strided(x, {3}, {int64_t{1} << 62}); });
  expect_error<ShapeError>("", [&] { as_strided(x, {2}, {INT64_MAX}, 1); });
}

TEST(WrapDim, CountsFromTheEndAndNamesTheRange) {
  EXPECT_EQ(wrap_dim(-1, 3), 2);
  EXPECT_EQ(wrap_dim(0, 0), 0);
  EXPECT_EQ(wrap_dim(-1, 0), 0);
  expect_error<IndexError>("expected to be in range of [-3, 2], but got 3", [] { wrap_dim(3, 3); });
  expect_error<IndexError>("expected to be in range of [-1, 0], but got -2",
                           [] { wrap_dim(-2, 0); });
}

TEST(Geometry, InterleavedAxesThatNeverMeetDoNotOverlap) {
  EXPECT_TRUE(Geometry({3, 2}, {2, 3}, 0).is_non_overlapping());   // 0 3 2 5 4 7
  EXPECT_FALSE(Geometry({4, 2}, {2, 4}, 0).is_non_overlapping());  // 4 twice
  EXPECT_FALSE(Geometry({3, 2}, {1, 0}, 0).is_non_overlapping());
}

}  // namespace
}  // namespace notape::testing
