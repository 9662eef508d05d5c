// Wrong in one way of differentiating or calling, right in the others.
#include "verify/mutate/mutant_test_helper.h"

namespace notape::verify {
namespace {

using Alarms = std::vector<std::string>;

constexpr auto kTanhRule = [](const Tensor& grad, const Output& y) {
  return grad * (1 - square(y));
};

template <typename D>
OpSpec tanh_derived_by(D wrong) {
  return unary_mutant(
      [=](const variable_list& x) { return with_derivative(wrong, plain_tanh, x[0]); }, plain_tanh);
}

TEST(ModeMutants, WrongForwardRuleIsCaughtByForwardModeAlone) {
  const auto mutant = tanh_derived_by(derivative(
      "Mutant",
      rule(kTanhRule, [](const Tensor& tangent, const Output& y) { return tangent * (1 - y); })));
  const auto certificates = verify_operator(mutant);
  EXPECT_EQ(alarms(certificates), Alarms{"forward-mode FAIL"});
  for (const Certificate& certificate : certificates)
    if (certificate.failure) {
      EXPECT_TRUE(certificate.failure->outcome.blame.starts_with("the forward rule"))
          << certificate.failure->outcome.blame;
    }
}

TEST(ModeMutants, WrongReverseRuleIsBlamedOnTheReverseRule) {
  const auto mutant = tanh_derived_by(derivative(
      "Mutant",
      rule([](const Tensor& grad, const Output& y) { return grad * (1 - y); }, kTanhRule)));
  const auto certificates = verify_operator(mutant);
  EXPECT_EQ(alarms(certificates), (Alarms{"reverse FAIL", "forward-mode FAIL"}));
  for (const Certificate& certificate : certificates)
    if (certificate.failure) {
      EXPECT_TRUE(certificate.failure->outcome.blame.starts_with("the reverse rule"))
          << certificate.failure->outcome.blame;
    }
}

TEST(ModeMutants, DetachedGradientIsCaughtBySecondOrderAlone) {
  const auto mutant =
      tanh_derived_by(derivative("Mutant", elementwise([](const Tensor& grad, const Output& y) {
                                   return grad * (1 - square(y)).detach();
                                 })));
  EXPECT_EQ(alarms(verify_operator(mutant)), Alarms{"second-order FAIL"});
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

TEST(ModeMutants, MissingFactorTwoAtSecondOrderIsCaughtBySecondOrderAlone) {
  // 1 - y^2 through a square of its own whose derivative is x instead of 2x.
  const auto mutant = tanh_derived_by(derivative(
      "Mutant", elementwise([](const Tensor& grad, const Output& y) {
        const auto half_square = derivative(
            "Half", elementwise([](const Tensor& outer, const Input<0>& x) { return outer * x; }));
        const auto wide_square = [](const WideList& x) {
          return plain_map([](Wide a) { return a * a; }, x[0]);
        };
        return grad * (1 - with_derivative(half_square, wide_square, y));
      })));
  EXPECT_EQ(alarms(verify_operator(mutant)), Alarms{"second-order FAIL"});
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

TEST(ModeMutants, RightInPlaceFormRaisesNoAlarm) {
  EXPECT_EQ(alarms(verify_operator(tanh_with_in_place([](variable_list& x) { tanh_(x[0]); }))),
            Alarms());
}

TEST(ModeMutants, InPlaceFormWithAnotherValueIsCaughtByInPlaceAlone) {
  const auto mutant = tanh_with_in_place([](variable_list& x) { square_(x[0]); });
  EXPECT_EQ(alarms(verify_operator(mutant)), Alarms{"in-place FAIL"});
}

TEST(ModeMutants, InPlaceFormOfTwoWritesIsCaughtByInPlaceAlone) {
  const auto mutant = tanh_with_in_place([](variable_list& x) {
    tanh_(x[0]);
    x[0].mul_(1);
  });
  EXPECT_EQ(alarms(verify_operator(mutant)), Alarms{"in-place REJECTED"});
}

TEST(ModeMutants, InPlaceFormWithoutGradientIsCaughtByInPlaceAlone) {
  const auto mutant = tanh_with_in_place([](variable_list& x) {
    const NoGradGuard no_grad;
    tanh_(x[0]);
  });
  EXPECT_EQ(alarms(verify_operator(mutant)), Alarms{"in-place FAIL"});
}

TEST(ModeMutants, RecordingUnderNoGradIsCaughtByNoGradAlone) {
  const auto mutant = unary_mutant(
      [](const variable_list& x) {
        const EnableGradGuard always;
        return tanh(x[0]);
      },
      plain_tanh);
  EXPECT_EQ(alarms(verify_operator(mutant)), Alarms{"no-grad FAIL"});
}

}  // namespace
}  // namespace notape::verify
