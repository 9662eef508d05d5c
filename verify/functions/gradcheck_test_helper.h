// Functions with rules that a test gives, right or wrong, and what check() must say of them.
#pragma once
#include <gmock/gmock.h>

#include "autograd/autograd.h"
#include "ops/ops.h"
#include "verify/gradcheck.h"

namespace notape::verify {

inline Tensor leaf(const std::vector<double>& values, std::vector<int64_t> sizes,
                   ScalarType type = kFloat64) {
  return tensor(values, dtype(kFloat64)).reshape(sizes).to(type).detach().requires_grad_(true);
}
inline Tensor x23() { return leaf({0.3, -1.2, 0.7, 1.9, -0.4, 0.05}, {2, 3}); }

/// A function of one tensor with given rules: what an author of an operator writes, with
/// mistakes.
struct Rules {
  std::function<Tensor(const Tensor& x)> forward;
  std::function<Tensor(const Tensor& x, const Tensor& grad)> backward;
  std::function<Tensor(const Tensor& x, const Tensor& tangent)> jvp = backward;
};
inline const Rules* current = nullptr;
struct Ruled : autograd::Function<Ruled> {
  static Tensor forward(autograd::AutogradContext* ctx, const Tensor& x) {
    ctx->save_for_backward({x});
    return current->forward(x);
  }
  static variable_list backward(autograd::AutogradContext* ctx, variable_list grads) {
    return {current->backward(ctx->get_saved_variables()[0], grads[0])};
  }
  static variable_list jvp(autograd::AutogradContext* ctx, variable_list tangents) {
    return {current->jvp(ctx->get_saved_variables()[0], tangents[0])};
  }
};
inline Report check_rules(Rules rules, const Tensor& x = x23(), const CheckOptions& options = {}) {
  if (!rules.jvp) rules.jvp = rules.backward;
  current = &rules;
  return check([](const Tensor& at) { return Ruled::apply(at); }, {x}, options);
}
/// sin, with this backward; forward mode is right.
inline Rules sine(std::function<Tensor(const Tensor& x, const Tensor& grad)> backward) {
  return {[](const Tensor& x) { return sin(x); }, std::move(backward),
          [](const Tensor& x, const Tensor& tangent) { return tangent * cos(x); }};
}
inline Rules sine_off_by(double factor) {
  return sine([=](const Tensor& x, const Tensor& grad) { return grad * cos(x) * factor; });
}

/// (The second order's worst entry is the weakest: 1.3e-7 in these tests.)
inline void expect_pass(const Report& report, double power = 2e-7) {
  EXPECT_EQ(report.verdict(), Verdict::Pass) << report.text();
  EXPECT_TRUE(report.ok()) << report.text();
  EXPECT_GT(report.detectable(), 0);
  EXPECT_LT(report.detectable(), power);
}
inline void expect_fail(const Report& report, const std::string& check,
                        const std::string& message) {
  EXPECT_EQ(report.verdict(), Verdict::Fail) << report.text();
  EXPECT_EQ(report.only(check).verdict(), Verdict::Fail) << report.text();
  EXPECT_THAT(report.text(), ::testing::HasSubstr(message));
}

/// f with the derivative that `slope` says, in both modes.
inline Rules with_slope(std::function<Tensor(const Tensor& x)> f,
                        std::function<Tensor(const Tensor& x)> slope) {
  return {std::move(f), [slope](const Tensor& x, const Tensor& grad) { return grad * slope(x); },
          [slope](const Tensor& x, const Tensor& tangent) { return tangent * slope(x); }};
}

}  // namespace notape::verify
