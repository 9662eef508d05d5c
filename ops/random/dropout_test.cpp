#include "ops/reduce/testing/derivatives.h"

namespace notape::testing {
namespace {

TEST(Dropout, KeepsTheMean) {
  manual_seed(7);
  constexpr int64_t n = 100000;
  for (double p : {0.1, 0.5, 0.9}) {
    const Tensor y = dropout(ones({n}, kFloat64), p);
    // Each element is 1/(1-p) with probability 1-p: variance p/(1-p).
    const double sigma = std::sqrt(p / (1 - p) / static_cast<double>(n));
    EXPECT_NEAR(y.mean().item(), 1, 3 * sigma) << "p = " << p;
  }
}

TEST(Dropout, ZeroesOrScalesEachElement) {
  manual_seed(1);
  const std::vector<double> y = values(dropout(full({1000}, 3, kFloat64), 0.25));
  for (double value : y) EXPECT_TRUE(value == 0 || value == 4) << value;
}

TEST(Dropout, UsesTheSameMaskForTheGradient) {
  manual_seed(3);
  const Tensor x = ones({50, 4}, dtype(kFloat64).requires_grad(true));
  const Tensor y = dropout(x, 0.4);
  y.sum().backward();
  EXPECT_EQ(values(y), values(x.grad()));
}

TEST(Dropout, UsesTheSameMaskForTheTangent) {
  const Tensor x = ones({20}, kFloat64);
  std::vector<double> result;
  const auto f = [&](const Tensor& v) {
    const Tensor y = dropout(v, 0.5);
    result = values(y);
    return y;
  };
  EXPECT_EQ(values(directional_derivative(f, x, x)), result);
}

TEST(Dropout, IsRepeatedByTheSeedInEveryLayout) {
  const Tensor x = constant({{1, 2, 3}, {4, 5, 6}});
  manual_seed(11);
  const std::vector<double> first = values(dropout(x));
  const std::vector<double> second = values(dropout(x));
  manual_seed(11);
  EXPECT_EQ(values(dropout(x.t().contiguous().t())), first);
  EXPECT_EQ(values(dropout(x)), second);
}

TEST(Dropout, OfEverythingIsZero) {
  const Tensor x = leaf({1, kInfinity, kNaN});
  const Tensor y = dropout(x, 1);
  expect_values(y, {0, 0, 0});
  y.sum().backward();
  expect_values(x.grad(), {0, 0, 0});
}

TEST(Dropout, IsTheIdentityOutsideTrainingAndForZeroProbability) {
  const Tensor x = constant({1, 2});
  EXPECT_TRUE(dropout(x, 0.5, false).is_same(x));
  EXPECT_TRUE(dropout(x, 0).is_same(x));
}

TEST(Dropout, RejectsProbabilitiesOutsideZeroToOne) {
  for (double p : {-0.5, 1.5, kNaN})
    expect_error<ValueError>("dropout probability has to be between 0 and 1, but got",
                             [&] { dropout(zeros({2}), p, false); });
  expect_error<DtypeError>("can't be cast to the desired output type int64", [] {
    dropout(tensor({1, 2}));
  });
}

}  // namespace
}  // namespace notape::testing
