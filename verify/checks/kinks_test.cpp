// What the check of kinks sees: every registered one, and planted mistakes on it and beside it.
#include "verify/checks/shared_questions.h"

#include <gmock/gmock.h>

#include "verify/mutate/mutant_test_helper.h"
#include "verify/report/table.h"

namespace notape::verify {
namespace {

using ::testing::Contains;
using ::testing::ElementsAre;
using ::testing::IsEmpty;

const Certificate* kinks_of(const std::vector<Certificate>& certificates, ScalarType dtype) {
  for (const Certificate& one : certificates)
    if (std::string_view(one.check) == "kinks" && one.dtype == dtype) return &one;
  return nullptr;
}

TEST(Kinks, EveryRegisteredKinkAndTieFollowsTheConvention) {
  struct Expected {
    const char* op;
    Verdict verdict;
  };
  const Expected all[] = {
      {"abs", Verdict::Kink},       {"relu", Verdict::Kink},      {"clamp", Verdict::Kink},
      {"clamp_min", Verdict::Kink}, {"clamp_max", Verdict::Kink}, {"maximum", Verdict::Kink},
      {"minimum", Verdict::Kink},   {"max", Verdict::Kink},       {"min", Verdict::Kink},
      {"max_dim", Verdict::Kink},   {"min_dim", Verdict::Kink},   {"max_pool2d", Verdict::Kink},
      {"sign", Verdict::Jump}};
  for (const auto& [name, verdict] : all) {
    const auto certificates = verify_operator(find_op_spec(name), {.samples = 12});
    for (const Certificate& one : certificates)
      EXPECT_FALSE(is_red(one.verdict)) << failure_text(one);
    for (const ScalarType dtype : {kFloat64, kFloat32}) {
      const Certificate* kinks = kinks_of(certificates, dtype);
      ASSERT_NE(kinks, nullptr) << name;
      EXPECT_EQ(name_of(kinks->verdict), name_of(verdict)) << name << ": " << kinks->detail;
      EXPECT_FALSE(kinks->detail.empty()) << name;
      EXPECT_GE(kinks->comparisons, 50) << name;
      EXPECT_EQ(kinks->unresolved, 0) << name;
    }
  }
}

TEST(Kinks, AnOperatorWithoutThemIsNotAsked) {
  EXPECT_EQ(kinks_of(verify_operator(find_op_spec("tanh"), {.samples = 2}), kFloat64), nullptr);
}

using Derivative = std::function<Tensor(const Tensor& grad, const Tensor& x)>;

OpSpec with_kink_at_zero(Reference reference, Derivative derivative_rule) {
  const auto rule = elementwise([derivative_rule](const Tensor& grad, const Input<0>& x) {
    return derivative_rule(grad, x);
  });
  OpSpec spec = unary_mutant(
      [=](const variable_list& x) {
        return with_derivative(derivative("Mutant", rule), reference, x[0]);
      },
      reference);
  const auto draw = spec.draw;
  spec.draw = [draw](Draw& source) {
    OpCase one = draw(source);
    one.arguments[0].domain.kinks = {0};
    return one;
  };
  return spec;
}

WideTensor wide_relu(const WideList& x) {
  return plain_map([](Wide a) { return a < 0 ? Wide(0) : a; }, x[0]);
}
WideTensor wide_abs(const WideList& x) {
  return plain_map([](Wide a) { return a > 0 ? a : -a; }, x[0]);
}
WideTensor wide_leaky(const WideList& x) {
  return plain_map([](Wide a) { return a > 0 ? a : a / 8; }, x[0]);
}
WideTensor wide_stairs(const WideList& x) {
  return plain_map([](Wide a) { return a >= 0 ? 2 * a + 1 : a; }, x[0]);
}

/// `below`, `on` and `above` the kink.
Derivative slopes(double below, double on, double above) {
  return [=](const Tensor& grad, const Tensor& x) {
    return where(x > 0, grad * above, where(x < 0, grad * below, grad * on));
  };
}

std::vector<std::string> alarms_of(const OpSpec& spec) {
  return alarms(verify_operator(spec, {.samples = 12}));
}

TEST(Kinks, TheRightConventionRaisesNoAlarm) {
  EXPECT_THAT(alarms_of(with_kink_at_zero(wide_relu, slopes(0, 0, 1))), IsEmpty());
  EXPECT_THAT(alarms_of(with_kink_at_zero(wide_abs, slopes(-1, 0, 1))), IsEmpty());
  EXPECT_THAT(alarms_of(with_kink_at_zero(wide_leaky, slopes(0.125, 0.125, 1))), IsEmpty());
  EXPECT_THAT(alarms_of(with_kink_at_zero(wide_stairs, slopes(1, 2, 2))), IsEmpty());
}

TEST(Kinks, AnyOtherSlopeOnTheKinkIsCaughtByKinksAlone) {
  const auto caught = ElementsAre("kinks FAIL");
  for (double on : {1.0, 0.5, -1.0})
    EXPECT_THAT(alarms_of(with_kink_at_zero(wide_relu, slopes(0, on, 1))), caught) << on;
  for (double on : {1.0, 0.5, -1.0})
    EXPECT_THAT(alarms_of(with_kink_at_zero(wide_abs, slopes(-1, on, 1))), caught) << on;
  for (double on : {1.0, 0.0})
    EXPECT_THAT(alarms_of(with_kink_at_zero(wide_leaky, slopes(0.125, on, 1))), caught) << on;
  EXPECT_THAT(alarms_of(with_kink_at_zero(wide_stairs, slopes(1, 1, 2))), caught);
  EXPECT_THAT(alarms_of(with_kink_at_zero(wide_relu, slopes(0, std::nan(""), 1))),
              Contains("kinks NONFINITE"));
}

TEST(Kinks, AKinkThatIsTooWideIsCaughtByKinksAlone) {
  const auto wide_kink = [](const Tensor& grad, const Tensor& x) {
    return where(x > 0x1p-48, grad, 0);  // sixteen units in the last place of 1 in float64
  };
  EXPECT_THAT(alarms_of(with_kink_at_zero(wide_relu, wide_kink)), ElementsAre("kinks FAIL"));
}

/// A maximum that gives tied operands so much of the gradient.
OpSpec maximum_sharing(double first, double second) {
  const auto share = [](const Tensor& grad, const Tensor& own, const Tensor& rival, double tied) {
    return where(own > rival, grad, where(own < rival, grad * 0, grad * tied));
  };
  const Reference reference = [](const WideList& x) {
    return plain_map([](Wide a, Wide b) { return a > b || a != a ? a : b; }, x[0], x[1]);
  };
  const auto a = elementwise([=](const Tensor& grad, const Input<0>& x, const Input<1>& y) {
    return share(grad, x, y, first);
  });
  const auto b = elementwise([=](const Tensor& grad, const Input<0>& x, const Input<1>& y) {
    return share(grad, y, x, second);
  });
  OpSpec spec = binary_mutant(
      [=](const variable_list& x) {
        return with_derivative(derivative("Mutant", a, b), reference, x[0], x[1]);
      },
      reference);
  const auto draw = spec.draw;
  spec.draw = [draw](Draw& source) {
    OpCase one = draw(source);
    for (Argument& argument : one.arguments) argument.distinct = true;
    return one;
  };
  return spec;
}

TEST(Kinks, ATieNotSharedEvenlyIsCaughtByKinksAlone) {
  const auto caught = ElementsAre("kinks FAIL");
  EXPECT_THAT(alarms_of(maximum_sharing(1, 1)), caught);  // everything to every tie
  EXPECT_THAT(alarms_of(maximum_sharing(1, 0)), caught);  // everything to the first
  EXPECT_THAT(alarms_of(maximum_sharing(0, 0)), caught);
  // Half each is right with two active operands and wrong against a constant.
  EXPECT_THAT(alarms_of(maximum_sharing(0.5, 0.5)), caught);
}

TEST(Kinks, AFailureShowsTheSlopesOnBothSides) {
  const auto certificates =
      verify_operator(with_kink_at_zero(wide_abs, slopes(-1, 1, 1)), {.samples = 12});
  const Certificate* kinks = kinks_of(certificates, kFloat64);
  ASSERT_TRUE(kinks && kinks->failure);
  EXPECT_THAT(kinks->failure->outcome.message,
              ::testing::HasSubstr("slopes -1 and 1, convention 0"));
  ASSERT_TRUE(kinks->failure->outcome.guilty);
  EXPECT_EQ(kinks->failure->outcome.guilty->expected, 0);
  EXPECT_EQ(kinks->failure->outcome.guilty->got, 1);
}

/// A row that declares neither kinks nor ties; its reference shows its comparisons.
template <typename F>
OpSpec undeclared_row(F f, Derivative derivative_rule) {
  const Reference reference = [f]<typename T>(const PlainList<T>& x) { return plain_map(f, x[0]); };
  OpSpec spec = with_kink_at_zero(reference, derivative_rule);
  const auto draw = spec.draw;
  spec.draw = [draw](Draw& source) {
    OpCase one = draw(source);
    one.arguments[0].domain.kinks.clear();
    return one;
  };
  return spec;
}
constexpr auto hinge = []<typename T>(T a) { return math::max(a - T(0.75), T(0)); };
Derivative hinge_slopes(double on) {
  return [=](const Tensor& grad, const Tensor& x) {
    return where(x > 0.75, grad, where(x < 0.75, 0, grad * on));
  };
}

TEST(UndeclaredKinks, AreFoundByFollowingComparisons) {
  const auto certificates =
      verify_operator(undeclared_row(hinge, hinge_slopes(0)), {.samples = 12});
  EXPECT_THAT(alarms(certificates), IsEmpty());
  const Certificate* kinks = kinks_of(certificates, kFloat64);
  ASSERT_NE(kinks, nullptr);
  EXPECT_EQ(kinks->verdict, Verdict::Kink);
  EXPECT_EQ(kinks->detail, "undeclared");
}

TEST(UndeclaredKinks, MayHaveAnySlopeBetweenBothSidesAndNoOther) {
  EXPECT_THAT(alarms_of(undeclared_row(hinge, hinge_slopes(1))), IsEmpty());
  const auto certificates =
      verify_operator(undeclared_row(hinge, hinge_slopes(2)), {.samples = 12});
  EXPECT_THAT(alarms(certificates), ElementsAre("kinks FAIL"));
  const Certificate* kinks = kinks_of(certificates, kFloat64);
  ASSERT_TRUE(kinks && kinks->failure && kinks->failure->outcome.guilty);
  EXPECT_EQ(kinks->failure->outcome.guilty->got, 2);
  EXPECT_THAT(kinks->failure->outcome.message, ::testing::HasSubstr("which is 0.75,"));
}

TEST(UndeclaredKinks, ASpecialCaseOfASmoothFunctionIsTried) {
  // The value is x^2 everywhere; the derivative forgets that at 1.
  const auto square = []<typename T>(T a) { return a == T(1) ? T(1) : a * a; };
  const auto rule = [](double at_one) -> Derivative {
    return [=](const Tensor& grad, const Tensor& x) {
      return where(x == 1, grad * at_one * x, grad * 2 * x);
    };
  };
  EXPECT_THAT(alarms_of(undeclared_row(square, rule(2))), IsEmpty());
  EXPECT_THAT(alarms_of(undeclared_row(square, rule(0))), ::testing::Contains("kinks FAIL"));
}

TEST(UndeclaredKinks, TermsThatCancelWhereAnEntryIsBroadcastAreNoMistake) {
  OpSpec spec = find_op_spec("binary_cross_entropy_with_logits");
  spec.draw = [draw = spec.draw](Draw& source) {
    OpCase one = draw(source);
    for (Argument& argument : one.arguments) argument.sizes = {2};
    one.arguments[0].sizes = {1};
    one.arguments[0].fixed = {0};
    one.arguments[1].fixed = {0x1p-32, 1};  // its gradient is the sum of 1/2 - 2^-32 and -1/2
    return one;
  };
  EXPECT_THAT(alarms(verify_operator(spec, {.dtypes = {kFloat32}, .samples = 12})), IsEmpty());
}

TEST(UndeclaredKinks, TiesOfTwoArgumentsAreFound) {
  const auto undeclared = [](double first, double second) {
    OpSpec spec = maximum_sharing(first, second);
    const auto draw = spec.draw;
    spec.draw = [draw](Draw& source) {
      OpCase one = draw(source);
      for (Argument& argument : one.arguments) argument.distinct = false;
      one.reference = []<typename T>(const PlainList<T>& x) {
        return plain_map([](T a, T b) { return math::max(a, b); }, x[0], x[1]);
      };
      return one;
    };
    return alarms_of(spec);
  };
  EXPECT_THAT(undeclared(-1, 1), Contains("kinks FAIL"));
  EXPECT_THAT(undeclared(1, 2), Contains("kinks FAIL"));
}

TEST(UndeclaredKinks, ATieWhereTheFunctionIsSmoothExcusesNoMode) {
  // The two branches of this square are one function; the forward rule forgets that at 1.
  const Reference square = elementwise_reference([]<typename T>(T a) {
    return a >= T(1) ? a * a : T(2) * a - T(1) + (a - T(1)) * (a - T(1));
  });
  const auto wrong_at_one = rule(
      [](const Tensor& grad, const Input<0>& x) { return grad * 2 * x; },
      [](const Tensor& tangent, const Input<0>& x) { return where(x == 1, 0, tangent * 2 * x); });
  OpSpec spec = unary_mutant(
      [=](const variable_list& x) {
        return with_derivative(derivative("Mutant", wrong_at_one), square, x[0]);
      },
      square);
  spec.draw = [draw = spec.draw](Draw& source) {
    OpCase one = draw(source);
    one.arguments[0].sizes = {3};
    one.arguments[0].fixed = {1, 1, 1};
    return one;
  };
  EXPECT_THAT(alarms_of(spec), Contains("forward-mode FAIL"));
}

}  // namespace
}  // namespace notape::verify
