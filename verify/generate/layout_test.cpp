// Every layout lies in memory as it says, and reads back as the same values.
#include "verify/generate/layout.h"

#include <gmock/gmock.h>

#include <cmath>
#include <map>

#include "autograd/autograd.h"
#include "verify/mutate/mutant_test_helper.h"

namespace notape::verify {
namespace {

using Kind = Layout::Kind;

constexpr Kind kKinds[] = {Kind::Contiguous, Kind::Offset,         Kind::Permuted, Kind::Slice,
                           Kind::Step,       Kind::SlicedPermuted, Kind::Expanded};
const std::vector<std::vector<int64_t>> kShapes = {{}, {0}, {3}, {2, 3}, {2, 0, 3}, {2, 3, 4}};

/// 1, 2, 3, ..., equal along the dimension that the layout repeats.
Numbers values_for(const std::vector<int64_t>& sizes, const Layout& layout) {
  int64_t count = 1;
  for (int64_t size : sizes) count *= size;
  Numbers values(static_cast<std::size_t>(count));
  for (std::size_t i = 0; i < values.size(); ++i) values[i] = static_cast<double>(i + 1);
  repeat_along(values, sizes, expanded_dim(layout, sizes));
  return values;
}

/// Calls `visit(layout, sizes, tensor, values)` for every kind, pick, shape and dtype.
template <typename Visit>
void for_each_tensor(Visit visit) {
  for (Kind kind : kKinds)
    for (uint32_t pick = 0; pick < 12; ++pick)
      for (const auto& sizes : kShapes)
        for (ScalarType dtype : {kFloat64, kFloat32, kInt64}) {
          const Layout layout{kind, pick};
          const Numbers values = values_for(sizes, layout);
          visit(layout, sizes, make_tensor(values, sizes, dtype, {}, layout), values);
        }
}

TEST(Layouts, ReadBackAsTheSameValues) {
  for_each_tensor([](const Layout& layout, const auto& sizes, const Tensor& x, const Numbers& v) {
    EXPECT_EQ(x.sizes().vec(), sizes);
    EXPECT_EQ(numbers_of(x), v) << describe(x, layout);
    EXPECT_TRUE(x.is_leaf());
  });
}

TEST(Layouts, LieInMemoryAsTheyAreCalled) {
  for_each_tensor([](const Layout& layout, const auto& sizes, const Tensor& x, const Numbers&) {
    if (sizes.size() != 3 || x.numel() == 0) return;
    const auto strides = x.strides().vec();
    const std::string text = describe(x, layout);
    const auto smallest = *std::min_element(strides.begin(), strides.end());
    EXPECT_EQ(x.is_contiguous(), layout.kind == Kind::Contiguous || layout.kind == Kind::Offset)
        << text;
    EXPECT_EQ(smallest == 0, layout.kind == Kind::Expanded) << text;
    EXPECT_EQ(smallest == 2, layout.kind == Kind::Step) << text;
    EXPECT_EQ(!std::is_sorted(strides.rbegin(), strides.rend()) && smallest > 0,
              layout.kind == Kind::Permuted || layout.kind == Kind::SlicedPermuted)
        << text;
    EXPECT_EQ(x.storage_offset() == 0,
              layout.kind == Kind::Contiguous || layout.kind == Kind::Permuted)
        << text;
  });
}

TEST(Layouts, MemoryAroundTheElementsIsPoison) {
  const Tensor x = make_tensor({1, 2, 3}, {3}, kFloat64, {}, {Kind::Step, 1});
  const double* first = x.data_ptr<double>();
  EXPECT_TRUE(std::isnan(first[-1]));
  EXPECT_TRUE(std::isnan(first[1]));
  EXPECT_TRUE(std::isnan(first[3]));
  EXPECT_TRUE(std::isnan(first[5]));
}

TEST(Layouts, RandomCasesOfAnOperatorHaveAllOfThem) {
  const OpSpec spec = unary_mutant([](const variable_list& x) { return tanh(x[0]); }, plain_tanh);
  std::map<Kind, int> inputs, incoming;
  int zero_size = 0, zero_dim = 0, strided = 0, repeated = 0;
  constexpr int kCases = 300;
  for (int i = 0; i < kCases; ++i) {
    ChoiceDraw draw{rc::Random(static_cast<uint64_t>(i))};
    const DrawnCase drawn = draw_case(spec, draw, kFloat64);
    const DrawnArgument& one = drawn.arguments[0];
    ++inputs[one.layout.kind];
    ++incoming[drawn.incoming.kind];
    const Tensor x = make_tensor(one.values, one.argument.sizes, kFloat64, {}, one.layout);
    const auto strides = x.strides().vec();
    zero_size += x.numel() == 0;
    zero_dim += x.dim() == 0;
    strided += x.numel() > 1 && !x.is_contiguous();
    repeated += x.numel() > 1 && std::find(strides.begin(), strides.end(), 0) != strides.end();
  }
  // Thirty cases, the default, should have each of these.
  for (Kind kind : kKinds) {
    EXPECT_GE(inputs[kind], kCases / 15) << static_cast<int>(kind);
    EXPECT_GE(incoming[kind], kCases / 15) << static_cast<int>(kind);
  }
  for (int count : {zero_size, zero_dim, strided, repeated}) EXPECT_GE(count, kCases / 30);
}

}  // namespace
}  // namespace notape::verify
