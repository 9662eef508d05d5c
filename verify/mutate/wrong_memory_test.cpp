// Wrong about memory: layouts, state between calls, accumulation.
#include <gmock/gmock.h>

#include "verify/mutate/mutant_test_helper.h"

namespace notape::verify {
namespace {

// What lies outside a window decides between FAIL and NONFINITE.
using ::testing::ElementsAre;
using ::testing::StartsWith;

using Alarms = std::vector<std::string>;

/// The elements as they follow each other in memory, whatever the strides are.
Tensor as_if_contiguous(const Tensor& x) {
  Numbers values(static_cast<std::size_t>(x.numel()));
  visit_type(x.dtype(), [&]<typename T>() {
    for (std::size_t i = 0; i < values.size(); ++i)
      values[i] = static_cast<double>(x.data_ptr<T>()[i]);
  });
  return make_tensor(values, x.sizes().vec(), x.dtype());
}

TEST(MemoryMutants, InputAssumedContiguousIsCaughtByLayoutsAlone) {
  const auto mutant = unary_mutant(
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
  EXPECT_THAT(alarms(verify_operator(mutant)), ElementsAre(StartsWith("layouts ")));
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
    EXPECT_THAT(found, ::testing::Contains(StartsWith(check)));
  EXPECT_THAT(found, ::testing::Each(::testing::AnyOf(
                         StartsWith("layouts "), StartsWith("strides "), StartsWith("incoming "))));
}

TEST(MemoryMutants, WriteOutsideTheOutputIsCaughtByInputsFirst) {
  // Zeroes its own input after use.
  const auto mutant = unary_mutant(
      [](const variable_list& x) {
        Tensor y = tanh(x[0]);
        if (x[0].storage_offset() > 0 && x[0].numel() > 0)
          visit_type(x[0].dtype(), [&]<typename T>() { x[0].data_ptr<T>()[0] = T(0); });
        return y;
      },
      plain_tanh);
  EXPECT_EQ(alarms(verify_operator(mutant)), Alarms{"inputs FAIL"});
}

TEST(MemoryMutants, GradientThatChangesFromCallToCallIsNondeterministic) {
  const auto mutant = unary_mutant(
      [](const variable_list& x) {
        const auto drifting =
            derivative("Mutant", elementwise([](const Tensor& grad, const Output& y) {
                         static int calls = 0;
                         return grad * (1 - square(y)) * (1 + (++calls % 5) * 0x1p-52);
                       }));
        return with_derivative(drifting, plain_tanh, x[0]);
      },
      plain_tanh);
  const auto found = alarms(verify_operator(mutant, {.dtypes = {kFloat64}}));
  EXPECT_NE(std::find(found.begin(), found.end(), "repeat NONDETERMINISTIC"), found.end());
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

TEST(MemoryMutants, GradientThatIsNotLinearIsCaughtByRepeat) {
  // Right for incoming gradients of size 1 to 2 up to rounding, clipped beyond.
  const auto mutant = unary_mutant(
      [](const variable_list& x) {
        const auto clipped =
            derivative("Mutant", elementwise([](const Tensor& grad, const Output& y) {
                         bool large = false;
                         for (double g : numbers_of(grad)) large = large || std::abs(g) > 1.75;
                         return (large ? grad * 0.5 : grad) * (1 - square(y));
                       }));
        return with_derivative(clipped, plain_tanh, x[0]);
      },
      plain_tanh);
  const auto found = alarms(verify_operator(mutant));
  EXPECT_NE(std::find(found.begin(), found.end(), "repeat FAIL"), found.end());
}

TEST(MemoryMutants, ZeroSizeWithoutGradientIsCaughtByReverse) {
  const auto mutant = unary_mutant(
      [](const variable_list& x) {
        const auto forgetful =
            derivative("Mutant", elementwise([](const Tensor& grad, const Output& y) {
                         return grad.numel() == 0 ? Tensor() : grad * (1 - square(y));
                       }));
        return with_derivative(forgetful, plain_tanh, x[0]);
      },
      plain_tanh);
  const auto found = alarms(verify_operator(mutant, {.samples = 60}));
  EXPECT_NE(std::find(found.begin(), found.end(), "reverse FAIL"), found.end());
}

}  // namespace
}  // namespace notape::verify
