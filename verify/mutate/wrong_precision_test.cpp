// Wrong, or merely inexact, in one precision: what the other one says about it.
#include <gmock/gmock.h>

#include "verify/mutate/mutant_test_helper.h"

namespace notape::verify {
namespace {

using ::testing::Contains;

using Alarms = std::vector<std::string>;

/// f on [low, high], whose rule is `rule`, for both modes.
template <typename Rule>
OpSpec function_with(Rule rule, Wide (*f)(Wide), Domain domain) {
  const auto reference = [f](const WideList& x) { return plain_map(f, x[0]); };
  return {.name = "mutant", .family = "elementwise", .draw = [=](Draw& draw) {
            OpCase one;
            one.arguments = {{.sizes = draw.shape(0, 1, 1, 2), .domain = domain}};
            one.call = [=](const variable_list& x) {
              return with_derivative(derivative("Mutant", elementwise(rule)), reference, x[0]);
            };
            one.reference = reference;
            return one;
          }};
}

Wide wide_sigmoid(Wide x) { return 1 / (1 + math::exp(-x)); }

/// y (1 - y), which in float32 has few digits left where y is next to 1, and none beyond 17.
OpSpec saturated_sigmoid(double low, double high) {
  return function_with([](const Tensor& grad, const Output& y) { return grad * y * (1 - y); },
                       wide_sigmoid, {.low = low, .high = high});
}

TEST(PrecisionMutants, RightRuleWithFewDigitsLeftRaisesNoAlarm) {
  for (uint64_t seed : {1, 2, 3})
    EXPECT_EQ(alarms(verify_operator(saturated_sigmoid(10, 16), {.seed = seed})), Alarms());
}

TEST(PrecisionMutants, RightRuleWithNoDigitLeftInFloat32RaisesNoAlarm) {
  for (uint64_t seed : {1, 2, 3})
    EXPECT_EQ(alarms(verify_operator(saturated_sigmoid(16, 24), {.seed = seed})), Alarms());
}

TEST(PrecisionMutants, RightRuleWithFewDigitsLeftInFloat64RaisesNoAlarm) {
  for (uint64_t seed : {1, 2, 3})
    EXPECT_EQ(alarms(verify_operator(saturated_sigmoid(26, 30), {.seed = seed})), Alarms());
}

/// Alarms on one case of a built-in operator in float64.
Alarms alarms_on(const char* name, const char* code) {
  const auto certificates = verify_operator(
      find_op_spec(name), {.dtypes = {kFloat64}, .only_case = decode_choices(code)});
  EXPECT_GE(certificates.size(), 4u);
  return alarms(certificates);
}

TEST(PrecisionMutants, ZeroLeftOverFromCancellationRaisesNoAlarm) {
  // Softmax along (1, 1), which changes nothing: exactly 0 in float32, 4e-16 in float64.
  EXPECT_EQ(alarms_on("softmax", "1riqngqsa111z3106k204hmjmqti4"), Alarms());
}

TEST(PrecisionMutants, CancellationThatFloat32AvoidsByAddingUpInFloat64RaisesNoAlarm) {
  // x - mean(x), where x is next to the mean.
  EXPECT_EQ(alarms_on("var", "1pug204z353z3bv11z4q30k10ulmqk102"), Alarms());
}

TEST(PrecisionMutants, RightRuleThatUnderflowsRaisesNoAlarm) {
  // Subnormal gradients have fewer bits, so twice the incoming one need not give exactly twice.
  const auto right = function_with([](const Tensor& grad) { return grad * 0x1p-100 * 0x1p-30; },
                                   [](Wide x) { return x * Wide(0x1p-130); }, {});
  EXPECT_EQ(alarms(verify_operator(right)), Alarms());
}

TEST(PrecisionMutants, RuleWrongInFloat32AloneIsCaughtInFloat32) {
  const auto mutant = function_with(
      [](const Tensor& grad, const Output& y) {
        return grad * (1 - square(y)) * (grad.dtype() == kFloat32 ? 1.00001 : 1.0);
      },
      [](Wide x) { return math::tanh(x); }, {});
  EXPECT_EQ(alarms(verify_operator(mutant, {.dtypes = {kFloat32}})), Alarms{"reverse FAIL"});
  EXPECT_EQ(alarms(verify_operator(mutant, {.dtypes = {kFloat64}})), Alarms());
}

TEST(PrecisionMutants, Float32ConstantInAFloat64RuleIsCaughtInFloat64) {
  const auto mutant = function_with([](const Tensor& grad) { return grad * double(0.1f); },
                                    [](Wide x) { return x / 10; }, {});
  EXPECT_EQ(alarms(verify_operator(mutant, {.dtypes = {kFloat64}})), Alarms{"reverse FAIL"});
  EXPECT_EQ(alarms(verify_operator(mutant, {.dtypes = {kFloat32}})), Alarms());
}

TEST(PrecisionMutants, ShortcutThroughFloat32InOneOfTwoTermsIsCaughtInFloat64) {
  // d/dx (x^2 + x^3 / 1000) with the small term in float32.
  const auto mutant = function_with(
      [](const Tensor& grad, const Input<0>& x) {
        return grad * (x * 2 + square(x.to(kFloat32)).to(grad.dtype()) * 0.003);
      },
      [](Wide x) { return x * x + x * x * x / 1000; }, {});
  EXPECT_THAT(alarms(verify_operator(mutant, {.dtypes = {kFloat64}})), Contains("reverse FAIL"));
}

TEST(PrecisionMutants, OperatorOfOneDtypeIsJudgedByItself) {
  const auto only_float64 = function_with(
      [](const Tensor& grad, const Output& y) {
        if (grad.dtype() != kFloat64) throw DtypeError("float64 only");
        return grad * y * (1 - y);
      },
      wide_sigmoid, {.low = 10, .high = 16});
  EXPECT_EQ(alarms(verify_operator(only_float64, {.dtypes = {kFloat64}})), Alarms());
}

}  // namespace
}  // namespace notape::verify
