// Points at which slopes to both sides agree along every direction and there is no derivative; and
// float32 results on the other side of a kink than their reference.
#include <algorithm>
#include <cmath>

#include "verify/checks/structure_test_helper.h"
#include "verify/generate/drawn_case.h"

namespace notape::verify {
namespace {

using autograd::AutogradContext;
using autograd::Function;
using ::testing::HasSubstr;

/// What tied entries get of the gradient of an order statistic.
enum class Share { First, Equal, All, None };

/// The entry that `kPlace` others are above; what ties with it gets the gradient as `kShare` says.
template <int kPlace, Share kShare>
struct OrderStatistic : Function<OrderStatistic<kPlace, kShare>> {
  static Tensor forward(AutogradContext* ctx, const Tensor& x) {
    ctx->save_for_backward({x});
    auto values = numbers_of(x);
    if (values.size() <= kPlace) return x.sum() * 0;
    std::sort(values.rbegin(), values.rend());
    return make_tensor({values[kPlace]}, {}, x.dtype());
  }
  static variable_list backward(AutogradContext* ctx, variable_list grads) {
    const Tensor x = ctx->get_saved_variables()[0];
    auto values = numbers_of(x), sorted = values;
    if (values.size() <= kPlace) return {zeros_like(x)};
    std::sort(sorted.rbegin(), sorted.rend());
    const double here = sorted[kPlace];
    const auto tied = static_cast<double>(std::count(values.begin(), values.end(), here));
    bool first = true;
    for (double& value : values) {
      const bool is_tied = value == here;
      value = !is_tied                 ? 0
              : kShare == Share::Equal ? 1 / tied
              : kShare == Share::All   ? 1
              : kShare == Share::None  ? 0
                                       : static_cast<double>(first);
      first = first && !is_tied;
    }
    return {grads[0] * make_tensor(values, x.sizes().vec(), x.dtype())};
  }
};
template <int kPlace, Share kShare>
Report check_order_statistic(std::vector<double> values, uint64_t seed) {
  const auto count = static_cast<int64_t>(values.size());
  CheckOptions options = first_order();
  options.seed = seed;
  return check([](const Tensor& x) { return OrderStatistic<kPlace, kShare>::apply(x); },
               {leaf(values, {count})}, options);
}

/// Whether `reverse` found the point out; it does not ask where the gradient meets every slope.
bool is_undeclared(const Report& report) {
  EXPECT_FALSE(is_red(report.verdict())) << report.text();
  EXPECT_FALSE(report.proven()) << report.text();
  return report.only("reverse").verdict() == Verdict::Kink &&
         report.only("reverse").findings.at(0).detail == "undeclared";
}

TEST(Additive, ATripleTieInTheMiddleHasNoDerivative) {
  const std::vector<double> median = {1, 2, 2, 2, 5, 0, 3}, second = {5, 5, 5, 3, 1};
  int found = 0;
  for (uint64_t seed = 1; seed <= 6; ++seed)
    for (const Report& report : {check_order_statistic<3, Share::First>(median, seed),
                                 check_order_statistic<3, Share::Equal>(median, seed),
                                 check_order_statistic<1, Share::First>(second, seed),
                                 check_order_statistic<1, Share::Equal>(second, seed)})
      found += is_undeclared(report);
  EXPECT_GT(found, 12);
}

TEST(Additive, WhatTheTiedEntriesGetMustStillAddUp) {
  for (uint64_t seed = 1; seed <= 3; ++seed) {
    for (const Report& report : {check_order_statistic<3, Share::All>({1, 2, 2, 2, 5, 0, 3}, seed),
                                 check_order_statistic<3, Share::None>({1, 2, 2, 2, 5, 0, 3}, seed),
                                 check_order_statistic<1, Share::All>({5, 5, 5, 3, 1}, seed)})
      EXPECT_THAT(verdict_on(report), ::testing::StartsWith("ties FAIL ")) << report.text();
  }
}

TEST(Additive, AWrongSlopeElsewhereIsSeenBesideIt) {
  const auto forgets_squares = [](const Tensor& x) {
    return OrderStatistic<3, Share::First>::apply(x) + (x * x).detach().sum();
  };
  const Report report = check(forgets_squares, {leaf({1, 2, 2, 2, 5, 0, 3}, {7})}, first_order());
  EXPECT_EQ(report.only("reverse").verdict(), Verdict::Fail) << report.text();
}

TEST(Additive, EqualEntriesOfASmoothFunctionExcuseNothing) {
  const Report report =
      check_rules(sine_off_by(1.01), leaf({0.5, 0.5, 0.5, 0, 0, 1}, {6}), {.order = 1});
  EXPECT_EQ(report.only("reverse").verdict(), Verdict::Fail) << report.text();
}

/// x min(1, 1 / |x|)
template <bool kDetached>
struct Clipped : Function<Clipped<kDetached>> {
  static Tensor forward(AutogradContext* ctx, const Tensor& x) {
    ctx->save_for_backward({x});
    const Tensor size = sqrt((x * x).sum());
    return where(size > 1, x / size, x);
  }
  static variable_list backward(AutogradContext* ctx, variable_list grads) {
    const Tensor x = ctx->get_saved_variables()[0], v = grads[0];
    const Tensor size = sqrt((x * x).sum());
    const Tensor along = kDetached ? zeros_like(x) : x * (x * v).sum() / (size * size * size);
    return {where(size > 1, v / size - along, v)};
  }
};

/// Three entries whose float32 norm is exactly 1, where in float64 it is a little more.
Tensor almost_outside(uint64_t seed) {
  for (uint32_t k = 0;; ++k) {
    const auto drawn = [&](std::size_t i) {
      return keyed_bits(static_cast<uint32_t>(seed), k, i) * 0x1p-33 + 0.25;
    };
    const auto a = static_cast<float>(drawn(0)), b = static_cast<float>(drawn(1));
    const auto c = static_cast<float>(std::sqrt(std::max(0.0, 1 - double(a) * a - double(b) * b)));
    const double size = std::sqrt(double(a) * a + double(b) * b + double(c) * c);
    const Tensor x = leaf({a, b, c}, {3}, kFloat32);
    if (size > 1 && !(numbers_of(sqrt((x.detach() * x.detach()).sum()))[0] > 1)) return x;
  }
}

TEST(Neighbours, AFloat32NormThatRoundsToTheOtherSideOfAKinkIsRight) {
  for (uint64_t seed = 1; seed <= 5; ++seed) {
    const Tensor x = almost_outside(seed);
    const Report right =
        check([](const Tensor& at) { return Clipped<false>::apply(at); }, {x}, first_order());
    EXPECT_FALSE(is_red(right.verdict())) << right.text();
    const Tensor outside = (x.detach() * 1.5).requires_grad_(true);
    const Report wrong =
        check([](const Tensor& at) { return Clipped<true>::apply(at); }, {outside}, first_order());
    EXPECT_EQ(wrong.only("reverse").verdict(), Verdict::Fail) << wrong.text();
  }
}

}  // namespace
}  // namespace notape::verify
