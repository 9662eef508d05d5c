// Derivatives of every order where a loss is guarded against division by 0: closed forms.
#include "ops/linalg/testing/torch_example.h"
#include "ops/ops.h"

namespace notape::testing {
namespace {

/// The first three derivatives by x, of a loss of one number.
template <typename Loss>
std::vector<double> derivatives(const Loss& loss, double at) {
  const Tensor x = leaf({at});
  Tensor value = loss(x);
  std::vector<double> result;
  for (int order = 0; order < 3; ++order) {
    value = autograd::grad({value}, {x}, {ones_like(value)}, true, true)[0];
    result.push_back(value.item());
  }
  return result;
}

// -t log x - (1 - t) log(1 - x): the orders are (1 - t) / (1 - x) - t / x, t / x^2 + (1 - t) /
// (1 - x)^2, ..., with 1e12 in place of 1 / 0; but the first is 0 where x = t is 0 or 1.
TEST(BinaryCrossEntropy, HasTheDerivativesOfItsClosedForm_AlsoAtTheEnds) {
  constexpr double kHuge = 1e12;
  const struct {
    double x, target;
    std::vector<double> expected;
  } cases[] = {
      {1, 1, {0, 1, -2}},
      {0, 0, {0, 1, 2}},
      {1, 0, {kHuge, kHuge * kHuge, 2 * kHuge * kHuge * kHuge}},
      {0, 1, {-kHuge, kHuge * kHuge, -2 * kHuge * kHuge * kHuge}},
      {0.5, 1, {-2, 4, -16}},
      {0.5, 0.5, {0, 4, 0}},
      {0.25, 0, {4. / 3, 16. / 9, 128. / 27}},
      {1 - 0x1p-30,
       1,
       {-1 / (1 - 0x1p-30), std::pow(1 - 0x1p-30, -2), -2 * std::pow(1 - 0x1p-30, -3)}},
  };
  for (const auto& [x, target, expected] : cases) {
    SCOPED_TRACE(format_message("x = {}, target = {}", {x, target}));
    const std::vector<double> got = derivatives(
        [t = target](const Tensor& p) { return binary_cross_entropy(p, constant({t})); }, x);
    for (int order = 0; order < 3; ++order)
      EXPECT_NEAR(got[order], expected[order], 1e-12 * std::abs(expected[order])) << order;
  }
}

TEST(BinaryCrossEntropy, HasASymmetricHessianAtTheEnds) {
  for (const double at : {0., 1., 0.25})
    for (const double target : {0., 1.}) {
      const Tensor x = leaf({at}), t = leaf({target});
      const auto slopes = autograd::grad({binary_cross_entropy(x, t)}, {x, t}, {}, true, true);
      const double by_t = autograd::grad({slopes[0]}, {t}, {ones({1}, kFloat64)}, true)[0].item();
      const double by_x = autograd::grad({slopes[1]}, {x}, {ones({1}, kFloat64)}, true)[0].item();
      EXPECT_EQ(by_t, by_x) << at << " " << target;
      EXPECT_NEAR(by_t, -std::min(1e12, 1 / (at * (1 - at))), 1e-3);
    }
}

// Where two vectors are equal, or one is 0, no order may be NaN, or infinite where it is not.
TEST(GuardedLosses, HaveFiniteDerivativesOfEveryOrderAtTheirGuards) {
  const Tensor zero = zeros({1, 2}, kFloat64), one = ones({1, 2}, kFloat64);
  const std::pair<const char*, std::function<Tensor(const Tensor&)>> losses[] = {
      {"pairwise_distance", [&](const Tensor& x) { return pairwise_distance(x, zero, 2, 0); }},
      {"pairwise_distance of 3", [&](const Tensor& x) { return pairwise_distance(x, zero, 3, 0); }},
      {"cdist", [&](const Tensor& x) { return cdist(x, zero); }},
      {"cosine_similarity", [&](const Tensor& x) { return cosine_similarity(x, one); }},
      {"cosine_embedding_loss",
       [&](const Tensor& x) { return cosine_embedding_loss(x, one, ones({1})); }},
      {"triplet_margin_loss",
       [&](const Tensor& x) { return triplet_margin_loss(x, zero, one, 1, 2, 0); }},
      {"norm", [](const Tensor& x) { return x.norm(); }},
      {"kl_div", [&](const Tensor& x) { return kl_div(one, x); }},
      {"poisson_nll_loss", [&](const Tensor& x) { return poisson_nll_loss(one, x, true, true); }},
      {"huber_loss", [&](const Tensor& x) { return huber_loss(x, one); }},
      {"smooth_l1_loss", [&](const Tensor& x) { return smooth_l1_loss(x, one); }},
      {"soft_margin_loss", [&](const Tensor& x) { return soft_margin_loss(x, one); }},
      {"mse_loss", [&](const Tensor& x) { return mse_loss(x, zero); }},
  };
  for (const auto& [name, loss] : losses) {
    const Tensor x = zeros({1, 2}, kFloat64).requires_grad_();
    Tensor value = loss(x).sum();
    for (int order = 1; order <= 3 && value.requires_grad(); ++order) {
      value = autograd::grad({value}, {x}, {}, true, true, true)[0];
      if (!value.defined()) break;
      EXPECT_TRUE(value.isfinite().all().item()) << name << ", order " << order << ": " << value;
      value = value.sum();
    }
  }
}

}  // namespace
}  // namespace notape::testing
