// Forms of operators beside the usual ones: tensors for numbers, numbers for tensors, in place.
#include <cmath>
#include <limits>

#include "autograd/testing/expect.h"
#include "ops/ops.h"

namespace notape::testing {
namespace {

const double kNan = std::numeric_limits<double>::quiet_NaN();

Tensor variable(std::vector<double> values) { return tensor(values).requires_grad_(); }

TEST(ClampByTensors, SharesTheGradientOfTies) {
  const Tensor x = variable({0, 1, 2, 3, 4, 2}), low = variable({1, 1, 1, 1, 1, 3});
  const Tensor high = variable({3, 3, 3, 3, 3, 1});
  const Tensor y = clamp(x, low, high);
  expect_values(y, {1, 1, 2, 3, 3, 1});
  y.sum().backward();
  expect_values(x.grad(), {0, 0.5, 1, 0.5, 0, 0});
  expect_values(low.grad(), {1, 0.5, 0, 0, 0, 0});
  expect_values(high.grad(), {0, 0, 0, 0.5, 1, 1});
}

TEST(ClampByTensors, MayHaveOneBoundAndBroadcasts) {
  const Tensor x = tensor({0., 2., 4.});
  expect_values(clamp_min(x, tensor(1.)), {1, 2, 4});
  expect_values(clamp_max(x, tensor(3.)), {0, 2, 3});
  expect_values(clamp(x, tensor(1.)), {1, 2, 4});
  expect_values(x.clip({}, tensor({1., 1., 1.})), {0, 1, 1});
  EXPECT_EQ(clamp(arange(3), tensor(0.5f)).dtype(), kFloat32);
  // All three have one type together: int16, which no two of them have.
  const Tensor of_bools = clamp(tensor({true, false}), tensor(1, kUInt8), tensor(-2, kChar));
  EXPECT_EQ(of_bools.dtype(), kShort);
  EXPECT_TRUE(of_bools.to(kInt64).equal(tensor({-2, -2})));
  Tensor whole = arange(3);
  expect_error<DtypeError>("clamp_", [&] { whole.clamp_(tensor(0.5f), {}); });
  expect_values(whole.to(kFloat64), {0, 1, 2});
  expect_error<ValueError>("clamp: At least one of", [&] { clamp(x, Tensor(), Tensor()); });
}

TEST(ClampByTensors, OrdersBools) {
  const Tensor x = tensor({true, true, false, false}), bound = tensor({true, false, true, false});
  const auto expect_bools = [](const Tensor& y, std::vector<double> expected) {
    EXPECT_EQ(y.dtype(), kBool);
    expect_values(y.to(kFloat64), expected);
  };
  expect_bools(clamp_min(x, bound), {1, 1, 1, 0});
  expect_bools(clamp_max(x, bound), {1, 0, 0, 0});
  expect_bools(clamp(x, bound), {1, 1, 1, 0});
  Tensor y = x.clone();
  y.clamp_({}, bound);
  expect_bools(y, {1, 0, 0, 0});
}

TEST(ClampByTensors, InPlaceKeepsTheGraph) {
  const Tensor x = variable({-1, 0.5, 2}), low = variable({0, 0, 0});
  Tensor y = x * 1;
  y.clamp_min_(low).clamp_max_(tensor({1., 1., 1.}));
  expect_values(y, {0, 0.5, 1});
  y.sum().backward();
  expect_values(x.grad(), {0, 1, 0});
  expect_values(low.grad(), {1, 0, 0});
}

TEST(ClampByANumber, InPlace) {
  const Tensor x = variable({-1, 0.5, 2});
  Tensor low = x * 1, high = x * 1;
  low.clamp_min_(0);
  high.clamp_max_(1);
  (low + high).sum().backward();
  expect_values(low, {0, 0.5, 2});
  expect_values(high, {-1, 0.5, 1});
  expect_values(x.grad(), {1, 2, 1});
}

TEST(Filling, WithATensorPassesTheGradientOn) {
  const Tensor value = variable({7}).sum(), x = variable({1, 2, 3});
  const Tensor mask = tensor({1, 0, 1}) > 0;
  const Tensor y = masked_fill(x, mask, value);
  expect_values(y, {7, 2, 7});
  const auto gradients = autograd::grad({y.sum()}, {x, value}, {}, true);
  expect_values(gradients[0], {0, 1, 0});
  expect_values(gradients[1], {2});
  Tensor written = x * 1;
  written.masked_fill_(mask, value);
  const auto again = autograd::grad({written.sum()}, {x, value}, {}, true);
  expect_values(again[0], {0, 1, 0});
  expect_values(again[1], {2});
  Tensor all = x * 1;
  all.fill_(value);
  expect_values(autograd::grad({all.sum()}, {value}, {}, true)[0], {3});
  const Tensor places = tensor({2, 0, 2}).to(kInt64);
  expect_values(autograd::grad({x.index_fill(0, places, value).sum()}, {value}, {}, true)[0], {2});
}

TEST(Filling, WithATensorWantsOneNumberAndKeepsTheDtype) {
  Tensor x = ones({3});
  const Tensor mask = x > 0;
  expect_error<ShapeError>("fill_: only supports 0-dimension", [&] { x.fill_(ones({2})); });
  expect_error<ShapeError>("masked_fill_: only supports a 0", [&] { x.masked_fill_(mask, x); });
  expect_error<ShapeError>("index_fill_", [&] { x.index_fill_(0, arange(1), ones({1})); });
  expect_error<ShapeError>("masked_fill_: mask of size", [&] {
    x.masked_fill_(ones({2, 3}) > 0, tensor(1.));
  });
  const Tensor whole = arange(3).masked_fill(mask, tensor(1.5));
  EXPECT_EQ(whole.dtype(), kInt64);
  expect_values(whole.to(kFloat64), {1, 1, 1});
}

TEST(Comparing, InPlaceGivesNumbersWithoutAGradient) {
  const Tensor x = variable({1, 2, 3});
  Tensor y = x * 1;
  y.ge_(2);
  expect_values(y, {0, 1, 1});
  expect_error<ShapeError>("le_", [&] { y.le_(ones({2, 3})); });
  expect_values(y, {0, 1, 1});
  y.sum().backward();
  EXPECT_FALSE(x.grad().defined());
  Tensor whole = arange(3);
  expect_values(whole.lt_(tensor({1, 1, 5}).to(kInt64)).to(kFloat64), {1, 0, 1});
  EXPECT_EQ(whole.eq_(0).dtype(), kInt64);
  Tensor truth = arange(3) > 0;
  expect_values(truth.ne_(true).to(kFloat64), {1, 0, 0});
}

TEST(Dividing, InPlaceWithRounding) {
  Tensor x = tensor({7., -7., 5.});
  expect_values(x.div_(2, "floor"), {3, -4, 2});
  expect_values(x.div_(tensor({2., 3., 4.}), "trunc"), {1, -1, 0});
  expect_values(tensor({7., -7.}).floor_divide_(2), {3, -4});
  Tensor whole = tensor({7, -7}).to(kInt64);
  expect_values(whole.floor_divide_(2).to(kFloat64), {3, -4});
  expect_error<DtypeError>("div_", [&] { whole.div_(2.5, "floor"); });
  expect_error<ValueError>("div_: expected rounding_mode", [&] { x.div_(2, "up"); });
}

TEST(Rounding, ToDecimals) {
  expect_values(round(tensor({1.25, 1.35, -2.675, 1250}, kFloat64), 1), {1.2, 1.4, -2.7, 1250});
  expect_values(round(tensor({1250., 1350.}), -2), {1200, 1400});
  const Tensor x = variable({1.26});
  Tensor y = x * 1;
  y.round_(1).sum().backward();
  expect_values(y, {1.3f});
  expect_values(x.grad(), {0});
  expect_error<DtypeError>("round: with decimals", [] { round(arange(2), 1); });
}

TEST(OtherForms, TakeNumbersWhereTensorsStand) {
  const Tensor whole = arange(3);
  expect_values(rsub(whole, whole, 2).to(kFloat64), {0, -1, -2});
  expect_values(rsub(whole, 5, 2).to(kFloat64), {5, 3, 1});
  expect_values(remainder(7, whole + 3).to(kFloat64), {1, 3, 2});
  expect_values(bitwise_and(6, whole + 3).to(kFloat64), {2, 4, 4});
  expect_values((whole + 3).bitwise_or_(8).to(kFloat64), {11, 12, 13});
  expect_values((whole + 0).bitwise_not_().to(kFloat64), {-1, -2, -3});
  expect_values(tensor({2., -2.}).copysign_(-1), {-2, -2});
  expect_values(tensor({0., 2.}).xlogy_(1), {0, 0});
  expect_values(tensor({-2., 0., 5.}).sign_(), {-1, 0, 1});
  EXPECT_EQ(where(whole > 0, 1, 2.5).dtype(), kFloat32);
  EXPECT_EQ(where(whole > 0, 1, 2).dtype(), kInt64);
  expect_values(where(whole > 0, 1, 2).to(kFloat64), {2, 1, 1});
}

TEST(OtherForms, FindPlaces) {
  const std::vector<Tensor> places = where(tensor({0, 1, 2, 0}).view({2, 2}) > 0);
  ASSERT_EQ(places.size(), 2U);
  expect_values(places[0].to(kFloat64), {0, 1});
  expect_values(places[1].to(kFloat64), {1, 0});
  expect_values(scatter(ones({3}, kFloat64), 0, zeros({2}, kInt64), 2, "add"), {5, 1, 1});
  expect_values(ones({3}, kFloat64).scatter_(0, zeros({2}, kInt64), 3, "multiply"), {9, 1, 1});
  expect_values(ones({3}, kFloat64).index_copy_(0, ones({1}, kInt64), full({}, 4, kFloat64)),
                {1, 4, 1});
  expect_values(zeros({}, kFloat64).index_copy_(0, zeros({1}, kInt64), full({1}, 4, kFloat64)),
                {4});
  expect_values(tensor({1., 2., 3., 4.}).view({2, 2}).swapaxes_(0, 1), {1, 3, 2, 4});
}

TEST(OtherForms, DropInPlace) {
  const Tensor x = ones({1000}, kFloat64).requires_grad_();
  Tensor y = x * 1;
  dropout_(y, 0.25, true);
  y.sum().backward();
  expect_values(x.grad(), values(y));
  Tensor same = x * 1;
  EXPECT_TRUE(dropout_(same, 0.25, false).is_same(same));
  expect_values(same, values(x));
  Tensor self_normal = ones({4, 5}, kFloat64);
  feature_alpha_dropout_(alpha_dropout_(feature_dropout_(self_normal, 0.5, true), 0.5, true), 0.5,
                         true);
  const Tensor chosen = bernoulli(zeros({3}), tensor({0., 1., 1.}));
  expect_values(chosen.to(kFloat64), {0, 1, 1});
  EXPECT_TRUE(std::isnan(clamp(tensor(kNan), tensor(0.), tensor(1.)).item<double>()));
}

}  // namespace
}  // namespace notape::testing
