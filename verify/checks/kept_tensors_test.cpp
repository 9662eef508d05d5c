// Functions that keep tensors which require grad: constants of the check, whose `.grad` and values
// stay as they are.
#include "verify/check_everywhere.h"
#include "verify/functions/gradcheck_test_helper.h"

namespace notape::verify {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

Tensor kept_leaf() { return leaf({0.5, -2, 1.25, 3, 0.75, -1}, {2, 3}); }

/// Checks f and demands that `kept` is as before.
Report check_keeping(const TensorFunction& f, const Tensor& x, const variable_list& kept,
                     const CheckOptions& options = {}) {
  std::vector<std::vector<double>> values;
  for (const Tensor& one : kept) values.push_back(numbers_of(one.detach()));
  const Report report = check(f, {x}, options);
  for (std::size_t i = 0; i < kept.size(); ++i) {
    EXPECT_EQ(numbers_of(kept[i].detach()), values[i]) << "kept tensor " << i;
    EXPECT_EQ(kept[i]._version(), 0U) << "kept tensor " << i;
    EXPECT_TRUE(kept[i].requires_grad());
    if (!kept[i].is_leaf()) continue;
    EXPECT_FALSE(kept[i].grad().defined()) << "kept tensor " << i;
  }
  EXPECT_FALSE(x.grad().defined());
  return report;
}

TEST(KeptTensors, AParameterInALambdaIsAConstantAndItsGradIsLeftAlone) {
  const Tensor w = kept_leaf();
  const Report report =
      check_keeping([w](const variable_list& x) { return variable_list{x[0] * w}; }, x23(), {w});
  EXPECT_TRUE(report.ok()) << report.text();
  EXPECT_THAT(report.text(), HasSubstr("make them inputs"));
  const Report other = check([](const Tensor& x) { return x * x; }, {x23()});
  EXPECT_THAT(other.text(), Not(HasSubstr("make them inputs")));
}

TEST(KeptTensors, WhatAGradHeldBeforeItHoldsAfter) {
  Tensor w = kept_leaf();
  w.mutable_grad() = full({2, 3}, 7, dtype(kFloat64));
  const Report report = check([w](const Tensor& x) { return sin(x) * exp(w); }, {x23()});
  EXPECT_TRUE(report.ok()) << report.text();
  EXPECT_EQ(numbers_of(w.grad()), std::vector<double>(6, 7));
}

TEST(KeptTensors, AResultOfAKeptTensorIsAConstant) {
  const Tensor w = kept_leaf(), made = exp(w);
  const Report report = check_keeping(
      [made](const variable_list& x) { return variable_list{x[0] * made}; }, x23(), {w, made});
  EXPECT_TRUE(report.ok()) << report.text();
  // Its own history can still be gone through.
  EXPECT_NO_THROW(autograd::grad({made.sum()}, {w}));
}

TEST(KeptTensors, AResultWhoseOwnHistoryIsFreedCanStillBeUsed) {
  const Tensor w = kept_leaf(), made = exp(w);
  made.sum().backward();
  const Tensor before = w.grad().clone();
  const Report report = check([made](const Tensor& x) { return x * made; }, {x23()});
  EXPECT_TRUE(report.ok()) << report.text();
  EXPECT_EQ(numbers_of(w.grad()), numbers_of(before));
}

TEST(KeptTensors, SeveralResultsOfWhichSomeDependOnNoInput) {
  const Tensor w = kept_leaf();
  const Report report = check_keeping(
      [w](const variable_list& x) {
        return variable_list{x[0] * w, w * 2, w};
      },
      x23(), {w});
  EXPECT_TRUE(report.ok()) << report.text();
}

struct TimesKept : autograd::Function<TimesKept> {
  static Tensor forward(autograd::AutogradContext* ctx, const Tensor& x, const Tensor& w) {
    ctx->save_for_backward({x, w});
    return x * w;
  }
  static variable_list backward(autograd::AutogradContext* ctx, variable_list grads) {
    const variable_list saved = ctx->get_saved_variables();
    return {grads[0] * saved[1], grads[0] * saved[0]};
  }
};

TEST(KeptTensors, AFunctionOfAUsersMayBeGivenOne) {
  const Tensor w = kept_leaf();
  const Report report = check_keeping(
      [w](const variable_list& x) { return variable_list{TimesKept::apply(x[0], w)}; }, x23(), {w},
      {.forward_mode = false});
  EXPECT_TRUE(report.ok()) << report.text();
}

/// Its gradient is the kept tensor itself.
struct GradientIsKept : autograd::Function<GradientIsKept> {
  static Tensor forward(autograd::AutogradContext* ctx, const Tensor& x, const Tensor& w) {
    ctx->save_for_backward({w});
    return (x * w).sum();
  }
  static variable_list backward(autograd::AutogradContext* ctx, variable_list grads) {
    const Tensor w = ctx->get_saved_variables()[0];
    return {grads[0].item<double>() == 1 ? w : grads[0] * w, Tensor()};
  }
};

TEST(KeptTensors, AGradientThatIsOneIsNotWrittenTo) {
  const Tensor w = kept_leaf();
  check_keeping(
      [w](const variable_list& x) { return variable_list{GradientIsKept::apply(x[0], w)}; }, x23(),
      {w}, {.forward_mode = false});
}

TEST(KeptTensors, AResultThatIsOneIsNotWrittenTo) {
  const Tensor w = kept_leaf();
  const std::vector<double> before = numbers_of(w.detach());
  const TensorFunction functions[] = {
      [w](const variable_list&) { return variable_list{w}; },
      [w](const variable_list&) { return variable_list{w.detach()}; },
      [w](const variable_list&) { return variable_list{w.view({6})}; }};
  for (const TensorFunction& f : functions) {
    check_everywhere(f, 1, {.samples = 2});
    EXPECT_EQ(numbers_of(w.detach()), before);
    EXPECT_EQ(w._version(), 0U);
    EXPECT_FALSE(w.grad().defined());
  }
}

TEST(KeptTensors, AWrongRuleBesideOneIsStillFound) {
  const Tensor w = kept_leaf();
  const Rules wrong = sine_off_by(1.001);
  current = &wrong;
  const Report report = check_keeping(
      [w](const variable_list& x) { return variable_list{Ruled::apply(x[0]) * w}; }, x23(), {w});
  expect_fail(report, "reverse", "wrong");
}

/// Records although nothing requires grad, by a leaf that it makes itself.
TEST(KeptTensors, ALeafThatEveryCallMakesAnewIsNoneOfThem) {
  const Report report = check(
      [](const Tensor& x) {
        const EnableGradGuard recording;
        return x * ones_like(x).requires_grad_(true);
      },
      {x23()});
  EXPECT_EQ(report.only("subsets").verdict(), Verdict::Fail) << report.text();
  EXPECT_EQ(report.only("no-grad").verdict(), Verdict::Fail) << report.text();
}

}  // namespace
}  // namespace notape::verify
