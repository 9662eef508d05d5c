// Smooth activations, fused into one operator each, with slopes as they are written by hand.
#include <cmath>

#include "ops/selection.h"
#include "ops/transcendental.h"
#include "verify/corpus/family.h"

namespace notape::verify::corpus {
namespace {

constexpr double kRootHalf = 0.70710678118654752, kRootTwoOverPi = 0.79788456080286536,
                 kNormalPeak = 0.39894228040143268;

/// 0.5 x (1 + tanh(sqrt(2 / pi) (x + 0.044715 x^3)))
Tensor gelu_tanh(const variable_list& x) {
  return 0.5 * x[0] * (1 + tanh(kRootTwoOverPi * (x[0] + 0.044715 * x[0] * x[0] * x[0])));
}

variable_list gelu_tanh_slopes(const variable_list& in, const Slip& slip) {
  const Tensor x = seen(in[0], slip);
  const double cubic = slip("constant") ? 0.044714 : 0.044715;
  const Tensor t = tanh(kRootTwoOverPi * (x + cubic * x * x * x));
  const Tensor inner = kRootTwoOverPi * (1 + (slip("chain") ? 1 : 3) * cubic * x * x);
  const Tensor slope = 0.5 * (1 + t) + 0.5 * x * (1 - t * t) * inner;
  if (slip("far")) return {where(x > 3, ones_like(x), slope)};
  return {slip("term") ? 0.5 * (1 + t) : slope};
}

const std::vector<Slipping> kGeluSlips = {"constant", "chain", "term", "far", "detached"};

void add_gelus(Family& family) {
  family.add(Elementwise{
      .name = "gelu_erf",
      .forward = [](const variable_list& x) { return x[0] * 0.5 * (1 + erf(x[0] * kRootHalf)); },
      .slopes = [](const variable_list& in, const Slip& slip) -> variable_list {
        const Tensor x = seen(in[0], slip);
        const Tensor below = 0.5 * (1 + erf(x * kRootHalf));
        const Tensor peak = exp(-0.5 * x * x) * (slip("constant") ? 0.3989422 : kNormalPeak);
        if (slip("sign")) return {below - x * peak};
        return {slip("term") ? below : below + x * peak};
      },
      .inputs = between(-6, 6),
      .slips = {"constant", "sign", "term", "detached"}});
  family.add(Elementwise{.name = "gelu_tanh",
                         .forward = gelu_tanh,
                         .slopes = gelu_tanh_slopes,
                         .inputs = between(-8, 8),
                         .slips = kGeluSlips});
  family.add(Elementwise{.name = "gelu_tanh_far_left",
                         .forward = gelu_tanh,
                         .slopes = gelu_tanh_slopes,
                         .inputs = between(-7, -5),
                         .slips = {"chain", "term"}});
  family.add(
      Elementwise{.name = "quick_gelu",
                  .forward = [](const variable_list& x) { return x[0] * sigmoid(1.702 * x[0]); },
                  .slopes = [](const variable_list& in, const Slip& slip) -> variable_list {
                    const Tensor x = seen(in[0], slip);
                    const Tensor s = sigmoid((slip("constant") ? 1.7020001 : 1.702) * x);
                    return {s + (slip("factor") ? 1 : 1.702) * x * s * (1 - s)};
                  },
                  .inputs = between(-12, 12, {3, 4}),
                  .slips = {"constant", "factor", "detached"}});
}

void add_gates(Family& family) {
  family.add(Elementwise{.name = "silu",
                         .forward = [](const variable_list& x) { return x[0] / (1 + exp(-x[0])); },
                         .slopes = [](const variable_list& in, const Slip& slip) -> variable_list {
                           const Tensor x = seen(in[0], slip), s = sigmoid(x);
                           if (slip("sign")) return {s * (1 - x * (1 - s))};
                           if (slip("far"))
                             return {where(x > 10, ones_like(x), s * (1 + x * (1 - s)))};
                           return {slip("term") ? s : s * (1 + x * (1 - s))};
                         },
                         .inputs = between(-20, 20, {11}),
                         .slips = {"sign", "term", "far", "detached"}});
  family.add(
      Elementwise{.name = "swiglu",
                  .forward = [](const variable_list& x) { return x[0] * sigmoid(x[0]) * x[1]; },
                  .slopes = [](const variable_list& x, const Slip& slip) -> variable_list {
                    const Tensor s = sigmoid(x[0]), gate = x[0] * s;
                    const Tensor of_gate = (s + gate * (1 - s)) * x[1];
                    if (slip("swapped")) return {gate, of_gate};
                    if (slip("missing")) return {of_gate};
                    return {slip("factor") ? s + gate * (1 - s) : of_gate,
                            slip("detached") ? gate.detach() : gate};
                  },
                  .inputs = between(-5, 5, {2, 3}, 2),
                  .slips = {"swapped", "missing", "factor", "detached"}});
  family.add(Elementwise{.name = "bias_gelu",
                         .forward = [](const variable_list& x) { return gelu_tanh({x[0] + x[1]}); },
                         .slopes = [](const variable_list& x, const Slip& slip) -> variable_list {
                           const Tensor slope = gelu_tanh_slopes({x[0] + x[1]}, slip)[0];
                           if (slip("one-row"))
                             return {slope, slope * (arange(3).to(kFloat64).unsqueeze(1) == 0)};
                           if (slip("missing")) return {slope};
                           return {slope, slope};
                         },
                         .inputs = drawn({uniform({3, 4}, -4, 4), uniform({4}, -1, 1)}),
                         .slips = {"one-row", "missing", "constant"}});
  family.add(
      Elementwise{.name = "mish",
                  .forward = [](const variable_list& x) { return x[0] * tanh(log1p(exp(x[0]))); },
                  .slopes = [](const variable_list& in, const Slip& slip) -> variable_list {
                    const Tensor x = seen(in[0], slip), t = tanh(log1p(exp(x)));
                    const Tensor inner = slip("factor") ? ones_like(x) : sigmoid(x);
                    if (slip("square")) return {t + x * (1 - t) * inner};
                    return {t + x * (1 - t * t) * inner};
                  },
                  .inputs = between(-15, 15),
                  .slips = {"factor", {"square", Kind::LostFactor}, "detached"}});
}

void add_soft(Family& family) {
  family.add(Elementwise{.name = "softsign",
                         .forward = [](const variable_list& x) { return x[0] / (1 + abs(x[0])); },
                         .slopes = [](const variable_list& in, const Slip& slip) -> variable_list {
                           const Tensor x = seen(in[0], slip), d = 1 + abs(x);
                           return {slip("power") ? 1 / d : 1 / (d * d)};
                         },
                         .inputs = between(-30, 30),
                         .slips = {"power", "detached"},
                         .traits = {.kinks = true}});
  family.add(Elementwise{.name = "logsigmoid",
                         .forward = [](const variable_list& x) -> Tensor {
                           return minimum(x[0], zeros_like(x[0])) - log1p(exp(-abs(x[0])));
                         },
                         .slopes = [](const variable_list& in, const Slip& slip) -> variable_list {
                           const Tensor x = seen(in[0], slip);
                           if (slip("far")) return {where(x < -20, zeros_like(x), sigmoid(-x))};
                           return {sigmoid(slip("sign") ? x : -x)};
                         },
                         .inputs = between(-40, 40, {3, 3}),
                         .slips = {"sign", "far", "detached"},
                         .traits = {.kinks = true}});
  family.add(Elementwise{.name = "tanhshrink",
                         .forward = [](const variable_list& x) { return x[0] - tanh(x[0]); },
                         .slopes = [](const variable_list& in, const Slip& slip) -> variable_list {
                           const Tensor t = tanh(seen(in[0], slip));
                           return {slip("complement") ? 1 - t * t : t * t};
                         },
                         .inputs = drawn({signed_magnitudes({2, 5}, 1e-2, 8)}),
                         .slips = {{"complement", Kind::LostTerm}, "detached"}});
  family.add(Elementwise{
      .name = "snake",  // x + sin(a x)^2 / a, a per channel
      .forward = [](const variable_list& x) { return x[0] + square(sin(x[1] * x[0])) / x[1]; },
      .slopes = [](const variable_list& x, const Slip& slip) -> variable_list {
        const Tensor wave = sin(2 * x[1] * x[0]), s = sin(x[1] * x[0]);
        const Tensor of_rate = x[0] * wave / x[1] - square(s) / square(x[1]);
        if (slip("missing")) return {1 + wave};
        if (slip("term")) return {1 + wave, x[0] * wave / x[1]};
        return {slip("factor") ? 1 + 0.5 * wave : 1 + wave, of_rate};
      },
      .inputs = drawn({uniform({3, 4}, -4, 4), uniform({4}, 0.3, 3)}),
      .slips = {"missing", "term", "factor"}});
}

void add_looped(Family& family) {
  family.add(Looped{.name = "sigmoid_loop",
                    .inputs_of_loop = 1,
                    .forward = [](const double* x) { return 1 / (1 + std::exp(-*x)); },
                    .slopes = [](const double* x, const Slip& slip, double* slopes) -> void {
                      const double s = 1 / (1 + std::exp(-*x));
                      slopes[0] = slip("square") ? s * s : s * (1 - s);
                      if (slip("far") && *x > 6) slopes[0] *= 7;
                    },
                    .inputs = between(-40, 40, {7}),
                    .slips = {{"square", Kind::LostTerm}, "far"}});
  family.add(Looped{.name = "gelu_float32",
                    .inputs_of_loop = 1,
                    .forward = [](const double* x) -> double {
                      const auto f = static_cast<float>(*x);
                      return static_cast<double>(0.5F * f * (1 + std::erf(f * 0.70710678F)));
                    },
                    .slopes = [](const double* x, const Slip& slip, double* slopes) -> void {
                      const auto f = static_cast<float>(*x);
                      const float peak = 0.3989423F * std::exp(-0.5F * f * f);
                      slopes[0] = static_cast<double>(0.5F * (1 + std::erf(f * 0.70710678F)) +
                                                      (slip("sign") ? -f : f) * peak);
                      if (slip("term")) slopes[0] -= static_cast<double>(f * peak);
                    },
                    .inputs = between(-3, 3, {7}),
                    .slips = {"sign", "term"},
                    .traits = {.single_precision = true}});
}

}  // namespace

void add_activations(std::vector<Entry>& entries) {
  Family family("activations", entries);
  add_gelus(family);
  add_gates(family);
  add_soft(family);
  add_looped(family);
}

}  // namespace notape::verify::corpus
