// Wrong, or merely inexact, in one precision: what the other one says about it.
#include "verify/mutate/mutant_test_helper.h"

namespace notape::verify {
namespace {

using ::testing::Contains;
using ::testing::ElementsAre;
using ::testing::IsEmpty;

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

TEST(PrecisionMutants, RightRulesWithFewDigitsLeftRaiseNoAlarm) {
  for (uint64_t seed : {1, 2, 3}) {
    const Options options{.seed = seed};
    expect_alarms({{"few digits left", saturated_sigmoid(10, 16), IsEmpty(), options},
                   {"no digit left in float32", saturated_sigmoid(16, 24), IsEmpty(), options},
                   {"few digits left in float64", saturated_sigmoid(26, 30), IsEmpty(), options}});
  }
}

TEST(PrecisionMutants, CancellationInACaseOfABuiltInOperatorRaisesNoAlarm) {
  for (const auto& [name, code] :
       {// Softmax along (1, 1), which changes nothing: exactly 0 in float32, 4e-16 in float64.
        std::pair("softmax", "1riqngqsa111z3106k204hmjmqti4"),
        // x - mean(x), where x is next to the mean: float32 avoids it by adding up in float64.
        std::pair("var", "1pug204z353z3bv11z4q30k10ulmqk102")}) {
    const auto certificates = verify_operator(
        find_op_spec(name), {.dtypes = {kFloat64}, .only_case = decode_choices(code)});
    EXPECT_GE(certificates.size(), 4u);
    EXPECT_THAT(alarms(certificates), IsEmpty()) << name;
  }
}

TEST(PrecisionMutants, AreCaughtInTheDtypeInWhichTheyAreWrong) {
  const auto is_caught = ElementsAre("reverse FAIL");
  const Options in_float64{.dtypes = {kFloat64}}, in_float32{.dtypes = {kFloat32}};
  const OpSpec wrong_in_float32 = function_with(
      [](const Tensor& grad, const Output& y) {
        return grad * (1 - square(y)) * (grad.dtype() == kFloat32 ? 1.00001 : 1.0);
      },
      [](Wide x) { return math::tanh(x); }, {});
  const OpSpec float32_constant = function_with(
      [](const Tensor& grad) { return grad * double(0.1f); }, [](Wide x) { return x / 10; }, {});
  expect_alarms({{"rule wrong in float32 alone", wrong_in_float32, is_caught, in_float32},
                 {"the same in float64", wrong_in_float32, IsEmpty(), in_float64},
                 {"float32 constant in a float64 rule", float32_constant, is_caught, in_float64},
                 {"the same in float32", float32_constant, IsEmpty(), in_float32},
                 // d/dx (x^2 + x^3 / 1000) with the small term in float32.
                 {"shortcut through float32 in one of two terms",
                  function_with(
                      [](const Tensor& grad, const Input<0>& x) {
                        return grad * (x * 2 + square(x.to(kFloat32)).to(grad.dtype()) * 0.003);
                      },
                      [](Wide x) { return x * x + x * x * x / 1000; }, {}),
                  Contains("reverse FAIL"), in_float64},
                 // Subnormal gradients have fewer bits, so twice the incoming one need not give
                 // exactly twice.
                 {"right rule that underflows",
                  function_with([](const Tensor& grad) { return grad * 0x1p-100 * 0x1p-30; },
                                [](Wide x) { return x * Wide(0x1p-130); }, {}),
                  IsEmpty()},
                 {"operator of one dtype",
                  function_with(
                      [](const Tensor& grad, const Output& y) {
                        if (grad.dtype() != kFloat64) throw DtypeError("float64 only");
                        return grad * y * (1 - y);
                      },
                      wide_sigmoid, {.low = 10, .high = 16}),
                  IsEmpty(), in_float64}});
}

}  // namespace
}  // namespace notape::verify
