// Derivative checks as GoogleTest assertions. Needs GoogleTest and RapidCheck beside
// notape::verify.
//
//   TEST(Swish, DerivativeIsRight) { EXPECT_DERIVATIVE(swish, x); }
//   // At inputs of every shape, layout and dtype:
//   NOTAPE_VERIFY_OP(swish).domain(-20, 20).order(2).power(1e-9);
//   // With RapidCheck:
//   NOTAPE_PROPERTY(Fused, AllLayouts, (Tensor x, Tensor w)) {
//     return derivative_of(fused, x, w);
//   }
//
// What fails says which entry is wrong, what was expected and got, and who is to blame. What could
// not be decided fails, too, and says so: take another point or, for a noisy function, check() with
// an `rtol`.
#pragma once
#include "autograd/language.h"  // first

#include <gtest/gtest.h>
#include <rapidcheck.h>
#include <rapidcheck/gtest.h>

#include "autograd/tensor/factories.h"
#include "verify/check_everywhere.h"
#include "verify/generators.h"
#include "verify/same_function.h"
#include "verify/unrepeated.h"

namespace notape::verify {

inline ::testing::AssertionResult assertion_of(bool holds, const Report& report) {
  return (holds ? ::testing::AssertionSuccess() : ::testing::AssertionFailure()) << report.text();
}

/// A point on the line.
inline Tensor at(double x) { return full({}, x, dtype(kFloat64)); }

/// The report on f at these inputs; those that do not require grad yet are made to.
template <typename F, typename... Inputs>
Report report_on(F f, const CheckOptions& options, const Inputs&... inputs) {
  variable_list list{inputs...};
  for (Tensor& input : list)
    if (input.is_floating_point() && !input.requires_grad())
      input = input.detach().clone().requires_grad_(true);
  return check(std::move(f), list, options, std::source_location());
}
template <typename F, typename... Inputs>
Report derivative_of(F f, const Inputs&... inputs) {
  return report_on(std::move(f), {}, inputs...);
}

template <typename F, typename... Inputs>
::testing::AssertionResult derivative_is_right(F f, const Inputs&... inputs) {
  const Report report = derivative_of(std::move(f), inputs...);
  return assertion_of(report.ok(), report);
}
/// Throws ValueError for an order above the third.
template <typename F, typename... Inputs>
::testing::AssertionResult derivative_of_order_is_right(int order, F f, const Inputs&... inputs) {
  if (order < 1 || order > 3) throw ValueError("derivatives of order 1 to 3, not {}", order);
  constexpr const char* kChecks[] = {"reverse", "second-order", "third-order"};
  const Report report =
      report_on(std::move(f), {.order = std::max(order, 2)}, inputs...).only(kChecks[order - 1]);
  return assertion_of(report.proven(), report);
}
template <typename F, typename... Inputs>
::testing::AssertionResult adjoint_is_right(F f, const Inputs&... inputs) {
  const Report report = derivative_of(std::move(f), inputs...).only("forward-mode");
  return assertion_of(report.proven(), report);
}
template <typename F, typename... Inputs>
::testing::AssertionResult is_deterministic(F f, const Inputs&... inputs) {
  const Report report = derivative_of(std::move(f), inputs...).only("repeat");
  return assertion_of(report.proven(), report);
}
template <typename F>
::testing::AssertionResult kink_follows(F f, const Tensor& point, double convention) {
  const Report report = check_kink(std::move(f), point, convention);
  return assertion_of(report.proven(), report);
}
template <typename F, typename G>
::testing::AssertionResult is_same_function(F f, G g, const rc::Gen<variable_list>& inputs) {
  const Report report = same_function(std::move(f), std::move(g), inputs);
  return assertion_of(report.proven(), report);
}

/// Runs `body` on random tensors until it reports something red, then shrinks; RapidCheck prints
/// the RC_PARAMS that do so again. Cases that cannot be decided, at flat or noisy places, are
/// counted; at least one must be.
template <typename... Inputs>
void check_property(Report (*body)(Inputs...)) {
  const Unrepeated unrepeated;  // the tensors are RapidCheck's, which a case does not hold
  int decided = 0;
  bool failed = false;
  rc::detail::checkGTest([&] {
    const variable_list x = *tensors(sizeof...(Inputs), {.min_size = 1});
    const Report report = [&]<std::size_t... I>(std::index_sequence<I...>) { return body(x[I]...); }
    (std::index_sequence_for<Inputs...>());
    decided += report.ok();
    RC_CLASSIFY(report.verdict() == Verdict::Unresolved, "undecided");
    failed = failed || is_red(report.verdict());
    if (is_red(report.verdict())) RC_FAIL(report.text());
  });
  EXPECT_TRUE(failed || decided > 0) << "no case could be decided";
}

/// A test of its own per operator, at inputs of every shape, layout and dtype.
class OperatorSuite {
 public:
  template <typename F>
  OperatorSuite(const char* name, F f) : f_(tensor_function(f)), arguments_(arity_of<F>()) {
    options_.name = name;
  }

