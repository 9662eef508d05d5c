// repeat, flip, tril, triu, unfold, repeat_interleave and their like: numbers from PyTorch 2.15.
#include "ops/linalg/testing/second_source.h"
#include "ops/ops.h"

namespace notape::testing {
namespace {

using X = const variable_list&;
using Sizes = std::vector<int64_t>;

TEST(ShapeCopies, HaveLibTorchsValuesAndGradients) {
  expect_as_libtorch(
      [](X x) -> TensorList {
        return {repeat(x[0], {2, 1, 2})};
      },
      {{{2, 2}, 5}},
      {{-0.25, 1, -0.25, 1, -1, 0.25, -1, 0.25, -0.25, 1, -0.25, 1, -1, 0.25, -1, 0.25}},
      {{24, 28, 40, 44}});
  expect_as_libtorch(
      [](X x) -> TensorList {
        return {flip(x[0], {0, -1})};
      },
      {{{2, 3}, 5}}, {{-0.5, 1.5, 0.25, -1, 1, -0.25}}, {{6, 5, 4, 3, 2, 1}});
  expect_as_libtorch([](X x) -> TensorList { return {tril(x[0], -1)}; }, {{{3, 3}, 5}},
                     {{0, 0, 0, 0.25, 0, 0, 0.75, -1.25, 0}}, {{0, 0, 0, 4, 0, 0, 7, 8, 0}});
  expect_as_libtorch([](X x) -> TensorList { return {triu(x[0], 1)}; }, {{{2, 3}, 5}},
                     {{0, 1, -1, 0, 0, -0.5}}, {{0, 2, 3, 0, 0, 6}});
  expect_as_libtorch([](X x) -> TensorList { return {unfold(x[0], 0, 3, 2)}; }, {{{7}, 5}},
                     {{-0.25, 1, -1, -1, 0.25, 1.5, 1.5, -0.5, 0.75}}, {{1, 2, 7, 5, 13, 8, 9}});
  expect_as_libtorch(
      [](X x) -> TensorList {
        return {repeat_interleave(x[0], tensor({2, 0}), 0)};
      },
      {{{2, 2}, 5}}, {{-0.25, 1, -0.25, 1}}, {{4, 6, 0, 0}});
}

TEST(ShapeCopies, KeepTheDtype) {
  const Tensor bools = ones({2, 2}, kBool);
  for (const Tensor& x : {bools, bools.to(kUInt8), bools.to(kInt32), bools.to(kBFloat16)}) {
    EXPECT_EQ(tril(x).dtype(), x.dtype());
    expect_values(tril(x), {1, 0, 1, 1});
    expect_values(triu(x), {1, 1, 0, 1});
    EXPECT_EQ(flip(x, {0}).dtype(), x.dtype());
    EXPECT_EQ(repeat(x, {2, 1}).dtype(), x.dtype());
    EXPECT_EQ(repeat_interleave(x, 2).dtype(), x.dtype());
    Tensor y = x.clone();
    expect_values(tril_(y, -1), {0, 0, 1, 0});
  }
}

TEST(ShapeCopies, AreCopiesEvenIfNothingIsRepeated) {
  const Tensor x = constant({{1, 2}, {3, 4}});
  EXPECT_FALSE(repeat(x, {1, 1}).is_alias_of(x));
  EXPECT_FALSE(flip(x, IntArrayRef()).is_alias_of(x));
  EXPECT_FALSE(repeat_interleave(x, 1, 0).is_alias_of(x));
  EXPECT_FALSE(repeat_interleave(x, 1).is_alias_of(x));
  EXPECT_FALSE(_to_copy(x).is_alias_of(x));
  EXPECT_EQ(_to_copy(x, kFloat32, kCPU).dtype(), kFloat32);
  EXPECT_TRUE(to(x, Device(kCPU), kFloat64).is_same(x));
  EXPECT_TRUE(type_as(x, x).is_same(x));
  EXPECT_EQ(to(x, tensor({1})).dtype(), kInt64);
}

TEST(ShapeCopies, TakeZeroSizesAndNumbers) {
  EXPECT_EQ(repeat(zeros({2, 0}), {3, 2, 4}).sizes().vec(), (Sizes{3, 4, 0}));
  EXPECT_EQ(repeat(zeros({2}), {0}).sizes().vec(), Sizes{0});
  expect_values(repeat(constant(3), {2}), {3, 3});
  expect_values(repeat(constant(3), {}), {3});
  expect_values(flip(constant(3), {0}), {3});
  EXPECT_EQ(flip(zeros({0, 2}), {0, 1}).sizes().vec(), (Sizes{0, 2}));
  EXPECT_EQ(tril(zeros({2, 0, 3})).sizes().vec(), (Sizes{2, 0, 3}));
  EXPECT_EQ(unfold(constant(2), 0, 1, 1).sizes().vec(), Sizes{1});
  expect_values(unfold(constant(2), -1, 1, 5), {2});
  EXPECT_EQ(unfold(zeros({3}), 0, 0, 2).sizes().vec(), (Sizes{2, 0}));
  expect_values(repeat_interleave(constant(3), 2), {3, 3});
  expect_values(repeat_interleave(tensor({1, 0, 2})), {0, 2, 2});
  EXPECT_EQ(repeat_interleave(tensor({1, 2}, kInt32)).dtype(), kInt32);
  EXPECT_EQ(repeat_interleave(zeros({0, 2}), tensor({3}), 0).sizes().vec(), (Sizes{0, 2}));
}

TEST(ShapeCopies, TakeAnyDiagonal) {
  constexpr int64_t most = std::numeric_limits<int64_t>::max();
  const Tensor x = constant({{1, 2}, {3, 4}});
  expect_values(tril(x, most), {1, 2, 3, 4});
  expect_values(tril(x, -most - 1), {0, 0, 0, 0});
  expect_values(triu(x, most), {0, 0, 0, 0});
  expect_values(triu(x, -most - 1), {1, 2, 3, 4});
}

TEST(ShapeCopies, OfATriangleHideNaNFromGradients) {
  const Tensor x = leaf({{1, 0}, {4, 9}});
  tril(sqrt(x)).sum().backward();
  EXPECT_EQ(values(x.grad())[1], 0);
}

TEST(ShapeCopies, RefuseWhatDoesNotFit) {
  const Tensor x = zeros({2, 2});
  expect_error<ShapeError>("repeat: number of dimensions of repeat dims can not be smaller",
                           [&] { repeat(x, {2}); });
  expect_error<ShapeError>("repeat: trying to create a tensor with negative dimension", [&] {
    repeat(x, {2, -1});
  });
  expect_error<ShapeError>("repeat: the number of elements of size [2, 4611686018427387904]", [&] {
    repeat(x, {int64_t{1} << 62, 1});
  });
  expect_error<IndexError>("flip: dim -2 appears multiple times", [&] { flip(x, {0, -2}); });
  expect_error<IndexError>("", [&] { flip(x, {2}); });
  expect_error<ShapeError>("tril: input tensor must have at least 2 dimensions",
                           [] { tril(zeros({2})); });
  Tensor vector = zeros({2});
  expect_error<ShapeError>("triu_: input tensor must have at least 2 dimensions",
                           [&] { triu_(vector); });
  expect_error<ShapeError>("unfold: maximum size for tensor at dimension 0 is 2 but size is 3",
                           [&] { unfold(x, 0, 3, 1); });
  expect_error<ShapeError>("unfold: size is -1 but must be >= 0", [&] { unfold(x, 0, -1, 1); });
  expect_error<ValueError>("unfold: step is 0 but must be > 0", [&] { unfold(x, 0, 1, 0); });
  expect_error<ValueError>("repeat_interleave: repeats can not be negative",
                           [&] { repeat_interleave(x, -1); });
  expect_error<ValueError>("repeat_interleave: repeats can not be negative", [&] {
    repeat_interleave(x, tensor({1, -1}), 0);
  });
  expect_error<ShapeError>("repeat_interleave: repeats must have the same size as input along dim",
                           [&] {
                             repeat_interleave(x, tensor({1, 1, 1}), 0);
                           });
  expect_error<DtypeError>("repeat_interleave: repeats has to be Long or Int tensor",
                           [&] { repeat_interleave(x, ones({2}), 0); });
  expect_error<ValueError>("repeat_interleave: allocated size does not match required size",
                           [&] { repeat_interleave(x, 2, 0, 5); });
  for (const auto& call : std::vector<std::function<void()>>{
           [] { repeat(Tensor(), {1}); }, [] { flip(Tensor(), {}); }, [] { tril(Tensor()); },
           [] { unfold(Tensor(), 0, 1, 1); }, [] { repeat_interleave(Tensor(), 2); },
           [] { alias(Tensor()); }, [] { view_as(zeros({1}), Tensor()); },
           [] { _to_copy(Tensor()); }, [] { type_as(zeros({1}), Tensor()); }})
    expect_error<UndefinedTensor>("", call);
}

TEST(ShapeViews, AreViews) {
  const Tensor x = arange(6, kFloat64);
  EXPECT_TRUE(alias(x).is_view());
  EXPECT_FALSE(alias(x).is_same(x));
  EXPECT_EQ(view_as(x, zeros({2, 3})).sizes().vec(), (Sizes{2, 3}));
  Tensor windows = unfold(x, 0, 2, 2);
  EXPECT_TRUE(windows.is_alias_of(x));
  windows.fill_(7);
  expect_values(x, {7, 7, 7, 7, 7, 7});
  const Tensor ones_inside = zeros({1, 2, 1, 1});
  EXPECT_EQ(squeeze(ones_inside, {0, 1, -1}).sizes().vec(), (Sizes{2, 1}));
  expect_error<IndexError>("squeeze: dim -1 appears multiple times", [&] {
    squeeze(ones_inside, {3, -1});
  });
}

TEST(SplitWithSizes, GivesViewsOfTheseSizes) {
  const Tensor x = counting_leaf(5);
  const auto parts = split_with_sizes(x, {2, 0, 3});
  ASSERT_EQ(parts.size(), 3u);
  expect_values(parts[0], {1, 2});
  EXPECT_EQ(parts[1].numel(), 0);
  (parts[2] * parts[2]).sum().backward();
  expect_values(x.grad(), {0, 0, 6, 8, 10});
  EXPECT_TRUE(split_with_sizes(zeros({0}), IntArrayRef()).empty());
  expect_error<ShapeError>(
      "split_with_sizes: split_with_sizes expects split_sizes to sum exactly "
      "to 5 (input tensor's size at dimension 0), but got split_sizes=[2, 2]",
      [&] {
        split_with_sizes(x, {2, 2});
      });
  expect_error<ShapeError>("only non-negative entries", [&] { split_with_sizes(x, {6, -1}); });
  constexpr int64_t half = int64_t{1} << 62;
  expect_error<ShapeError>("to sum exactly to 5", [&] {
    split_with_sizes(x, {half, half, half, half, 5});
  });
  expect_error<ShapeError>("at least a 1-dimensional tensor",
                           [] { split_with_sizes(zeros({}), {1}); });
}

}  // namespace
}  // namespace notape::testing
