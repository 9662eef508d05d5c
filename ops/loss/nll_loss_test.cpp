#include "ops/loss/testing/classes.h"

namespace notape::testing {
namespace {

struct NllExample {
  Reduction reduction;
  bool weighted;
  int64_t ignore_index;
  std::vector<double> loss;
  /// With respect to the target's score of each row, as 1 loss[0] + 2 loss[1] + ...
  std::vector<double> gradient;
};

constexpr double kThird = 1.0 / 3;
const NllExample kNllExamples[] = {
    {Reduction::None, false, -100, {2.5, 3, 2}, {-1, -2, -3}},
    {Reduction::None, false, 0, {2.5, 0, 2}, {-1, 0, -3}},
    {Reduction::None, true, -100, {5, 1.5, 3}, {-2, -1, -4.5}},
    {Reduction::None, true, 0, {5, 0, 3}, {-2, 0, -4.5}},
    {Reduction::Mean, false, -100, {2.5}, {-kThird, -kThird, -kThird}},
    {Reduction::Mean, false, 0, {2.25}, {-0.5, 0, -0.5}},
    {Reduction::Mean, true, -100, {2.375}, {-0.5, -0.125, -0.375}},
    {Reduction::Mean, true, 0, {2.285714286}, {-0.571428571, 0, -0.428571429}},
    {Reduction::Sum, false, -100, {7.5}, {-1, -1, -1}},
    {Reduction::Sum, true, 0, {8}, {-2, 0, -1.5}},
};

TEST(NllLoss, HasTheValuesAndGradientsOfLibTorch) {
  for (const NllExample& example : kNllExamples) {
    const auto loss = [&](const Tensor& x) {
      return nll_loss(x, target(), example.weighted ? class_weight() : Tensor(), example.reduction,
                      example.ignore_index);
    };
    expect_close(loss(scores()), example.loss);
    const auto& g = example.gradient;
    expect_close(weighted_gradient(loss, scores()), {0, 0, g[0], g[1], 0, 0, 0, g[2], 0});
    const Tensor tangent = directional_derivative(loss, scores(), ones({3, 3}, kFloat64));
    expect_close((tangent * counting_like(tangent)).sum(), {g[0] + g[1] + g[2]});
  }
}

// LibTorch's numbers. A weight of 0 is a factor like others; what is ignored is not there at all.
TEST(NllLoss, LosesNoNanToAWeightOfZeroButToAnIgnoredTarget) {
  const Tensor x = constant({{kNaN, -2, -3}, {-4, -5, -6}}), labels = tensor({0, 1});
  const Tensor weight = constant({0, 1, 1});
  const auto loss = [&](Reduction reduction, int64_t ignored) {
    return [=](const Tensor& v) { return nll_loss(v, labels, weight, reduction, ignored); };
  };
  using ::testing::IsNan;
  for (const Reduction reduction : {Reduction::Mean, Reduction::Sum}) {
    EXPECT_THAT(loss(reduction, -100)(x).item(), IsNan());
    EXPECT_THAT(cross_entropy(x, labels, weight, reduction).item(), IsNan());
    EXPECT_EQ(loss(reduction, 0)(x).item(), 5);
    expect_values(weighted_gradient(loss(reduction, -100), x), {0, 0, 0, 0, -1, 0});
    expect_values(weighted_gradient(loss(reduction, 0), x), {0, 0, 0, 0, -1, 0});
  }
  EXPECT_THAT(values(loss(Reduction::None, -100)(x)), ElementsAre(IsNan(), 5));
  EXPECT_THAT(values(loss(Reduction::None, 0)(x)), ElementsAre(0, 5));
  // An infinite value, too.
  EXPECT_THAT(nll_loss(constant({{-kInfinity, -2, -3}}), tensor({0}), weight).item(), IsNan());
}

TEST(NllLoss, HasTheGradientNanWhereAllWeightsAreZeroInAMean) {
  const Tensor x = constant({{-1, -2}, {-3, -4}}), weight = constant({0, 0});
  const auto loss = [&](const Tensor& v) {
    return nll_loss(v, tensor({0, 1}), weight, Reduction::Mean, 1);
  };
  EXPECT_TRUE(std::isnan(loss(x).item()));
  using ::testing::IsNan;
  EXPECT_THAT(values(weighted_gradient(loss, x)), ElementsAre(IsNan(), 0, 0, 0));
}

TEST(NllLoss, TakesNothingFromTheGradientOfAnIgnoredTarget) {
  const Tensor x = leaf({{-1, -2}, {-3, -4}}), labels = tensor({1, 7});
  const Tensor terms = nll_loss(x, labels, {}, Reduction::None, 7);
  terms.backward(constant({2, kNaN}));
  expect_values(x.grad(), {0, -2, 0, 0});
  const Tensor tangent = directional_derivative(
      [&](const Tensor& v) { return nll_loss(v, labels, {}, Reduction::None, 7); }, x.detach(),
      constant({{1, 1}, {kInfinity, kNaN}}));
  expect_values(tangent, {-1, 0});
}

TEST(NllLoss, TakesASingleCase) {
  const Tensor x = constant({-0.5, -1.5, -2.5});
  const auto loss = [](const Tensor& v) { return nll_loss(v, tensor(1)); };
  EXPECT_EQ(loss(x).dim(), 0);
  expect_values(loss(x), {1.5});
  expect_values(weighted_gradient(loss, x), {0, -1, 0});
  const auto terms = [](const Tensor& v) { return nll_loss(v, tensor(2), {}, Reduction::None); };
  EXPECT_EQ(terms(x).dim(), 0);
  expect_values(weighted_gradient(terms, x), {0, 0, -1});
}

TEST(NllLoss, TakesCasesWithMoreDimensions) {
  const Tensor x = arange(12, dtype(kFloat64)).reshape({2, 3, 2});
  const Tensor labels = tensor({{0, 2}, {1, 1}});
  const auto terms = [&](const Tensor& v) { return nll_loss(v, labels, {}, Reduction::None); };
  EXPECT_EQ(terms(x).sizes(), IntArrayRef({2, 2}));
  expect_values(terms(x), {0, -5, -8, -9});
  expect_values(weighted_gradient(terms, x), {-1, 0, 0, 0, 0, -2, 0, 0, -3, -4, 0, 0});
  expect_values(terms(x.transpose(1, 2).contiguous().transpose(1, 2)), {0, -5, -8, -9});
}

TEST(NllLoss, OfIgnoredTargetsIsNotTouchedByTheirScores) {
  const Tensor x = constant({{-kInfinity, -1}, {-2, -3}});
  const Tensor labels = tensor({-100, 1});
  expect_values(nll_loss(x, labels), {3});
  expect_values(weighted_gradient([&](const Tensor& v) { return nll_loss(v, labels); }, x),
                {0, 0, 0, -1});
}

TEST(NllLoss, OfNoClassesAndIgnoredTargetsHasAGradientOfNothing) {
  const Tensor x = zeros({2, 0}, dtype(kFloat64).requires_grad(true));
  const Tensor loss = nll_loss(x, tensor({-100, -100}), {}, Reduction::Sum);
  EXPECT_EQ(loss.item(), 0);
  loss.backward();
  EXPECT_EQ(x.grad().sizes(), IntArrayRef({2, 0}));
}

TEST(NllLoss, OfNothingIsNanInTheMeanAndZeroInTheSum) {
  const Tensor none = tensor({-100, -100});
  const Tensor x = constant({{-1, -2}, {-3, -4}});
  expect_close(nll_loss(x, none), {kNaN});
  expect_close(nll_loss(x, none, {}, Reduction::Sum), {0});
  expect_close(weighted_gradient([&](const Tensor& v) { return nll_loss(v, none); }, x),
               {0, 0, 0, 0});
  const Tensor empty_batch = zeros({0, 3}, kFloat64), no_targets = zeros({0}, kInt64);
  expect_close(nll_loss(empty_batch, no_targets), {kNaN});
  expect_close(nll_loss(empty_batch, no_targets, {}, Reduction::Sum), {0});
}

TEST(NllLoss, TargetsMayChangeBeforeTheGradientIsTaken) {
  const Tensor x = scores().requires_grad_();
  Tensor labels = target();
  const Tensor loss = nll_loss(x, labels, {}, Reduction::Sum);
  labels.fill_(0);
  loss.backward();
  expect_values(x.grad(), {0, 0, -1, -1, 0, 0, 0, -1, 0});
}

TEST(NllLoss, NamesATargetThatIsNoClass) {
  const Unchanged state({scores()});
  expect_error<IndexError>("Target 3 is out of bounds.", [] {
    nll_loss(scores(), tensor({0, 3, -1}));
  });
  expect_error<IndexError>("Target -1 is out of bounds.", [] {
    nll_loss(scores(), tensor({0, 1, -1}));
  });
}

TEST(NllLoss, RejectsShapesThatDoNotFit) {
  expect_error<ShapeError>("Expected input batch_size (3) to match target batch_size (2).", [] {
    nll_loss(scores(), tensor({0, 1}));
  });
  expect_error<ShapeError>("Expected target size [2, 2], got [2, 3]", [] {
    nll_loss(zeros({2, 3, 2}), zeros({2, 3}, kInt64));
  });
  expect_error<ShapeError>("Expected target size [], got [1]",
                           [] { nll_loss(zeros({3}), tensor({1})); });
  expect_error<ShapeError>("for all 3 classes or no classes but got weight tensor of shape: [2]",
                           [] { nll_loss(scores(), target(), ones({2})); });
  expect_error<ShapeError>("at least 1 dimension", [] { nll_loss(tensor(1.0), tensor(0)); });
}

TEST(NllLoss, RejectsOtherTypes) {
  expect_error<DtypeError>("Got: int64", [] { nll_loss(ones({2, 3}, kInt64), tensor({0, 1})); });
  expect_error<DtypeError>("expected a target of dtype int64 but found float32", [] {
    nll_loss(scores(), tensor({0.0, 1.0, 2.0}));
  });
  expect_error<UndefinedTensor>("", [] { nll_loss(scores(), Tensor()); });
}

TEST(NllLoss, RefusesADerivativeWithRespectToTheWeight) {
  const Tensor weight = class_weight().requires_grad_();
  const Unchanged before({weight});
  expect_error<DerivativeNotImplemented>(
      "the function 'nll_loss' is not differentiable with respect to argument 'weight'",
      [&] { nll_loss(scores(), target(), weight); });
  before.check();
  const NoGradGuard no_grad;
  expect_close(nll_loss(scores(), target(), weight), {2.375});
}

TEST(NllLoss, RefusesATangentOfTheWeight) {
  namespace forward_ad = autograd::forward_ad;
  const forward_ad::DualLevelGuard level;
  const Tensor weight = forward_ad::make_dual(class_weight(), class_weight());
  expect_error<ForwardNotImplemented>("Trying to use forward AD with nll_loss",
                                      [&] { nll_loss(scores(), target(), weight); });
}

}  // namespace
}  // namespace notape::testing
