// Wrong in one way of differentiating or calling, right in the others.
#include "verify/mutate/mutant_test_helper.h"

namespace notape::verify {
namespace {

using ::testing::ElementsAre;
using Alarms = std::vector<std::string>;

constexpr auto kTanhRule = [](const Tensor& grad, const Output& y) {
  return grad * (1 - square(y));
};

template <typename D>
OpSpec tanh_derived_by(D wrong) {
  return unary_mutant(
      [=](const variable_list& x) { return with_derivative(wrong, plain_tanh, x[0]); }, plain_tanh);
}

TEST(ModeMutants, AWrongRuleIsCaughtAndBlamedBesideARightOneOfTheOtherMode) {
  const auto wrong = [](const Tensor& grad, const Output& y) { return grad * (1 - y); };
  const struct {
    OpSpec mutant;
    Alarms found;
    const char* blamed;
  } rows[] = {{tanh_derived_by(derivative("Mutant", rule(kTanhRule, wrong))),
               {"forward-mode FAIL"},
               "the forward rule"},
              {tanh_derived_by(derivative("Mutant", rule(wrong, kTanhRule))),
               {"reverse FAIL", "forward-mode FAIL"},
               "the reverse rule"}};
  for (const auto& [mutant, found, blamed] : rows) {
    const auto certificates = verify_operator(mutant);
    EXPECT_EQ(alarms(certificates), found);
    for (const Certificate& certificate : certificates)
      if (certificate.failure) {
        EXPECT_THAT(certificate.failure->outcome.blame, ::testing::StartsWith(blamed));
      }
  }
}

TEST(ModeMutants, GradientOutsideTheGraphIsCaughtBySecondOrderAlone) {
  const auto mutant =
      tanh_derived_by(derivative("Mutant", elementwise([](const Tensor& grad, const Output& y) {
                                   const NoGradGuard no_grad;
                                   return grad * (1 - square(y));
                                 })));
  const auto certificates = verify_operator(mutant);
  EXPECT_EQ(alarms(certificates), Alarms{"second-order FAIL"});
  for (const Certificate& certificate : certificates)
    if (certificate.failure) {
      EXPECT_EQ(certificate.failure->outcome.reason, "detached");
    }
}

TEST(ModeMutants, DeclaredFirstOrderIsALimitNotAFailure) {
  OpSpec limited = tanh_derived_by(derivative("Right", elementwise(kTanhRule)));
  limited.order = 1;
  for (const Certificate& certificate : verify_operator(limited)) {
    const std::string_view check = certificate.check;
    const bool beyond = check == "second-order" || check == "third-order";
    EXPECT_EQ(certificate.verdict, beyond ? Verdict::Limit : Verdict::Pass) << check;
  }
}

/// Right, with `in_place` as its in-place form.
OpSpec tanh_with_in_place(std::function<void(variable_list&)> in_place) {
  return {.name = "mutant", .family = "elementwise", .draw = [=](Draw& draw) {
            OpCase one;
            one.arguments = {{.sizes = draw.shape(0, 3)}};
            one.call = [](const variable_list& x) { return tanh(x[0]); };
            one.call_in_place = in_place;
            one.reference = plain_tanh;
            return one;
          }};
}

/// 1 - y^2 through a square of its own whose derivative is x instead of 2x.
Tensor times_slope_with_half_a_derivative(const Tensor& grad, const Output& y) {
  const auto half_square = derivative(
      "Half", elementwise([](const Tensor& outer, const Input<0>& x) { return outer * x; }));
  const auto wide_square = [](const WideList& x) {
    return plain_map([](Wide a) { return a * a; }, x[0]);
  };
  return grad * (1 - with_derivative(half_square, wide_square, y));
}

TEST(ModeMutants, AreCaughtByTheCheckOfThatModeAlone) {
  const auto by_second_order = ElementsAre("second-order FAIL"),
             by_in_place = ElementsAre("in-place FAIL");
  expect_alarms(
      {{"detached gradient",
        tanh_derived_by(derivative("Mutant", elementwise([](const Tensor& grad, const Output& y) {
                                     return grad * (1 - square(y)).detach();
                                   }))),
        by_second_order},
       {"missing factor two at second order",
        tanh_derived_by(derivative("Mutant", elementwise([](const Tensor& grad, const Output& y) {
                                     return times_slope_with_half_a_derivative(grad, y);
                                   }))),
        by_second_order},
       {"right in-place form", tanh_with_in_place([](variable_list& x) { tanh_(x[0]); }),
        ::testing::IsEmpty()},
       {"in-place form with another value",
        tanh_with_in_place([](variable_list& x) { square_(x[0]); }), by_in_place},
       {"in-place form of two writes", tanh_with_in_place([](variable_list& x) {
          tanh_(x[0]);
          x[0].mul_(1);
        }),
        ElementsAre("in-place REJECTED")},
       {"in-place form without gradient", tanh_with_in_place([](variable_list& x) {
          const NoGradGuard no_grad;
          tanh_(x[0]);
        }),
        by_in_place},
       {"recording under no-grad",
        unary_mutant(
            [](const variable_list& x) {
              const EnableGradGuard always;
              return tanh(x[0]);
            },
            plain_tanh),
        ElementsAre("no-grad FAIL")}});
}

}  // namespace
}  // namespace notape::verify
