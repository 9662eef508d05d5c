// Shape operators by other names, cut into parts, or put back. Numbers are PyTorch 2.15's.
#include "autograd/testing/expect.h"
#include "ops/ops.h"

namespace notape::testing {
namespace {

Tensor twelve() { return arange(12, dtype(kFloat64)).reshape({3, 4}); }

TEST(OtherNames, AreTheSameViewsAndCopies) {
  const Tensor x = twelve(), row = constant({1, 2});
  expect_values(row.expand_as(zeros({2, 2})), {1, 2, 1, 2});
  EXPECT_EQ(row.broadcast_to({3, 2}).strides(), IntArrayRef({0, 1}));
  EXPECT_TRUE(x.reshape_as(zeros({4, 3})).is_alias_of(x));
  expect_values(x.t().ravel(), {0, 4, 8, 1, 5, 9, 2, 6, 10, 3, 7, 11});
  EXPECT_TRUE(x.ravel().is_alias_of(x));
  expect_values(x.swapaxes(0, -1), values(x.t()));
  expect_values(x.swapdims(0, 1), values(x.t()));
  const Tensor cube = zeros({2, 3, 4});
  EXPECT_EQ(cube.moveaxis(0, -1).sizes(), IntArrayRef({3, 4, 2}));
  EXPECT_EQ(cube.moveaxis({0, 1}, {2, 0}).sizes(), IntArrayRef({3, 4, 2}));
  expect_error<ShapeError>("expanded size", [&] { row.broadcast_to({3}); });
  expect_error<UndefinedTensor>("ravel", [] { ravel(Tensor()); });
}

TEST(OtherNames, TileFillsUpWithOnes) {
  expect_values(tensor({{1, 2}}).tile({2}), {1, 2, 1, 2});
  EXPECT_EQ(tensor({{1, 2}}).tile({2}).sizes(), IntArrayRef({1, 4}));
  EXPECT_EQ(tensor({1, 2}).tile({2, 2}).sizes(), IntArrayRef({2, 4}));
  expect_values(tensor(3).tile({}), {3});
  EXPECT_THROW(tensor({1}).tile({-1}), ShapeError);
}

TEST(Diag, EmbedsVectorsAndCopiesDiagonals) {
  const Tensor x = twelve();
  expect_values(x.diag(1), {1, 6, 11});
  EXPECT_FALSE(x.diag().is_alias_of(x));
  EXPECT_EQ(x.diag(-3).numel() + x.diag(9).numel(), 0);
  expect_values(constant({1, 2}).diag(-1), {0, 0, 0, 1, 0, 0, 0, 2, 0});
  expect_error<ShapeError>("diag: Supports 1D or 2D tensors. Got 0D", [] { diag(tensor(1)); });
  expect_error<ShapeError>("Got 3D", [] { diag(zeros({1, 1, 1})); });
}

TEST(TensorSplit, CutsIntoSectionsOrAtIndices) {
  const Tensor x = arange(7, dtype(kFloat64));
  const auto cut = [](const std::vector<Tensor>& pieces) {
    std::vector<std::vector<double>> result;
    for (const Tensor& piece : pieces) result.push_back(values(piece));
    return result;
  };
  using Pieces = std::vector<std::vector<double>>;
  EXPECT_EQ(cut(x.tensor_split(2)), (Pieces{{0, 1, 2, 3}, {4, 5, 6}}));
  EXPECT_EQ(cut(x.tensor_split(5)), (Pieces{{0, 1}, {2, 3}, {4}, {5}, {6}}));
  EXPECT_EQ(cut(x.tensor_split({2, 4})), (Pieces{{0, 1}, {2, 3}, {4, 5, 6}}));
  EXPECT_EQ(cut(x.tensor_split(IntArrayRef({-2}))), (Pieces{{0, 1, 2, 3, 4}, {5, 6}}));
  EXPECT_EQ(cut(x.tensor_split({5, 2})), (Pieces{{0, 1, 2, 3, 4}, {}, {2, 3, 4, 5, 6}}));
  EXPECT_EQ(cut(x.tensor_split({0, 9})), (Pieces{{}, {0, 1, 2, 3, 4, 5, 6}, {}}));
  EXPECT_EQ(cut(x.tensor_split(IntArrayRef())), (Pieces{{0, 1, 2, 3, 4, 5, 6}}));
  EXPECT_TRUE(x.tensor_split(2)[1].is_alias_of(x));
  expect_error<ValueError>("tensor_split: number of sections must be larger than 0, got 0",
                           [&] { x.tensor_split(0); });
  expect_error<ShapeError>("at least a 1-dimensional tensor", [] { tensor(1).tensor_split(2); });
  EXPECT_THROW(x.tensor_split(2, 1), IndexError);
}

TEST(SelectBackward, PutsPartsIntoZeros) {
  const Tensor row = constant({1, 2, 3, 4}), two = constant({1, 2});
  expect_values(select_backward(row, {3, 4}, 0, -1), {0, 0, 0, 0, 0, 0, 0, 0, 1, 2, 3, 4});
  expect_values(slice_backward(two, {5}, 0, -4, 100, 2), {0, 1, 0, 2, 0});
  expect_error<IndexError>("select_backward: index 3", [&] { select_backward(row, {3, 4}, 0, 3); });
  expect_error<IndexError>("0-dim tensor", [] { select_backward(tensor(1), {}, 0, 0); });
  expect_error<ShapeError>("the shape of the part, [4]", [&] {
    select_backward(two, {3, 4}, 0, 1);
  });
  expect_error<ShapeError>("the shape of the part, [3]",
                           [&] { slice_backward(two, {5}, 0, 0, 3, 1); });
  expect_error<ShapeError>("must not be negative", [&] { slice_backward(two, {-5}, 0, 0, 3, 1); });
  expect_error<ValueError>("slice_backward: slice step must be positive",
                           [&] { slice_backward(two, {5}, 0, 0, 2, 0); });
}

TEST(ReshapeAlias, IsAViewWithTheseStrides) {
  const Tensor x = twelve();
  expect_values(_reshape_alias(x, {4, 3}, {1, 4}), {0, 4, 8, 1, 5, 9, 2, 6, 10, 3, 7, 11});
  EXPECT_THROW(_reshape_alias(x, {4, 4}, {1, 4}), ShapeError);
}

TEST(NewTensors, TakeDtypeAndDeviceFromSelf) {
  const Tensor x = twelve(), whole = tensor({1});
  EXPECT_EQ(x.new_empty({2, 3}).dtype(), kFloat64);
  EXPECT_EQ(x.new_empty({2}, kInt32).dtype(), kInt32);
  expect_values(x.new_zeros({2}), {0, 0});
  expect_values(whole.new_ones({2}), {1, 1});
  EXPECT_EQ(whole.new_ones({2}).dtype(), kInt64);
  EXPECT_TRUE(whole.new_ones({2}, dtype(kFloat32).requires_grad(true)).requires_grad());
  EXPECT_EQ(x.new_zeros({2}, kInt32).dtype(), kInt32);
  expect_values(x.new_full({2}, 3), {3, 3});
  expect_values(whole.new_full({1}, 2.5), {2});
  EXPECT_THROW(x.new_zeros({-1}), ShapeError);
  EXPECT_EQ(x.to(dtype(kInt32)).dtype(), kInt32);
  EXPECT_TRUE(x.to(TensorOptions()).is_same(x));
}

TEST(OtherNames, WriteInPlace) {
  const Tensor truth = tensor({true, false}), numbers = constant({2, 0});
  const auto with = [&](auto write) {
    Tensor copy = numbers.clone();
    write(copy);
    EXPECT_EQ(copy.dtype(), kFloat64);
    return values(copy);
  };
  using Values = std::vector<double>;
  EXPECT_EQ(with([&](Tensor& x) { x.logical_and_(truth); }), (Values{1, 0}));
  EXPECT_EQ(with([&](Tensor& x) { x.logical_or_(tensor(5)); }), (Values{1, 1}));
  EXPECT_EQ(with([&](Tensor& x) { x.logical_xor_(tensor({0, 3})); }), (Values{1, 1}));
  EXPECT_EQ(with([](Tensor& x) { x.logical_not_(); }), (Values{0, 1}));
  EXPECT_EQ(with([](Tensor& x) { x.clip_(1); }), (Values{2, 1}));
  EXPECT_EQ(with([](Tensor& x) { x.cumsum_(0); }), (Values{2, 2}));
  EXPECT_EQ(with([](Tensor& x) { x.cumprod_(-1); }), (Values{2, 0}));
  const Tensor bytes = tensor({6, 5}, dtype(kInt32));
  expect_values(bytes.clone().bitwise_and_(tensor({3, 300})), {2, 4});
  expect_values(bytes.clone().bitwise_xor_(tensor({3, 3})), {5, 6});
  expect_values(bytes.clone().bitwise_or_(tensor({3, 3})), {7, 7});
  expect_values(tensor({200, 100}, dtype(kUInt8)).cumsum_(0), {200, 44});
  expect_values(bytes.clone().cumprod_(0), {6, 30});
  EXPECT_EQ(bytes.clone().cumsum_(0).dtype(), kInt32);
  expect_values(numbers.clip({}, 1), {1, 0});
  expect_values(numbers.hardshrink(), {2, 0});
  expect_values(constant({-2, 4}).prelu(constant({0.5})), {-1, 4});
}

TEST(OtherNames, RefuseWritesThatDoNotFit) {
  Tensor numbers = constant({2, 0}), truth = tensor({true, false}), own = leaf({1, 2});
  const Unchanged before({numbers, truth, own});
  expect_error<ShapeError>("logical_or_: output with shape [2]", [&] {
    numbers.logical_or_(zeros({2, 2}));
  });
  expect_error<DtypeError>("bitwise_or_: result type int64 can't be cast", [&] {
    truth.bitwise_or_(tensor({3, 3}));
  });
  expect_error<DtypeError>("bitwise_and_: not implemented for",
                           [&] { truth.bitwise_and_(numbers); });
  expect_error<LeafInPlace>("cumsum_", [&] { own.cumsum_(0); });
  expect_error<LeafInPlace>("logical_not_", [&] { own.logical_not_(); });
  before.check();
}

TEST(OtherNames, WhatWasOverwrittenByTruthHasNoGradient) {
  const Tensor x = leaf({2, 0});
  Tensor y = x * 3;
  y.logical_not_();
  const Tensor z = (y + x).sum();
  z.backward();
  expect_values(x.grad(), {1, 1});
}

}  // namespace
}  // namespace notape::testing
