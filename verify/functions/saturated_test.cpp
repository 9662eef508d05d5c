// Rules as people write them, right in every digit that their dtype has, where their functions are
// saturated: what cancels to nothing there is roundings, and no evidence.
#include <cmath>

#include "verify/checks/structure_test_helper.h"

namespace notape::verify {
namespace {

using autograd::AutogradContext;
using autograd::Function;

struct TanhOfResult : Function<TanhOfResult> {
  static Tensor forward(AutogradContext* ctx, const Tensor& x) {
    const Tensor y = tanh(x);
    ctx->save_for_backward({y});
    return y;
  }
  static variable_list backward(AutogradContext* ctx, variable_list grads) {
    const Tensor y = ctx->get_saved_variables()[0];
    return {grads[0] * (1 - y * y)};
  }
};
struct SoftmaxOfResult : Function<SoftmaxOfResult> {
  static Tensor forward(AutogradContext* ctx, const Tensor& x) {
    const Tensor p = softmax(x, -1);
    ctx->save_for_backward({p});
    return p;
  }
  static variable_list backward(AutogradContext* ctx, variable_list grads) {
    const Tensor p = ctx->get_saved_variables()[0];
    return {p * (grads[0] - (grads[0] * p).sum({-1}, true))};
  }
};
struct Attention : Function<Attention> {
  static Tensor weights(const Tensor& q, const Tensor& k) { return softmax(matmul(q, k.t()), -1); }
  static Tensor forward(AutogradContext* ctx, const Tensor& q, const Tensor& k, const Tensor& v) {
    ctx->save_for_backward({q, k, v});
    return matmul(weights(q, k), v);
  }
  static variable_list backward(AutogradContext* ctx, variable_list grads) {
    const variable_list saved = ctx->get_saved_variables();
    const Tensor p = weights(saved[0], saved[1]), of_p = matmul(grads[0], saved[2].t());
    const Tensor of_scores = p * (of_p - (of_p * p).sum({-1}, true));
    return {matmul(of_scores, saved[1]), matmul(of_scores.t(), saved[0]), matmul(p.t(), grads[0])};
  }
};
struct Entropy : Function<Entropy> {
  static Tensor logs(const Tensor& x) { return x - logsumexp(x, {-1}, true); }
  static Tensor forward(AutogradContext* ctx, const Tensor& x) {
    ctx->save_for_backward({x});
    return -(logs(x) * exp(logs(x))).sum({-1});
  }
  static variable_list backward(AutogradContext* ctx, variable_list grads) {
    const Tensor l = logs(ctx->get_saved_variables()[0]), p = exp(l);
    return {-grads[0].unsqueeze(-1) * p * (l - (l * p).sum({-1}, true))};
  }
};
struct Unit : Function<Unit> {
  static Tensor length(const Tensor& x) { return rsqrt((x * x).sum({-1}, true)); }
  static Tensor forward(AutogradContext* ctx, const Tensor& x) {
    const Tensor y = x * length(x);
    ctx->save_for_backward({x, y});
    return y;
  }
  static variable_list backward(AutogradContext* ctx, variable_list grads) {
    const variable_list saved = ctx->get_saved_variables();
    const Tensor &x = saved[0], &y = saved[1];
    return {length(x) * (grads[0] - y * (y * grads[0]).sum({-1}, true))};
  }
};
struct Cosine : Function<Cosine> {
  static Tensor forward(AutogradContext* ctx, const Tensor& x, const Tensor& y) {
    const Tensor result = (x * y).sum({-1}, true) * Unit::length(x) * Unit::length(y);
    ctx->save_for_backward({x, y, result});
    return result.squeeze(-1);
  }
  static variable_list backward(AutogradContext* ctx, variable_list grads) {
    const variable_list saved = ctx->get_saved_variables();
    const Tensor &x = saved[0], &y = saved[1], &c = saved[2], g = grads[0].unsqueeze(-1);
    const Tensor a = Unit::length(x), b = Unit::length(y);
    return {g * (y * a * b - c * x * a * a), g * (x * a * b - c * y * b * b)};
  }
};

/// At several seeds, since alarms depend on directions.
template <typename Rule, typename... Inputs>
void expect_no_alarm(const Inputs&... inputs) {
  const TensorFunction f = [](const variable_list& x) -> variable_list {
    return [&]<std::size_t... I>(std::index_sequence<I...>)->variable_list {
      return {Rule::apply(x[I]...)};
    }
    (std::index_sequence_for<Inputs...>());
  };
  for (uint64_t seed : {1, 2, 6, 9}) {
    const Report report = check(f, {inputs...}, {.forward_mode = false, .seed = seed});
    EXPECT_FALSE(is_red(report.verdict())) << "seed " << seed << ": " << report.text();
  }
}

const std::vector<double> kLarge = {8.5, 12.7, -3, 11.7, -16.6, -6.3};
const std::vector<double> kLogits = {30, 0, 1, -3, 2, 40, 1, -1};

TEST(Saturated, RulesInFloat32AreNotBlamedForTheirRoundings) {
  expect_no_alarm<TanhOfResult>(leaf(kLarge, {6}, kFloat32));
  expect_no_alarm<TanhOfResult>(leaf({8.5, 9, 10, 8.2}, {4}, kFloat32));
  expect_no_alarm<SoftmaxOfResult>(leaf(kLogits, {2, 4}, kFloat32));
  expect_no_alarm<Entropy>(leaf(kLogits, {2, 4}, kFloat32));
  expect_no_alarm<Unit>(leaf({2.27684903, -3.89292789, -1.92444122, 8.0202837}, {4, 1}, kFloat32));
  const Tensor x = leaf({3, -8, 11, 2, 7, -5, 1, 9, 20, -4, 6, -13}, {3, 4}, kFloat32);
  expect_no_alarm<Cosine>(x, (x * 2).detach().requires_grad_(true));
}

TEST(Saturated, TermsThatCancelLeaveRoundingsInFloat64Too) {
  expect_no_alarm<Attention>(leaf({-3.3, 2.4, 6.8, 0, -.5, -2.2}, {3, 2}),
                             leaf({2, 4.9, -2.7, 1.7, -2.8, -1.6}, {3, 2}),
                             leaf({.2, -.75, -.8, .15, .9, -.2}, {3, 2}));
  expect_no_alarm<Attention>(leaf({-1.86, -3.03, 1.03, 2.83, -1.96, 10.66}, {3, 2}),
                             leaf({-1.97, 9.26, -22.1, -6.93, .1, -2.26}, {3, 2}),
                             leaf({-.198, -.314, -1.1, .575, 1.19, -1}, {3, 2}));
}

TEST(Saturated, AnIntermediateResultThatStandsStillInAllStepsIsSeenInOtherRoundingModes) {
  expect_no_alarm<Entropy>(leaf(
      {-5.7459054609151083, 0.30068343406690828, 23.419369840289882, -8.3542471491252073}, {1, 4}));
  expect_no_alarm<Entropy>(leaf({0, 23.5, -8.3}, {1, 3}));
}

/// Half as large again wherever it is saturated.
struct WrongWhereSaturated : Function<WrongWhereSaturated> {
  static Tensor forward(AutogradContext* ctx, const Tensor& x) {
    return TanhOfResult::forward(ctx, x);
  }
  static variable_list backward(AutogradContext* ctx, variable_list grads) {
    const Tensor y = ctx->get_saved_variables()[0];
    return {grads[0] * where(y.abs() > 0.9, 1.5 * (1 - y * y), 1 - y * y)};
  }
};

TEST(Saturated, AMistakeThatIsLargerThanRoundingsIsFound) {
  for (ScalarType type : {kFloat64, kFloat32})
    for (uint64_t seed = 1; seed <= 5; ++seed) {
      const auto f = tensor_function([](const Tensor& x) { return WrongWhereSaturated::apply(x); });
      const Report report = check(f, {leaf({2, 3, -1, 2.5}, {4}, type)},
                                  {.order = 1, .forward_mode = false, .seed = seed});
      EXPECT_TRUE(is_red(report.verdict())) << "seed " << seed << ": " << report.text();
    }
}

}  // namespace
}  // namespace notape::verify
