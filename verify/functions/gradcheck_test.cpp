// check() and gradcheck() on right functions, which pass with their power stated, and on functions
// wrong in the ways of the field, which get the right red verdict.
#include "verify/functions/gradcheck_test_helper.h"

#include <cmath>

namespace notape::verify {
namespace {

using autograd::AutogradContext;
using ::testing::HasSubstr;

TEST(Gradcheck, RightFunctionsPassWithTheirPowerStated) {
  const Report report = check([](const Tensor& x) { return x * sigmoid(x); }, {x23()});
  expect_pass(report);
  EXPECT_THAT(report.text(), HasSubstr("would have been seen"));
  expect_pass(check([](const Tensor& x) { return relu(1 - x); }, {x23()}));
  expect_pass(check([](const Tensor& x) { return x.pow(3).sum(1) / x.exp().sum(1); }, {x23()}));
  expect_pass(check([](const Tensor& x) { return log_softmax(x, 1); }, {x23()}));
  expect_pass(check([](const Tensor& x) { return rsqrt(x * x + 1e-5); }, {x23()}));
  expect_pass(check_rules(sine_off_by(1)));
}

TEST(Gradcheck, SeveralInputsAndOutputsAndConstantsAreTakenAsTheyAre) {
  const Tensor w = leaf({0.5, -0.25, 1.5, 2, 0.1, -1}, {3, 2});
  const Tensor mask = tensor({1.0, 0.0, 1.0, 1.0}).reshape({2, 2}) > 0.5;
  const Tensor rows = tensor({1.0, 0.0, 1.0}).to(kInt64);
  const auto f = [](const variable_list& x) {
    const Tensor y = tanh(mm(x[0], x[1]));
    return variable_list{where(x[2], y, y * 2), y.index_select(0, x[3]).sum(), x[3]};
  };
  expect_pass(check(f, {x23(), w, mask, rows}));
  EXPECT_FALSE(rows.requires_grad());
}

TEST(Gradcheck, NoncontiguousAndFloat32InputsAreCheckedAsWhatTheyAre) {
  const Tensor strided = x23().detach().t().requires_grad_(true);
  expect_pass(check([](const Tensor& x) { return x * sigmoid(x); }, {strided}));
  const Tensor x = leaf({0.5, -1.25, 2}, {3}, kFloat32);
  const Tensor float32_constant = tensor({2.0, 3.0, 4.0}).to(kFloat32);
  const auto dot_with = [](const Tensor& a, const Tensor& b) { return dot(tanh(a), b); };
  expect_pass(check(dot_with, {x, float32_constant}), 1e-4);
  expect_fail(check_rules(sine_off_by(1.001), x), "reverse", "gradient of argument 0");
}

TEST(Gradcheck, AFunctionOfFloat32OnlyIsUndecidedAndTheTextSaysWhatToDo) {
  const Tensor captured = tensor({2.0, 3.0, 4.0}).to(kFloat32);
  const Report report = check([=](const Tensor& x) { return dot(tanh(x), captured); },
                              {leaf({0.5, -1.25, 2}, {3}, kFloat32)});
  EXPECT_EQ(report.verdict(), Verdict::Unresolved) << report.text();
  EXPECT_THAT(report.text(), HasSubstr("hand the float32 tensors it captures over as inputs"));
}

TEST(Gradcheck, AnErrorOfTenToTheMinusNineIsFoundAndBlamed) {
  expect_fail(check_rules(sine_off_by(1.0009)), "reverse", "the reverse rule");
  expect_fail(check_rules(sine_off_by(1 + 1e-7)), "reverse", "gradient of argument 0");
  expect_fail(check_rules(sine_off_by(1 + 1e-9)), "reverse", "gradient of argument 0");
}

TEST(Gradcheck, ErrorsTwiceAsLargeAsTheStatedPowerAreAlwaysFound) {
  for (uint64_t seed = 1; seed <= 5; ++seed) {
    const CheckOptions options{.order = 1, .seed = seed};
    const double power = check_rules(sine_off_by(1), x23(), options).detectable();
    EXPECT_LT(power, 1e-9);
    for (double times : {2.0, -2.0, 8.0, -8.0})
      expect_fail(check_rules(sine_off_by(1 + times * power), x23(), options), "reverse",
                  "gradient of argument 0");
  }
}

TEST(Gradcheck, WithAReferenceTheValueIsJudgedAndThePowerGrows) {
  CheckOptions options{.reference = [](const WideList& x) {
    WideTensor y = x[0];
    for (Wide& entry : y.values) entry = entry * entry * entry;
    return y;
  }};
  // (of the second order's worst entry)
  expect_pass(check([](const Tensor& x) { return x * x * x; }, {x23()}, options), 4e-12);
  expect_fail(check([](const Tensor& x) { return x * x * x * (1 + 1e-12); }, {x23()}, options),
              "value", "output");
}

TEST(Gradcheck, AZeroForATenToTheMinusFiveIsFound) {
  // The slope of the second entry is 1e-5, and lost.
  const Tensor scale = tensor({1.0, 1e-5, 2.0}, dtype(kFloat64));
  const Tensor wrong = tensor({1.0, 0.0, 2.0}, dtype(kFloat64));
  expect_fail(
      check_rules({[=](const Tensor& x) { return sin(x) * scale; },
                   [=](const Tensor& x, const Tensor& grad) { return grad * cos(x) * wrong; }},
                  leaf({0.25, 0.75, 1.5}, {3})),
      "reverse", "gradient of argument 0 at [1]");
}

TEST(Gradcheck, OneEntryOfAThousandIsFound) {
  const Tensor x = (arange(1000).to(kFloat64) * 0.001 + 0.5).detach().requires_grad_(true);
  const Tensor mask =
      where(arange(1000) == 617, zeros({1000}, dtype(kFloat64)), ones({1000}, dtype(kFloat64)));
  // The power is that of the entry with the smallest slope, among a thousand in one sum.
  expect_pass(check_rules(sine_off_by(1), x, {.samples = 1}), 1e-7);
  expect_fail(
      check_rules(sine([=](const Tensor& at, const Tensor& grad) { return grad * cos(at) * mask; }),
                  x, {.order = 1, .samples = 1}),
      "reverse", "gradient of argument 0 at [617]");
}

TEST(Gradcheck, ForgottenTermsAndFloat32ArithmeticAreFound) {
  const Rules no_epsilon{
      [](const Tensor& x) { return rsqrt(x + 1e-5); },
      [](const Tensor& x, const Tensor& grad) { return grad * -0.5 * x.pow(-1.5); }};
  expect_fail(check_rules(no_epsilon, leaf({0.5, 2, 9}, {3})), "reverse", "gradient of argument 0");
  const Rules in_float32 = sine(
      [](const Tensor& x, const Tensor& grad) { return grad * cos(x.to(kFloat32)).to(x.dtype()); });
  expect_fail(check_rules(in_float32), "reverse", "gradient of argument 0");
}

TEST(Gradcheck, ASilentlyDetachedGradientIsFoundByTheSecondOrder) {
  const Rules rules =
      sine([](const Tensor& x, const Tensor& grad) { return grad * cos(x.detach()); });
  EXPECT_TRUE(check_rules(rules, x23(), {.order = 1}).ok());
  expect_fail(check_rules(rules), "second-order", "second");
}

TEST(Gradcheck, AThirdDerivativeThatIsSilentlyZeroIsFound) {
  const CheckOptions options{.order = 3};
  expect_pass(check([](const Tensor& x) { return sin(x) * x; }, {x23()}, options));
  // cos(x) with its own slope, which is a constant to whoever differentiates it.
  const Rules linear = sine([](const Tensor& x, const Tensor& grad) {
    const Tensor here = x.detach();
    return grad * (cos(here) - (x - here) * sin(here));
  });
  const Report report = check_rules(linear, x23(), options);
  expect_fail(report, "third-order", "third directional derivative");
  EXPECT_TRUE(report.only("second-order").ok()) << report.text();
}

TEST(Gradcheck, OptionsThatMakeNoSenseAreNamed) {
  const auto message = [](const CheckOptions& options) -> std::string {
    try {
      check([](const Tensor& x) { return sin(x); }, {x23()}, options);
    } catch (const ValueError& error) {
      return error.what();
    }
    return "";
  };
  EXPECT_THAT(message({.order = 0}), HasSubstr("order = 0"));
  EXPECT_THAT(message({.samples = 0}), HasSubstr("samples = 0"));
  EXPECT_THAT(message({.rtol = -1}), HasSubstr("rtol = -1"));
  EXPECT_THROW(check([](const Tensor& a, const Tensor& b) { return a * b; }, {x23()}), ValueError);
}

TEST(Gradcheck, AFailureHasNoPower) {
  EXPECT_TRUE(std::isinf(check_rules(sine_off_by(1.5)).detectable()));
}

TEST(Gradcheck, AWrongForwardRuleIsBlamed) {
  Rules rules = sine_off_by(1);
  rules.jvp = [](const Tensor& x, const Tensor& tangent) { return tangent * sin(x); };
  const Report report = check_rules(rules);
  expect_fail(report, "forward-mode", "the forward rule");
  EXPECT_TRUE(report.only("reverse").ok());
}

TEST(Gradcheck, AFunctionWithoutForwardRuleIsSaidToHaveNone) {
  struct ReverseOnly : autograd::Function<ReverseOnly> {
    static Tensor forward(AutogradContext* ctx, const Tensor& x) {
      ctx->save_for_backward({x});
      return sin(x);
    }
    static variable_list backward(AutogradContext* ctx, variable_list grads) {
      return {grads[0] * cos(ctx->get_saved_variables()[0])};
    }
  };
  const Report report = check([](const Tensor& x) { return ReverseOnly::apply(x); }, {x23()});
  EXPECT_TRUE(report.ok()) << report.text();
  EXPECT_FALSE(report.proven());
  EXPECT_THAT(report.text(), HasSubstr("not there  forward-mode"));
}

TEST(Gradcheck, WritingIntoTheIncomingGradientHarmsNobody) {
  // A function gets a gradient of its own, and what it does to it nobody else sees.
  const Report own = check_rules(sine([](const Tensor& x, Tensor grad) {
                                   const Tensor result = grad * cos(x);
                                   grad.data_ptr<double>()[0] = 7;
                                   return result;
                                 }),
                                 x23(), {.order = 1});
  EXPECT_TRUE(own.ok()) << own.text();
  // What it saved is not its own, and is found written to.
  const Report report = check_rules(
      sine([](Tensor x, const Tensor& grad) { return grad * cos(x.detach().add_(1) - 1); }));
  EXPECT_TRUE(is_red(report.verdict())) << report.text();
}

TEST(Gradcheck, UnequalBitsAreNondeterministicAndNothingElse) {
  const Report report =
      check([](const Tensor& x) { return x * (1 + 1e-9 * rand_like(x)); }, {x23()});
  EXPECT_EQ(report.verdict(), Verdict::Nondeterministic) << report.text();
  EXPECT_EQ(report.findings.size(), 1u);
  EXPECT_THAT(report.text(), HasSubstr("equal calls give different bits"));
}

TEST(Gradcheck, OnAKinkAnySlopeBetweenBothSidesMayStandAndNoOther) {
  const Tensor x = leaf({0, 1.5, 0, -2}, {4});
  const auto relu_with = [](double at_zero) {
    return Rules{[](const Tensor& t) { return relu(t); },
                 [=](const Tensor& t, const Tensor& grad) {
                   return grad * where(t == 0, full_like(t, at_zero), (t > 0).to(t.dtype()));
                 }};
  };
  for (double inside : {0.0, 0.5, 1.0}) {
    const Report report = check_rules(relu_with(inside), x);
    EXPECT_EQ(report.verdict(), Verdict::Kink) << inside << report.text();
    EXPECT_TRUE(report.ok());
  }
  for (double outside : {-0.5, 1.5})
    expect_fail(check_rules(relu_with(outside), x), "reverse", "this point is on a kink");
  // Beside the kink it must be the slope.
  expect_pass(check_rules(relu_with(7), leaf({1e-3, -1e-3, 2}, {3})), 1e-8);
}

TEST(Gradcheck, WithAReferenceItIsTheSameOnAKink) {
  const auto hinge = []<typename T>(T a) { return math::max(a - T(0.75), T(0)); };
  const CheckOptions options{.reference = elementwise_reference(hinge)};
  const Tensor on_kink = leaf({0.5, -1.5, 0.75, 2}, {4});
  const Report report = check([](const Tensor& x) { return relu(x - 0.75); }, {on_kink}, options);
  EXPECT_EQ(report.verdict(), Verdict::Kink) << report.text();
  EXPECT_THAT(report.text(), HasSubstr("is on an undeclared kink or jump"));
  const auto with_slope = [&](double slope) {
    return check_rules({[](const Tensor& x) { return relu(x - 0.75); },
                        [=](const Tensor& x, const Tensor& grad) {
                          return where(x > 0.75, grad, where(x < 0.75, 0, grad * slope));
                        }},
                       on_kink, options);
  };
  EXPECT_EQ(with_slope(1).verdict(), Verdict::Kink);
  EXPECT_EQ(with_slope(-0.5).verdict(), Verdict::Fail);
  EXPECT_EQ(with_slope(1.5).verdict(), Verdict::Fail);
}

TEST(Gradcheck, AJumpHasNoDerivative) {
  expect_fail(
      check([](const Tensor& x) { return where(x >= 1, x + 1, x); }, {leaf({1.0, 0.5}, {2})}),
      "reverse", "the value jumps");
}

TEST(Gradcheck, AKinkIsCheckedAgainstItsConvention) {
  const auto hinge = [](const Tensor& x) { return relu(1 - x); };
  const Tensor one = leaf({1}, {1});
  EXPECT_EQ(check_kink(hinge, one, 0).verdict(), Verdict::Kink);
  EXPECT_THAT(check_kink(hinge, one, -1).text(), HasSubstr("is not the declared one"));
  EXPECT_THAT(check_kink(hinge, one, 0.5).text(), HasSubstr("is not between the slopes"));
  EXPECT_THAT(check_kink(hinge, leaf({0.75}, {1}), 0).text(), HasSubstr("smooth"));
  EXPECT_THROW(check_kink(hinge, x23(), 0), ValueError);
}

TEST(Gradcheck, TheSameErrorPassesUnderAnOverrideWhichTheReportPrints) {
  const Report report =
      check_rules(sine_off_by(1 + 1e-7), x23(), {.order = 1, .forward_mode = false, .rtol = 1e-6});
  EXPECT_TRUE(report.ok()) << report.text();
  EXPECT_THAT(report.text(), HasSubstr("tolerance overridden"));
}

TEST(Gradcheck, WhatCancelsTooMuchIsUndecidedUntilAToleranceIsGiven) {
  // (1 - cos x) / x^2 near 0 loses half of its digits.
  const auto f = [](const Tensor& x) { return (1 - cos(x)) / (x * x); };
  const Tensor x = leaf({1e-3, 2e-3, -1.5e-3}, {3});
  const Report report = check(f, {x});
  EXPECT_EQ(report.verdict(), Verdict::Unresolved) << report.text();
  EXPECT_FALSE(report.ok());
  // Its second order has lost all digits but three or four: no tolerance of 1e-3 decides that.
  const Report tolerant = check(f, {x}, {.order = 1, .rtol = 1e-3});
  EXPECT_TRUE(tolerant.ok()) << tolerant.text();
}

TEST(Gradcheck, NothingToCheckIsVacuousOrAnError) {
  EXPECT_EQ(check([](const Tensor& x) { return sin(x); }, {leaf({}, {0})}).verdict(),
            Verdict::Vacuous);
  EXPECT_EQ(check([](const Tensor&) { return ones({2}, dtype(kFloat64)); }, {x23()})
                .only("reverse")
                .verdict(),
            Verdict::Vacuous);
  EXPECT_EQ(Report{}.verdict(), Verdict::Vacuous);
  const auto f = [](const Tensor& x) { return sin(x); };
  EXPECT_THROW(check(f, {x23().detach()}), ValueError);
  EXPECT_THROW(check([](const Tensor& x) { return x > 0; }, {x23()}), ValueError);
  EXPECT_THROW(check([](const Tensor& x, const Tensor& y) { return x.sum() + y.sum(); },
                     {x23(), leaf({1}, {1}, kFloat32)}),
               ValueError);
}

TEST(Gradcheck, InputsAreLeftAsTheyWere) {
  const Tensor x = x23();
  const auto version = x._version();
  check([](const Tensor& at) { return sin(at); }, {x});
  EXPECT_FALSE(x.grad().defined());
  EXPECT_EQ(x._version(), version);
}

TEST(Gradcheck, LibTorchsNamesThrowOrReturn) {
  const auto right = [](const Tensor& x) { return sin(x); };
  EXPECT_TRUE(gradcheck(right, {x23()}));
  EXPECT_TRUE(gradgradcheck(right, {x23()}, {.check_forward_ad = true}));
  const Rules rules = sine_off_by(1.01);
  current = &rules;
  const auto wrong = [](const Tensor& x) { return Ruled::apply(x); };
  EXPECT_THROW(gradcheck(wrong, {x23()}), GradcheckError);
  EXPECT_FALSE(gradcheck(wrong, {x23()}, {.raise_exception = false}));
  EXPECT_TRUE(gradcheck(wrong, {x23()}, {.atol = 0.1}));
}

}  // namespace
}  // namespace notape::verify
