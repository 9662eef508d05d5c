#include "verify/taylor.h"

#include <gmock/gmock.h>

#include <cmath>

#include "autograd/autograd.h"
#include "ops/ops.h"
#include "verify/generate/drawn_case.h"

namespace notape::verify {
namespace {

using ::testing::HasSubstr;

/// Entries in [-size, size], the same on every run.
Tensor parameter(std::vector<int64_t> sizes, uint32_t key, double size = 1) {
  Numbers values(1);
  for (int64_t one : sizes) values.resize(values.size() * static_cast<std::size_t>(one));
  for (std::size_t i = 0; i < values.size(); ++i)
    values[i] = size * (keyed_bits(key, 1, i) * 0x1p-31 - 1);
  return make_tensor(values, sizes, kFloat64).requires_grad_(true);
}

/// The network of the 2019 paper's Listing 1 on four images, its loss in float64.
Tensor listing1_loss(const variable_list& w) {
  const Tensor images = parameter({4, 1, 8, 8}, 99).detach();
  const Tensor labels = make_tensor({3, 1, 4, 1}, {4}, kInt64);
  const Tensor features = relu(conv2d(images, w[0], w[1])).flatten(1);
  return cross_entropy(features.matmul(w[2]) + w[3], labels);
}
variable_list listing1_weights() {
  return {parameter({6, 1, 3, 3}, 1), parameter({6}, 2), parameter({6 * 36, 10}, 3, 0.1),
          parameter({10}, 4)};
}

struct TooSteep : autograd::Function<TooSteep> {
  static Tensor forward(autograd::AutogradContext*, const Tensor& x) { return x.clone(); }
  static variable_list backward(autograd::AutogradContext*, variable_list grads) {
    return {grads[0] * (1 + 1e-5)};
  }
};

TEST(TaylorSlope, OfARightGradientIsTwo) {
  const auto report =
      taylor_slope([](const variable_list& x) { return (tanh(x[0]) * exp(x[1])).sum(); },
                   {parameter({3, 4}, 5), parameter({4}, 6)});
  EXPECT_EQ(report.verdict, Verdict::Pass) << report.text();
  EXPECT_NEAR(report.slope, 2, 0.1) << report.text();
  EXPECT_THAT(report.text(), HasSubstr("4.0"));
}

TEST(TaylorSlope, OfAGradientThatIsWrongInTheFifthDigitIsOne) {
  const auto report =
      taylor_slope([](const variable_list& x) { return TooSteep::apply(tanh(x[0])).sum(); },
                   {parameter({3, 4}, 5)});
  EXPECT_EQ(report.verdict, Verdict::Fail) << report.text();
  EXPECT_NEAR(report.slope, 1, 0.2) << report.text();
}

/// The remainder falls with h down to the distance of the kink, and is gone there.
TEST(TaylorSlope, OfAKinkNearbyDoesNotDecide) {
  for (const double distance : {1e-5, 3e-7}) {
    const Tensor x = make_tensor({-distance}, {1}, kFloat64).requires_grad_(true);
    const auto kinked = [&](double wrong) {
      return taylor_slope(
          [=](const variable_list& in) {
            return (relu(in[0]) + relu(-in[0] - 2 * distance) + in[0] * (1 + wrong) -
                    in[0].detach() * wrong + 1)
                .sum();
          },
          {x});
    };
    EXPECT_THAT(kinked(0).verdict, ::testing::AnyOf(Verdict::Unresolved, Verdict::Pass))
        << kinked(0).text();
    EXPECT_EQ(kinked(1e-3).verdict, Verdict::Fail) << kinked(1e-3).text();
  }
}

TEST(TaylorSlope, OfListing1sNetworkIsTwo) {
  const auto report = taylor_slope(listing1_loss, listing1_weights());
  EXPECT_EQ(report.verdict, Verdict::Pass) << report.text();
  EXPECT_GE(report.slope, 1.9) << report.text();
}

TEST(TaylorSlope, SeesOneLayerOfListing1WithoutItsGradient) {
  const auto report = taylor_slope(
      [](variable_list w) {
        w[3] = w[3].detach();
        return listing1_loss(w);
      },
      listing1_weights());
  EXPECT_EQ(report.verdict, Verdict::Fail) << report.text();
}

TEST(TaylorSlope, OfALinearFunctionHasNoRemainder) {
  const auto report =
      taylor_slope([](const variable_list& x) { return x[0].sum(); }, {parameter({5}, 8)});
  EXPECT_EQ(report.verdict, Verdict::Pass) << report.text();
  EXPECT_TRUE(std::isinf(report.slope));
}

TEST(TaylorSlope, LeavesGradAndInputsAlone) {
  const Tensor x = parameter({3}, 9);
  const Numbers before = numbers_of(x);
  taylor_slope([](const variable_list& in) { return exp(in[0]).sum(); }, {x});
  EXPECT_EQ(numbers_of(x), before);
  EXPECT_FALSE(x.grad().defined());
}

TEST(TaylorSlope, SaysWhatIsMissing) {
  const auto sum = [](const variable_list& x) { return x[0].sum(); };
  EXPECT_THROW(taylor_slope(sum, {parameter({3}, 1).detach()}), ValueError);
  EXPECT_THROW(taylor_slope([](const variable_list& x) { return exp(x[0]); }, {parameter({3}, 1)}),
               ValueError);
  EXPECT_EQ(taylor_slope(sum, {parameter({0}, 1)}).verdict, Verdict::Vacuous);
  const auto outside = [](const variable_list& x) { return log(x[0]).sum(); };
  const Tensor negative = make_tensor({-1}, {1}, kFloat64).requires_grad_(true);
  EXPECT_EQ(taylor_slope(outside, {negative}).verdict, Verdict::Nonfinite);
}

}  // namespace
}  // namespace notape::verify