  OperatorSuite& domain(double low, double high) {
    options_.domain.low = low;
    options_.domain.high = high;
    return *this;
  }
  OperatorSuite& kinks(std::vector<double> points) {
    options_.domain.kinks = std::move(points);
    return *this;
  }
  /// How often it can be differentiated; judged up to the third order.
  OperatorSuite& order(int order) { return options_.order = order, *this; }
  /// The largest relative error in float64 that may go unseen.
  OperatorSuite& power(double relative) { return options_.power = relative, *this; }
  OperatorSuite& samples(int count) { return options_.samples = count, *this; }
  OperatorSuite& forward_mode(bool there_is) { return options_.forward_mode = there_is, *this; }
  OperatorSuite& float64_only() { return options_.float32 = false, *this; }
  /// The same function for any kind of number, as in CheckOptions.
  OperatorSuite& reference(Reference plain) { return options_.reference = std::move(plain), *this; }

  ::testing::AssertionResult verify() const {
    const Report report = check_everywhere(f_, arguments_, options_, std::source_location());
    return assertion_of(report.ok(), report);
  }

  /// Registers the test; call it before main() runs tests.
  template <typename F>
  static OperatorSuite& add(const char* name, F f, const char* file, int line) {
    struct Body final : ::testing::Test {
      Body(const OperatorSuite& tested, const char* where, int at)
          : suite(tested), file(where), line(at) {}
      void TestBody() override {
        if (const auto result = suite.verify(); !result)
          ADD_FAILURE_AT(file, line) << result.message();
      }
      const OperatorSuite& suite;
      const char* file;
      int line;
    };
    static OperatorSuite suite(name, f);  // one for each f, as it has a type of its own
    ::testing::RegisterTest("NotapeVerify", name, nullptr, nullptr, file, line,
                            [=]() -> ::testing::Test* { return new Body(suite, file, line); });
    return suite;
  }

 private:
  template <typename F>
  static constexpr int arity_of() {
    if (std::invocable<const F&, const Tensor&>) return 1;
    return std::invocable<const F&, const Tensor&, const Tensor&> ? 2 : 3;
  }

  TensorFunction f_;
  int arguments_;
  EverywhereOptions options_;
};

}  // namespace notape::verify

/// (f, x...): everything about f at these inputs: reverse, forward, second order, layouts, subsets.
#define EXPECT_DERIVATIVE(...) EXPECT_TRUE(::notape::verify::derivative_is_right(__VA_ARGS__))
#define ASSERT_DERIVATIVE(...) ASSERT_TRUE(::notape::verify::derivative_is_right(__VA_ARGS__))
/// (n, f, x...): the derivative of order 1, 2 or 3 alone.
#define EXPECT_DERIVATIVE_ORDER(...) \
  EXPECT_TRUE(::notape::verify::derivative_of_order_is_right(__VA_ARGS__))
#define ASSERT_DERIVATIVE_ORDER(...) \
  ASSERT_TRUE(::notape::verify::derivative_of_order_is_right(__VA_ARGS__))
/// (f, x...): forward mode against reverse mode, without steps.
#define EXPECT_ADJOINT(...) EXPECT_TRUE(::notape::verify::adjoint_is_right(__VA_ARGS__))
#define ASSERT_ADJOINT(...) ASSERT_TRUE(::notape::verify::adjoint_is_right(__VA_ARGS__))
/// (f, at(x), convention): f has a kink there, and this derivative on it.
#define EXPECT_KINK(...) EXPECT_TRUE(::notape::verify::kink_follows(__VA_ARGS__))
#define ASSERT_KINK(...) ASSERT_TRUE(::notape::verify::kink_follows(__VA_ARGS__))
/// (f, g, generator): values, gradients and second derivatives agree at inputs from a generator.
#define EXPECT_SAME_FUNCTION(...) EXPECT_TRUE(::notape::verify::is_same_function(__VA_ARGS__))
#define ASSERT_SAME_FUNCTION(...) ASSERT_TRUE(::notape::verify::is_same_function(__VA_ARGS__))
/// (f, x...): equal calls give equal bits, in value and gradient.
#define EXPECT_DETERMINISTIC(...) EXPECT_TRUE(::notape::verify::is_deterministic(__VA_ARGS__))
#define ASSERT_DETERMINISTIC(...) ASSERT_TRUE(::notape::verify::is_deterministic(__VA_ARGS__))
/// The statement raises this error and no other.
#define EXPECT_REJECTED(error, ...) EXPECT_THROW((__VA_ARGS__), error)
#define ASSERT_REJECTED(error, ...) ASSERT_THROW((__VA_ARGS__), error)

/// A test of operator f at random inputs; `.domain(low, high).order(n).power(relative)` may follow.
#define NOTAPE_VERIFY_OP(f)                                                    \
  [[maybe_unused]] static ::notape::verify::OperatorSuite& notape_verify_##f = \
      ::notape::verify::OperatorSuite::add(                                    \
          #f, [](const auto&... x) -> decltype(f(x...)) { return f(x...); }, __FILE__, __LINE__)
/// A test whose body gets random tensors and returns a Report.
#define NOTAPE_PROPERTY(suite, name, parameters)                                     \
  static ::notape::verify::Report suite##_##name##_property parameters;              \
  TEST(suite, name) { ::notape::verify::check_property(suite##_##name##_property); } \
  static ::notape::verify::Report suite##_##name##_property parameters
