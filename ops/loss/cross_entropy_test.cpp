#include "ops/loss/testing/classes.h"

namespace notape::testing {
namespace {

TEST(CrossEntropy, HasTheValueAndGradientOfLibTorch) {
  const auto plain = [](const Tensor& x) { return cross_entropy(x, target()); };
  expect_close(plain(scores()), {2.252992397});
  expect_close(weighted_gradient(plain, scores()),
               {0.221746985, 0.081576157, -0.303323142, -0.316776747, 0.258988583, 0.057788164,
                0.235128171, -0.246834513, 0.011706342});
  const auto weighted = [](const Tensor& x) {
    return cross_entropy(x, target(), class_weight(), Reduction::Mean, 0);
  };
  expect_close(weighted(scores()), {1.953922930});
  expect_close(weighted_gradient(weighted, scores()), {0.380137689, 0.139844841, -0.519982530, 0, 0,
                                                       0, 0.302307648, -0.317358660, 0.015051012});
}

TEST(CrossEntropy, TakesCasesWithMoreDimensions) {
  const Tensor x = (arange(12, dtype(kFloat64)) * 0.5 - 3).sin().reshape({2, 3, 2});
  const Tensor labels = tensor({{0, 2}, {1, 1}});
  const auto terms = [&](const Tensor& v) {
    return cross_entropy(v, labels, class_weight(), Reduction::None, 2);
  };
  expect_close(terms(x), {0.336540793, 0, 1.375189212, 1.227451004});
  expect_close(weighted_gradient(terms, x),
               {-0.244932935, 0, 0.118314826, 0, 0.126618108, 0, 0.775547230, 1.576787189,
                -2.700903510, -3.352915621, 1.925356280, 1.776128432});
}

TEST(CrossEntropy, TakesASingleCase) {
  const Tensor x = constant({1, 2, 3});
  expect_close(cross_entropy(x, tensor(2)), {0.407605964});
}

TEST(CrossEntropy, DoesNotOverflow) {
  const Tensor x = constant({{1000, 0}});
  const auto loss = [](const Tensor& v) { return cross_entropy(v, tensor({1})); };
  expect_values(loss(x), {1000});
  expect_values(weighted_gradient(loss, x), {1, -1});
}

TEST(CrossEntropy, HasSecondDerivatives) {
  const auto loss = [](const Tensor& v) { return cross_entropy(v, tensor(0)); };
  EXPECT_THAT(hessian(loss, constant({0, 0})),
              Pointwise(DoubleNear(1e-15), {0.25, -0.25, -0.25, 0.25}));
}

TEST(CrossEntropy, NamesATargetThatIsNoClass) {
  expect_error<IndexError>("Target 7 is out of bounds.", [] {
    cross_entropy(scores(), tensor({0, 7, 1}));
  });
}

}  // namespace
}  // namespace notape::testing
