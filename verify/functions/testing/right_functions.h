// Right functions that mislead differences of their values: saturated, cancelling, rounded inside,
// with infinite entries. Add a row, and every test over the table asks for it.
#pragma once
#include <cmath>
#include <limits>

#include "autograd/autograd.h"
#include "ops/ops.h"
#include "ops/spec/op_spec.h"
#include "verify/generate/drawn_case.h"
#include "verify/gradcheck.h"

namespace notape::verify {

/// Entries of x: `count` numbers in [low, high], other ones for every seed, then those in `also`.
struct Entries {
  double low, high;
  int64_t count = 6;
  std::vector<double> also = {};
};

struct RightFunction {
  std::string name;
  std::function<Tensor(const Tensor& x)> f;
  Entries entries;
  int order = 2;
};

inline Tensor drawn_entries(const Entries& entries, uint64_t seed) {
  std::vector<double> values;
  for (int64_t i = 0; i < entries.count; ++i)
    values.push_back(entries.low +
                     (entries.high - entries.low) *
                         keyed_bits(static_cast<uint32_t>(seed), 99, static_cast<std::size_t>(i)) *
                         0x1p-32);
  values.insert(values.end(), entries.also.begin(), entries.also.end());
  const auto count = static_cast<int64_t>(values.size());
  return tensor(values, dtype(kFloat64)).reshape({count}).detach().requires_grad_(true);
}

inline std::vector<RightFunction> right_functions() {
  constexpr double kInfinity = std::numeric_limits<double>::infinity();
  const double kNan = std::nan("");
  const auto tanh_gelu = [](const Tensor& x) {
    return 0.5 * x * (1 + tanh((x + 0.044715 * x * x * x) * 0.7978845608028654));
  };
  const auto erf_gelu = [](const Tensor& x) { return 0.5 * x * (1 + erf(x * M_SQRT1_2)); };
  const auto sigmoid_by_hand = [](const Tensor& x) { return 1 / (1 + exp(-x)); };
  const auto softplus = [](const Tensor& x) { return log(1 + exp(x)); };
  const auto swish = [](const Tensor& x) { return x * sigmoid(x); };
  const auto entropy = [](const Tensor& x) { return x * log(x); };
  const auto versine = [](const Tensor& x) { return (1 - cos(x)) / (x * x); };
  const auto in_float32 = [](const Tensor& x) { return sin(x.to(kFloat32)).to(x.dtype()); };
  const auto norm = [](const Tensor& x) {
    const Tensor centred = x - mean(x);
    return centred / sqrt(mean(centred * centred) + 1e-5);
  };
  const auto table = [](const Tensor& x) {
    const Tensor place = x * 8, left = place.to(kInt64).to(x.dtype());
    const Tensor part = place - left;
    return sin(left / 8) * (1 - part) + sin((left + 1) / 8) * part;
  };
  return {
      {"tanh-GELU, wide", tanh_gelu, {-8, 8}},
      {"tanh-GELU, saturated", tanh_gelu, {-7, -5}},
      {"tanh-GELU, many", tanh_gelu, {-8, 8, 24}},
      {"tanh-GELU, summed", [=](const Tensor& x) { return sum(tanh_gelu(x)); }, {-8, 8}},
      {"erf-GELU, wide", erf_gelu, {-8, 8}},
      {"erf-GELU, saturated", erf_gelu, {-7, -4}},
      {"sigmoid, wide", [](const Tensor& x) { return sigmoid(x); }, {-40, 30}},
      {"sigmoid by hand", sigmoid_by_hand, {-40, 20}},
      {"sigmoid, saturated", sigmoid_by_hand, {15, 30}},
      {"tanh, wide", [](const Tensor& x) { return tanh(x); }, {-12, 12}},
      {"1 - tanh^2", [](const Tensor& x) { return 1 - tanh(x) * tanh(x); }, {-9, 9}},
      {"softplus by hand, wide", softplus, {-30, 30}},
      {"softplus by hand, saturated", softplus, {-25, -12}},
      {"log1p of exp", [](const Tensor& x) { return log1p(exp(x)); }, {-40, 40}},
      {"erfc", [](const Tensor& x) { return 1 - erf(x); }, {-5, 5}},
      {"erfc, saturated", [](const Tensor& x) { return 1 - erf(x); }, {3, 5.5}},
      {"logsumexp", [](const Tensor& x) { return logsumexp(x, 0); }, {-30, 30}},
      {"logsumexp by hand", [](const Tensor& x) { return log(sum(exp(x))); }, {-20, 20}},
      {"softmax, saturated", [](const Tensor& x) { return softmax(x, 0); }, {-30, 30}},
      {"p log p", entropy, {0.01, 1, 4, {1e-12}}},
      {"p log p, summed", [=](const Tensor& x) { return -sum(entropy(x)); }, {0.01, 1, 4, {1e-12}}},
      {"p log (p + 1e-8)", [](const Tensor& x) { return x * log(x + 1e-8); }, {0, 1, 4, {1e-12}}},
      {"binary entropy",
       [](const Tensor& x) { return x * log(x) + (1 - x) * log(1 - x); },
       {1e-6, 1 - 1e-6}},
      {"swish, far below", swish, {-45, -35}},
      {"swish, wide", swish, {-40, 10}},
      {"versine", versine, {0.05, 2}},
      {"versine, near 0", versine, {1e-3, 5e-3}},
      {"sin x / x", [](const Tensor& x) { return sin(x) / x; }, {1e-6, 3}},
      {"sqrt(x^2 + eps)",
       [](const Tensor& x) { return sqrt(x * x + 1e-12); },
       {-1, 1, 4, {0, 1e-7}}},
      {"sqrt(x^2 + 1) - 1", [](const Tensor& x) { return sqrt(x * x + 1) - 1; }, {-1e-3, 1e-3}},
      {"x / (|x| + 1)", [](const Tensor& x) { return x / (abs(x) + 1); }, {-5, 5}},
      {"float32 inside", in_float32, {-2, 2}, 1},
      {"float32 inside, product", [=](const Tensor& x) { return x * in_float32(x); }, {-2, 2}, 1},
      {"layer norm", norm, {-2, 2}},
      {"layer norm, tiny variance", norm, {1, 1 + 1e-6}},
      {"layer norm, large mean", norm, {1000, 1001}},
      {"interpolation table", table, {0.01, 3}, 1},
      {"expm1 by hand", [](const Tensor& x) { return exp(x) - 1; }, {-1e-5, 1e-5}},
      {"log(1 + x)", [](const Tensor& x) { return log(1 + x); }, {-1e-6, 1e-6}},
      {"mish", [=](const Tensor& x) { return x * tanh(softplus(x)); }, {-30, 10}},
      {"elu", [](const Tensor& x) { return where(x > 0, x, exp(x) - 1); }, {-40, 5}},
      {"hard sigmoid", [](const Tensor& x) { return clamp(x / 6 + 0.5, 0, 1); }, {-8, 8}},
      {"huber, offset", [](const Tensor& x) { return sqrt(x * x + 1) + 1e6; }, {-2, 2}},
      {"logit", [](const Tensor& x) { return log(x / (1 - x)); }, {1e-9, 1 - 1e-9}},
      {"exp of a minus square", [](const Tensor& x) { return exp(-(x * x)); }, {-7, 7}},
      {"minus infinity below", [](const Tensor& x) { return exp(x); }, {-2, 2, 4, {-kInfinity}}},
      {"infinite entries",
       [](const Tensor& x) { return tanh(x); },
       {-2, 2, 4, {kInfinity, -kInfinity}}},
      {"where, infinite entry",
       [](const Tensor& x) { return where(x < 1, cos(x), zeros_like(x)); },
       {-2, 0.9, 4, {kInfinity}}},
      {"masked softmax",
       [](const Tensor& x) { return softmax(x, 0); },
       {-2, 2, 4, {-kInfinity, -kInfinity}}},
      {"a row with NaN masked",
       [](const Tensor& x) { return where(x == x, sin(x), zeros_like(x)); },
       {-2, 2, 4, {kNan}}},
      {"relu, many", [](const Tensor& x) { return relu(x); }, {-2, 2, 20}},
  };
}

}  // namespace notape::verify
