// x[...] = v: values, gradients, aliasing. Numbers are LibTorch's.
#include "autograd/graph/saved_variable.h"
#include "autograd/modes/grad_mode.h"
#include "autograd/testing/expect.h"
#include "ops/ops.h"

namespace notape::testing {
namespace {

using indexing::Ellipsis;
using indexing::None;
using indexing::Slice;
using indexing::TensorIndex;

struct Write {
  const char* name;
  std::vector<TensorIndex> indices;
  NestedNumbers value;
  std::vector<double> result, x_gradient, value_gradient;  // of the sum of i y_i, i = 1, 2, ...
};

const std::vector<Write>& writes() {
  static const Tensor mask = tensor({{true, false, true}, {false, true, false}});
  static const std::vector<Write> all = {
      {"x[1] = v", {1}, {7, 8, 9}, {1, 2, 3, 7, 8, 9}, {1, 2, 3, 0, 0, 0}, {4, 5, 6}},
      {"x[1] = number", {1}, 7, {1, 2, 3, 7, 7, 7}, {1, 2, 3, 0, 0, 0}, {15}},
      {"x[0, 2] = v", {0, 2}, 7, {1, 2, 7, 4, 5, 6}, {1, 2, 0, 4, 5, 6}, {3}},
      {"x[:, ::2] = v",
       {Slice(), Slice({}, {}, 2)},
       {7, 8},
       {7, 2, 8, 7, 5, 8},
       {0, 2, 0, 0, 5, 0},
       {1 + 4, 3 + 6}},
      {"x[..., None, 1] = v",
       {Ellipsis, None, 1},
       {{{7}, {8}}},
       {1, 7, 3, 4, 8, 6},
       {1, 0, 3, 4, 0, 6},
       {2, 5}},
      {"x[[1, 0]] = v",
       {tensor({1, 0})},
       {{7}, {8}},
       {8, 8, 8, 7, 7, 7},
       {0, 0, 0, 0, 0, 0},
       {15, 6}},
      {"x[[0, 1], [2, -3]] = v",
       {tensor({0, 1}), tensor({2, -3})},
       {7, 8},
       {1, 2, 7, 8, 5, 6},
       {1, 2, 0, 0, 5, 6},
       {3, 4}},
      {"x[:, [2]] = v",
       {Slice(), tensor({2})},
       {{7}, {8}},
       {1, 2, 7, 4, 5, 8},
       {1, 2, 0, 4, 5, 0},
       {3, 6}},
      {"x[1, [0, 2]] = v",
       {1, tensor({0, 2})},
       {7, 8},
       {1, 2, 3, 7, 5, 8},
       {1, 2, 3, 0, 5, 0},
       {4, 6}},
      {"x[mask] = v", {mask}, {7, 8, 9}, {7, 2, 8, 4, 9, 6}, {0, 2, 0, 4, 0, 6}, {1, 3, 5}},
      {"x[mask] = number", {mask}, 7, {7, 2, 7, 4, 7, 6}, {0, 2, 0, 4, 0, 6}, {9}},
      {"x[[]] = v", {zeros({0}, kInt64)}, 7, {1, 2, 3, 4, 5, 6}, {1, 2, 3, 4, 5, 6}, {0}},
      {"x[:] = v", {Slice()}, {7, 8, 9}, {7, 8, 9, 7, 8, 9}, {0, 0, 0, 0, 0, 0}, {5, 7, 9}},
  };
  return all;
}

Tensor one_to_six() { return arange(1, 7, dtype(kFloat64)).reshape({2, 3}).clone(); }
Tensor weights() { return one_to_six(); }
/// Undefined stands for zero: x[:] = v leaves nothing of x.
std::vector<double> gradient_of(const Tensor& x) {
  return x.grad().defined() ? values(x.grad())
                            : std::vector<double>(static_cast<std::size_t>(x.numel()), 0.0);
}

TEST(IndexPut, WritesAndDifferentiates) {
  for (const Write& write : writes()) {
    SCOPED_TRACE(write.name);
    const Tensor x = one_to_six().requires_grad_(), value = leaf(write.value);
    Tensor y = x * 1;
    index_put_(y, write.indices, value);
    expect_values(y, write.result);
    (y * weights()).sum().backward();
    EXPECT_EQ(gradient_of(x), write.x_gradient);
    EXPECT_EQ(gradient_of(value), write.value_gradient);
  }
}

TEST(IndexPut, MakesATargetWithoutHistoryInterior) {
  for (const Write& write : writes()) {
    SCOPED_TRACE(write.name);
    const Tensor value = leaf(write.value);
    Tensor y = one_to_six();
    index_put_(y, write.indices, value);
    EXPECT_FALSE(y.is_leaf());
    (y * weights()).sum().backward();
    EXPECT_EQ(gradient_of(value), write.value_gradient);
  }
}

TEST(IndexPut, ThroughAViewReachesTheBase) {
  for (const Write& write : writes()) {
    SCOPED_TRACE(write.name);
    const Tensor x = one_to_six().t().contiguous().requires_grad_();
    const Tensor y = x * 1;
    Tensor turned = y.t();
    index_put_(turned, write.indices, leaf(write.value));
    expect_values(y.t(), write.result);
    (y.t() * weights()).sum().backward();
    expect_values(x.grad().t(), write.x_gradient);
  }
}

TEST(IndexPut, HasSecondDerivatives) {
  for (const Write& write : writes()) {
    SCOPED_TRACE(write.name);
    const Tensor x = one_to_six().requires_grad_(), value = leaf(write.value);
    Tensor y = x * 1;
    index_put_(y, write.indices, value);
    // Of the sum of w y^3: the gradient is 3 w y^2 and its own gradient 6 w y, where x is left.
    const auto first =
        autograd::grad({(y * y * y * weights()).sum()}, {x, value}, {}, {}, true, true);
    Tensor total = zeros({}, kFloat64);
    for (const Tensor& gradient : first)
      if (gradient.defined()) total = total + gradient.sum();
    const auto second = autograd::grad({total}, {x}, {}, {}, false, true);
    std::vector<double> expected = write.x_gradient;
    for (std::size_t i = 0; i < 6; ++i) expected[i] *= 6 * static_cast<double>(i + 1);
    if (second[0].defined())
      expect_values(second[0], expected);
    else
      EXPECT_EQ(expected, std::vector<double>(6, 0.0));
  }
}

TEST(IndexPut, CarriesTangents) {
  for (const Write& write : writes()) {
    SCOPED_TRACE(write.name);
    const autograd::forward_ad::DualLevelGuard level;
    const Tensor x = one_to_six(), value = constant(write.value);
    Tensor y = autograd::forward_ad::make_dual(x, x * 10) * 1;
    index_put_(y, write.indices, autograd::forward_ad::make_dual(value, value * 10));
    std::vector<double> expected = write.result;
    for (double& entry : expected) entry *= 10;
    expect_values(autograd::forward_ad::unpack_dual(y).tangent, expected);
  }
}

TEST(IndexPut, OfRepeatedIndicesKeepsTheLastAndItsGradientOnly) {
  const Tensor x = leaf({1, 2, 3}), value = leaf({10, 20, 30});
  Tensor y = x * 1;
  y.index_put_({tensor({2, 0, 2})}, value);
  expect_values(y, {20, 2, 30});
  (y * constant({1, 2, 3})).sum().backward();
  expect_values(x.grad(), {0, 2, 0});
  expect_values(value.grad(), {0, 1, 3});  // LibTorch gives the overwritten 10 a gradient of 3
}

TEST(IndexPut, WritesAPartOfAnExpandedTensorUnderThePapersPolicyAsUnderAny) {
  for (const AliasPolicy policy : {AliasPolicy::Default, AliasPolicy::Paper2017}) {
    const AliasPolicyGuard guard(policy);
    Tensor rows = constant({1, 2}).expand({3, 2});
    const NoGradGuard no_grad;
    rows.index_put_({1}, 7);
    expect_values(rows, {7, 7, 7, 7, 7, 7});
  }
}

TEST(IndexPut, IsOneWriteToTheTensorUnderThePapersPolicy) {
  const AliasPolicyGuard policy(AliasPolicy::Paper2017);
  for (const Write& write : writes()) {
    SCOPED_TRACE(write.name);
    const Tensor x = one_to_six().requires_grad_();
    Tensor y = x * 1;
    const uint64_t version = y._version();
    index_put_(y, write.indices, constant(write.value));
    EXPECT_EQ(y._version(), version + 1);
    (y * weights()).sum().backward();
    EXPECT_EQ(gradient_of(x), write.x_gradient);
    Tensor shared = one_to_six();
    const Tensor other = shared.t();
    const Unchanged before({shared, other});
    expect_error<AliasedInPlace>("detected that there are 2 objects sharing it",
                                 [&] { index_put_(shared, write.indices, constant(write.value)); });
    before.check();
  }
}

TEST(IndexPut, FillsATableFromItself) {  // each product saves cells of the table being filled
  const Tensor x = leaf({1});
  const int64_t n = 2000;
  Tensor table = zeros({n}, kFloat64);
  table.index_put_({0}, x);
  for (int64_t i = 1; i < n; ++i) table.index_put_({i}, table[i - 1] * table[0]);
  table[n - 1].backward();
  expect_values(x.grad(), {2000});  // of x^n at 1
}

TEST(IndexPut, ReadsValuesThatShareMemoryBeforeItWrites) {
  Tensor x = constant({1, 2, 3, 4});
  x.index_put_({tensor({1, 2, 3, 0})}, x);
  expect_values(x, {4, 1, 2, 3});
  x.index_put_({0}, x[3]);
  expect_values(x, {3, 1, 2, 3});
  x.index_put_({Slice()}, x);
  expect_values(x, {3, 1, 2, 3});
  const Unchanged before({x});
  expect_error<MemoryOverlap>("some elements of the input tensor and the written-to tensor",
                              [&] { x.index_put_({Slice(1)}, x.index({Slice({}, -1)})); });
  before.check();
}

TEST(IndexPut, ConvertsValuesAndTakesNumbers) {
  Tensor x = zeros({2, 2}, kInt64);
  x.index_put_({0}, constant({1.9, 2.9}));
  x.index_put_({1, 1}, 7);
  x.index_put_({tensor({1}), tensor({0})}, 5.5);
  expect_values(x, {1, 2, 5, 7});
}

TEST(IndexPut, IgnoresLeadingOnesOfTheValue) {
  Tensor x = zeros({2, 3});
  x.index_put_({0}, ones({1, 1, 3}));
  x.index_put_({tensor({1})}, full({1, 1, 1, 3}, 2.0));
  expect_values(x, {1, 1, 1, 2, 2, 2});
}

TEST(IndexPut, RefusesValuesThatDoNotFit) {
  Tensor x = one_to_six();
  const Unchanged before({x});
  expect_error<ShapeError>(
      "shape mismatch: value tensor of shape [2] cannot be broadcast to indexing result of shape "
      "[3]",
      [&] { x.index_put_({0}, zeros({2})); });
  expect_error<ShapeError>(
      "shape mismatch: value tensor of shape [4] cannot be broadcast to indexing result of shape "
      "[3]",
      [&] { x.index_put_({x > 3}, zeros({4})); });
  before.check();
  const Tensor parameter = leaf({1, 2});
  Tensor same = parameter;
  const Unchanged untouched({parameter});
  expect_error<LeafInPlace>("leaf Variable that requires grad is being used in an in-place",
                            [&] { same.index_put_({0}, 1); });
  untouched.check();
  Tensor expanded = zeros({1}).expand({3});
  expect_error<MemoryOverlap>("more than one element of the written-to tensor",
                              [&] { expanded.index_put_({tensor({0})}, 1); });
}

TEST(IndexPut, SaysWhoWroteASavedValue) {
  const Tensor x = leaf({1, 2});
  Tensor y = x * 1;
  const Tensor z = y * y;
  y.index_put_({0}, 5);
  EXPECT_THAT([&] { z.sum().backward(); }, ::testing::ThrowsMessage<SavedTensorModified>(
                                               HasSubstr("overwritten by index_put_")));
}

TEST(IndexPut, OfBracesAccumulatesIfAsked) {
  const Tensor x = leaf({1, 2, 3}), v = leaf({10, 20});
  Tensor y = x * 1;
  y.index_put_({tensor({0, 0})}, v, /*accumulate=*/true);
  expect_values(y, {31, 2, 3});
  y.sum().backward();
  expect_values(x.grad(), {1, 1, 1});
  expect_values(v.grad(), {1, 1});
}

TEST(IndexPut, LeavesNothingBehind) {
  const NothingLeaks guard;
  const Tensor x = leaf({1, 2, 3});
  Tensor y = x * 1;
  y.index_put_({tensor({0, 0})}, x.index({Slice(1)}) * 2);
  y.index_put_({1}, y[2] * 2);
  y.sum().backward();
}

}  // namespace
}  // namespace notape::testing
