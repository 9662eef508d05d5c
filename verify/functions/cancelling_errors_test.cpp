// Errors that might cancel each other, or be small beside larger ones.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "verify/functions/gradcheck_test_helper.h"
#include "verify/numeric/direction.h"

namespace notape::verify {
namespace {

TEST(Directions, HaveStepsOfTheirOwnForEqualEntries) {
  DrawnCase drawn;
  drawn.key = 7;
  DrawnArgument& argument = drawn.arguments.emplace_back();
  argument.argument.sizes = {64};
  argument.values.assign(64, 2.5);
  for (uint32_t stream = 0; stream < 20; ++stream) {
    const Numbers u = make_direction(drawn, Scaling::Entry, stream).parts[0];
    Numbers sizes;
    for (double step : u) {
      sizes.push_back(std::abs(step));
      EXPECT_GE(sizes.back(), 1);  // times 2, the power of two below 2.5
      EXPECT_LT(sizes.back(), 2);
      EXPECT_EQ(std::ldexp(step, 19), std::round(std::ldexp(step, 19))) << "20 bits";
    }
    std::sort(sizes.begin(), sizes.end());
    EXPECT_EQ(std::adjacent_find(sizes.begin(), sizes.end()), sizes.end());
  }
}

TEST(CancellingErrors, OfTwoEqualEntriesAreFound) {
  // As many entries as are not looked at one by one; two are wrong by the same amount.
  const auto wrong_twice = Rules{[](const Tensor& x) { return square(x).sum(); },
                                 [](const Tensor& x, const Tensor& grad) {
                                   Tensor result = 2 * x * grad;
                                   result.slice(0, 5, 7).neg_();
                                   return result;
                                 }};
  for (uint64_t seed = 1; seed <= 40; ++seed) {
    const Report report = check_rules(wrong_twice, leaf({2, 2, 2, 2, 2, 2, 2, 2}, {8}),
                                      {.order = 1, .forward_mode = false, .seed = seed});
    EXPECT_EQ(report.verdict(), Verdict::Fail) << seed;
  }
}

TEST(CancellingErrors, OfTheFewestTiesAreFound) {
  // Of each row's maximum all get the gradient; larger groups of equal entries get none at all.
  const auto all_tied = Rules{[](const Tensor& x) { return std::get<0>(max(x, 1)); },
                              [](const Tensor& x, const Tensor& grad) {
                                const Tensor top = std::get<0>(max(x, 1, true));
                                return grad.unsqueeze(1) * (x == top).to(x.dtype());
                              }};
  const Tensor x = leaf({1, 2, 3, 4, 9, 1, 2, 3, 4, 9, 1, 2, 3, 4, 8, 1, 2, 3, 4, 9}, {2, 10});
  const Report report = check_rules(all_tied, x, {.order = 1, .forward_mode = false});
  EXPECT_TRUE(is_red(report.verdict())) << report.text();
}

TEST(CancellingErrors, AMissingGradientThatIsSmallBesideOthersIsNoZero) {
  // d/dy of a hypotenuse whose y is at most a hundredth of x.
  const Tensor x = leaf(
      {-2812855.737, 93531564.64, 6.3318580034e-05, -77089.4239, -0.010335036782, 0.000217485697},
      {6});
  const Tensor y = leaf({-1.99679965, -92.674725824, -3.8448601804e-07, 2.4820440468e-06,
                         6.5615737623e-08, -1.3886874338e-07},
                        {6});
  const auto by_x_only = [](const variable_list& in) -> variable_list {
    struct Hypotenuse : autograd::Function<Hypotenuse> {
      static Tensor forward(autograd::AutogradContext* ctx, const Tensor& a, const Tensor& b) {
        ctx->save_for_backward({a, b});
        return sqrt(square(a) + square(b));
      }
      static variable_list backward(autograd::AutogradContext* ctx, variable_list grads) {
        const variable_list saved = ctx->get_saved_variables();
        return {grads[0] * saved[0] / sqrt(square(saved[0]) + square(saved[1])), Tensor()};
      }
    };
    return {Hypotenuse::apply(in[0], in[1])};
  };
  for (uint64_t seed = 50; seed < 60; ++seed) {
    const Report report =
        check(by_x_only, {x, y}, {.order = 1, .forward_mode = false, .seed = seed});
    EXPECT_FALSE(report.ok()) << seed << report.text();
  }
}

}  // namespace
}  // namespace notape::verify
