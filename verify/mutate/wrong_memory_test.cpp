// Wrong about memory: layouts, state between calls, accumulation.
#include "verify/mutate/mutant_test_helper.h"

namespace notape::verify {
namespace {

using ::testing::Contains;
using ::testing::ElementsAre;
using ::testing::StartsWith;

/// The elements as they follow each other in memory, whatever the strides are.
Tensor as_if_contiguous(const Tensor& x) {
  Numbers values(static_cast<std::size_t>(x.numel()));
  visit_type(x.dtype(), [&]<typename T>() {
    for (std::size_t i = 0; i < values.size(); ++i)
      values[i] = static_cast<double>(x.data_ptr<T>()[i]);
  });
  return make_tensor(values, x.sizes().vec(), x.dtype());
}

/// tanh whose rule is `rule`, for both modes.
template <typename Rule>
OpSpec tanh_with_rule(Rule rule) {
  return unary_mutant(
      [=](const variable_list& x) {
        return with_derivative(derivative("Mutant", elementwise(rule)), plain_tanh, x[0]);
      },
      plain_tanh);
}

OpSpec taking_its_input_for_contiguous() {
  return unary_mutant(
      [](const variable_list& x) {
        const auto right =
            derivative("Mutant", elementwise([](const Tensor& grad, const Input<0>& self) {
                         return grad * (1 - square(tanh(self)));
                       }));
        const Operation op("mutant", SourceLocation::current());
        return record(right, op, right_value(plain_tanh, {as_if_contiguous(x[0])}), NoParameters{},
                      x[0]);
      },
      plain_tanh);
}

OpSpec zeroing_its_input_after_use() {
  return unary_mutant(
      [](const variable_list& x) {
        Tensor y = tanh(x[0]);
        if (x[0].storage_offset() > 0 && x[0].numel() > 0)
          visit_type(x[0].dtype(), [&]<typename T>() { x[0].data_ptr<T>()[0] = T(0); });
        return y;
      },
      plain_tanh);
}

TEST(MemoryMutants, AreCaughtByTheCheckThatVariesMemoryOrCallsAgain) {
  expect_alarms(
      {// What lies outside a window decides between FAIL and NONFINITE.
       {"input assumed contiguous", taking_its_input_for_contiguous(),
        ElementsAre(StartsWith("layouts "))},
       {"write outside the output", zeroing_its_input_after_use(), ElementsAre("inputs FAIL")},
       {"gradient that changes from call to call",
        tanh_with_rule([](const Tensor& grad, const Output& y) {
          static int calls = 0;
          return grad * (1 - square(y)) * (1 + (++calls % 5) * 0x1p-52);
        }),
        Contains("repeat NONDETERMINISTIC"),
        {.dtypes = {kFloat64}}},
       // Right for incoming gradients of size 1 to 2 up to rounding, clipped beyond.
       {"gradient that is not linear", tanh_with_rule([](const Tensor& grad, const Output& y) {
          bool large = false;
          for (double g : numbers_of(grad)) large = large || std::abs(g) > 1.75;
          return (large ? grad * 0.5 : grad) * (1 - square(y));
        }),
        Contains("repeat FAIL")},
       {"zero size without gradient",
        tanh_with_rule([](const Tensor& grad, const Output& y) {
          return grad.numel() == 0 ? Tensor() : grad * (1 - square(y));
        }),
        Contains("reverse FAIL"),
        {.samples = 60}}});
}

TEST(MemoryMutants, IncomingGradientAssumedContiguousIsCaughtByLayoutsStridesAndIncoming) {
  const auto mutant = unary_mutant(
      [](const variable_list& x) {
        const auto wrong = derivative(
            "Mutant",
            rule(
                [](const Tensor& grad, const Output& y) {
                  // Under create_graph the gradient has to stay in the graph.
                  const Tensor g = grad.requires_grad() ? grad : as_if_contiguous(grad);
                  return g * (1 - square(y));
                },
                [](const Tensor& tangent, const Output& y) { return tangent * (1 - square(y)); }));
        return with_derivative(wrong, plain_tanh, x[0]);
      },
      plain_tanh);
  // What it reads beside its window, in which dtype it matters, and whether it is NaN, is chance.
  const auto found = alarms(verify_operator(mutant));
  for (const char* check : {"layouts ", "strides ", "incoming "})
    EXPECT_THAT(found, Contains(StartsWith(check)));
  EXPECT_THAT(found, ::testing::Each(::testing::AnyOf(
                         StartsWith("layouts "), StartsWith("strides "), StartsWith("incoming "))));
}

TEST(MemoryMutants, StaleValueOfTheCallBeforeIsCaught) {
  static Tensor before;
  const auto mutant = unary_mutant(
      [](const variable_list& x) {
        Tensor y = tanh(x[0]);
        const Tensor stale = before;
        before = y.detach();
        if (stale.defined() && stale.sizes() == y.sizes() && stale.dtype() == y.dtype())
          return y + (stale - y.detach());
        return y;
      },
      plain_tanh);
  EXPECT_FALSE(alarms(verify_operator(mutant)).empty());
  before.reset();
}

}  // namespace
}  // namespace notape::verify
