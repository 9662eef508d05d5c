// Right functions where verdicts are hard to come by: infinite entries, saturation, underflow,
// cancellation, quantised values, the neighbourhood of kinks, the ends of domains.
#include <cmath>

#include "ops/activation.h"
#include "ops/reduce.h"
#include "ops/selection.h"
#include "ops/transcendental.h"
#include "verify/corpus/family.h"

namespace notape::verify::corpus {
namespace {

/// Entries in [low, high), but for two at the infinities.
std::function<variable_list(InputDraw&)> with_infinities(double low, double high) {
  return [=](InputDraw& draw) -> variable_list {
    Numbers values = numbers_of(draw.uniform({7}, low, high).detach());
    values[static_cast<std::size_t>(draw.integer(0, 3))] = HUGE_VAL;
    values[static_cast<std::size_t>(draw.integer(4, 6))] = -HUGE_VAL;
    return {make_tensor(values, {7}, kFloat64).requires_grad_(true)};
  };
}

std::function<variable_list(InputDraw&)> of_magnitudes(double low, double high, bool both_signs) {
  return drawn({both_signs ? signed_magnitudes({7}, low, high) : magnitudes({7}, low, high)});
}

/// 1 / cosh(x)^2, right in both tails
Tensor tanh_slope(const Tensor& x) {
  const Tensor tail = exp(-2 * abs(x));
  return 4 * tail / square(1 + tail);
}

void add_infinite(Family& family) {
  family.add(Elementwise{.name = "tanh_at_infinity",
                         .forward = [](const variable_list& x) { return tanh(x[0]); },
                         .slopes = [](const variable_list& x, const Slip& slip) -> variable_list {
                           return {slip("factor") ? 2 * tanh_slope(x[0]) : tanh_slope(x[0])};
                         },
                         .inputs = with_infinities(-2, 2),
                         .slips = {"factor"},
                         .traits = {.order = 1}});
  family.add(Elementwise{.name = "masked_cosine",  // cos x below 1, 0 elsewhere, at infinity, too
                         .forward = [](const variable_list& x) -> Tensor {
                           return where(x[0] < 0, cos(x[0]), zeros_like(x[0]));
                         },
                         .slopes = [](const variable_list& in, const Slip& slip) -> variable_list {
                           const Tensor& x = in[0];
                           return {where(x < 0, slip("sign") ? sin(x) : -sin(x), zeros_like(x))};
                         },
                         .inputs = [](InputDraw& draw) -> variable_list {
                           Numbers values = numbers_of(draw.off_kinks({6}, -3, 3, {0}).detach());
                           values[2] = HUGE_VAL;
                           return {make_tensor(values, {6}, kFloat64).requires_grad_(true)};
                         },
                         .slips = {"sign"},
                         .traits = {.order = 1, .kinks = true}});
  family.add(Authored{
      .name = "masked_log_sum_exp",  // of rows where -inf masks entries
      .forward = [](const variable_list& x) -> variable_list { return {logsumexp(x[0], 1)}; },
      .backward = [](const Call& call) -> variable_list {
        const Tensor p = exp(call.x[0] - call.y[0].unsqueeze(1));
        const Tensor given = call.given[0].unsqueeze(1);
        return {call.slip("mean")   ? given * p / 4
                : call.slip("ones") ? given * (p > 0).to(kFloat64)
                                    : given * p};
      },
      .inputs = [](InputDraw& draw) -> variable_list {
        Numbers values = numbers_of(draw.uniform({2, 4}, -5, 5).detach());
        values[static_cast<std::size_t>(draw.integer(0, 3))] = -HUGE_VAL;
        return {make_tensor(values, {2, 4}, kFloat64).requires_grad_(true)};
      },
      .slips = {{"mean", Kind::LostFactor}, {"ones", Kind::LostFactor}},
      .traits = {.order = 1}});
}

void add_flat(Family& family) {
  family.add(Elementwise{.name = "sigmoid_saturated",
                         .forward = [](const variable_list& x) { return sigmoid(x[0]); },
                         .slopes = [](const variable_list& in, const Slip& slip) -> variable_list {
                           const Tensor x = seen(in[0], slip), slope = sigmoid(x) * sigmoid(-x);
                           if (slip("far")) return {where(x > 15, 7 * slope, slope)};
                           return {slip("square") ? square(sigmoid(x)) : slope};
                         },
                         .inputs = between(-40, 40),
                         .slips = {"far", {"square", Kind::LostTerm}, "detached"}});
  family.add(Elementwise{.name = "tanh_saturated",
                         .forward = [](const variable_list& x) { return tanh(x[0]); },
                         .slopes = [](const variable_list& in, const Slip& slip) -> variable_list {
                           const Tensor x = seen(in[0], slip), slope = tanh_slope(x);
                           if (slip("far")) return {where(abs(x) > 6, 3 * slope, slope)};
                           return {slip("root") ? sqrt(slope) : slope};
                         },
                         .inputs = between(-20, 20),
                         .slips = {"far", "root", "detached"}});
  family.add(Elementwise{.name = "exp_underflow",
                         .forward = [](const variable_list& x) { return exp(x[0]); },
                         .slopes = [](const variable_list& in, const Slip& slip) -> variable_list {
                           const Tensor slope = exp(seen(in[0], slip));
                           return {slip("factor") ? 1.001 * slope : slope};
                         },
                         .inputs = between(-700, -600),
                         .slips = {{"factor", Kind::WrongConstant}, "detached"}});
  family.add(Elementwise{.name = "steep_sigmoid",  // 1000 x
                         .forward = [](const variable_list& x) { return sigmoid(1000 * x[0]); },
                         .slopes = [](const variable_list& in, const Slip& slip) -> variable_list {
                           const Tensor s = sigmoid(1000 * seen(in[0], slip));
                           return {(slip("constant") ? 1000.001 : 1000) * s * (1 - s)};
                         },
                         .inputs = between(-0.01, 0.01),
                         .slips = {"constant", "detached"}});
}

void add_cancelling(Family& family) {
  family.add(Looped{.name = "sinc",
                    .inputs_of_loop = 1,
                    .forward = [](const double* x) { return std::sin(*x) / *x; },
                    .slopes = [](const double* x, const Slip& slip, double* slopes) -> void {
                      const double s = *x * *x;
                      slopes[0] = std::abs(*x) < 0.05
                                      ? -*x / 3 + *x * s * (1.0 / 30 - s * (1.0 / 840 - s / 45360))
                                      : (std::cos(*x) - std::sin(*x) / *x) / *x;
                      if (slip("term")) slopes[0] = std::cos(*x) / *x;
                      if (slip("near") && std::abs(*x) < 0.05) slopes[0] = 0;
                    },
                    .inputs = of_magnitudes(1e-4, 8, true),
                    .slips = {"term", {"near", Kind::WrongBranch}}});
  family.add(
      Looped{.name = "versine_ratio",  // (1 - cos x) / x^2: the value is noise where x is small
             .inputs_of_loop = 1,
             .forward = [](const double* x) { return (1 - std::cos(*x)) / (*x * *x); },
             .slopes = [](const double* x, const Slip& slip, double* slopes) -> void {
               const double s = *x * *x;
               slopes[0] = std::abs(*x) < 0.1
                               ? *x * (-1.0 / 12 + s * (1.0 / 180 - s * (1.0 / 6720 - s / 453600)))
                               : (std::sin(*x) - 2 * (1 - std::cos(*x)) / *x) / s;
               if (slip("factor")) slopes[0] *= 2;
             },
             .inputs = of_magnitudes(1e-2, 6, true),
             .slips = {"factor"}});
  family.add(Elementwise{
      .name = "quantised_square",  // ((x + 2^26) - 2^26)^2: steps of 1.5e-8
      .forward = [](const variable_list& x) { return square((x[0] + 0x1p26) - 0x1p26); },
      .slopes = [](const variable_list& x, const Slip& slip) -> variable_list {
        return {(slip("factor") ? 1 : 2) * ((x[0] + 0x1p26) - 0x1p26)};
      },
      .inputs = between(0.5, 2),
      .slips = {"factor"}});
  family.add(Elementwise{
      .name = "far_hypotenuse",  // over sixteen decades
      .forward = [](const variable_list& x) { return sqrt(square(x[0]) + square(x[1])); },
      .slopes = [](const variable_list& x, const Slip& slip) -> variable_list {
        const Tensor far = sqrt(square(x[0]) + square(x[1]));
        return {x[0] / far, slip("swapped") ? x[0] / far : slip("missing") ? Tensor() : x[1] / far};
      },
      .inputs = drawn({signed_magnitudes({6}, 1e-8, 1e8), signed_magnitudes({6}, 1e-8, 1e8)}),
      .slips = {"swapped", "missing"}});
}

void add_rounded(Family& family) {
  family.add(Elementwise{
      .name = "sine_in_float32",
      .forward = [](const variable_list& x) { return sin(x[0].to(kFloat32)).to(x[0].dtype()); },
      .slopes = [](const variable_list& in, const Slip& slip) -> variable_list {
        const Tensor slope = cos(in[0].to(kFloat32)).to(in[0].dtype());
        return {slip("sign") ? -slope : slip("factor") ? 1.1 * slope : slope};
      },
      .inputs = between(-3, 3),
      .slips = {"sign", {"factor", Kind::WrongConstant}},
      .traits = {.order = 1, .single_precision = true}});
  family.add(Authored{.name = "softmax_in_float32",
                      .forward = [](const variable_list& x) -> variable_list {
                        return {softmax(x[0].to(kFloat32), 1).to(x[0].dtype())};
                      },
                      .backward = [](const Call& call) -> variable_list {
                        const Tensor p = call.y[0].to(kFloat32), given = call.given[0].to(kFloat32);
                        const Tensor pull =
                            call.slip("term") ? zeros_like(given) : sum(given * p, 1, true);
                        return {(p * (given - pull)).to(call.x[0].dtype())};
                      },
                      .inputs = between(-3, 3, {2, 4}),
                      .slips = {"term"},
                      .traits = {.order = 1, .single_precision = true}});
  family.add(Authored{
      .name = "layer_norm_in_float32",
      .forward = [](const variable_list& x) -> variable_list {
        const Tensor in = x[0].to(kFloat32), centred = in - mean(in, 1, true);
        return {(centred * rsqrt(mean(square(centred), 1, true) + 1e-5)).to(x[0].dtype())};
      },
      .backward = [](const Call& call) -> variable_list {
        const Tensor in = call.x[0].to(kFloat32), given = call.given[0].to(kFloat32);
        const Tensor centred = in - mean(in, 1, true);
        const Tensor rate = rsqrt(mean(square(centred), 1, true) + 1e-5), y = centred * rate;
        const Tensor centre = (call.slip("mean-twice") ? 2 : 1) * mean(given, 1, true);
        return {(rate * (given - centre - y * mean(given * y, 1, true))).to(call.x[0].dtype())};
      },
      .inputs = between(-3, 3, {2, 6}),
      .slips = {"mean-twice"},
      .traits = {.order = 1, .single_precision = true}});
}

void add_edges(Family& family) {
  family.add(Elementwise{
      .name = "beside_a_kink",  // relu(x - 1), x nearer and nearer to 1
      .forward = [](const variable_list& x) { return relu(x[0] - 1); },
      .slopes = [](const variable_list& in, const Slip& slip) -> variable_list {
        if (slip("sign")) return {(in[0] < 1).to(in[0].dtype())};
        return {(slip("factor") ? 0.5 : 1) * (in[0] > 1).to(in[0].dtype())};
      },
      .inputs = [](InputDraw& draw) -> variable_list {
        return {constant(1 + draw.signed_magnitudes({6}, 1e-12, 1)).requires_grad_(true)};
      },
      .slips = {"sign", "factor"},
      .traits = {.kinks = true}});
  family.add(
      Authored{.name = "shared_maximum",  // tied maxima share the gradient
               .forward = [](const variable_list& x) -> variable_list { return {max(x[0])}; },
               .backward = [](const Call& call) -> variable_list {
                 const Tensor top = (call.x[0] == call.y[0]).to(kFloat64);
                 if (call.slip("all")) return {call.given[0] * top};
                 return {call.given[0] * top / (call.slip("count") ? 1 + sum(top) : sum(top))};
               },
               .inputs = drawn({whole({6}, 0, 2)}),
               .slips = {{"all", Kind::AtTies}, {"count", Kind::WrongConstant}},
               .traits = {.order = 1, .kinks = true}});
}

void add_ends(Family& family) {
  family.add(Looped{.name = "sqrt_near_zero",
                    .inputs_of_loop = 1,
                    .forward = [](const double* x) { return std::sqrt(*x); },
                    .slopes = [](const double* x, const Slip& slip, double* slopes) -> void {
                      slopes[0] = 0.5 / std::sqrt(*x + (slip("epsilon") ? 1e-9 : 0));
                      if (slip("factor")) slopes[0] *= 2;
                    },
                    .inputs = of_magnitudes(1e-12, 1, false),
                    .slips = {"epsilon", "factor"}});
  family.add(Looped{.name = "acos_near_one",
                    .inputs_of_loop = 1,
                    .forward = [](const double* x) { return std::acos(*x); },
                    .slopes = [](const double* x, const Slip& slip, double* slopes) -> void {
                      const double below = std::sqrt((1 - *x) * (1 + *x));
                      slopes[0] = slip("clamped") ? -1 / std::max(below, 1e-2) : -1 / below;
                      if (slip("sign")) slopes[0] = 1 / below;
                    },
                    .inputs = [](InputDraw& draw) -> variable_list {
                      return {constant(1 - draw.magnitudes({6}, 1e-9, 1.9)).requires_grad_(true)};
                    },
                    .slips = {{"clamped", Kind::AtSaturation}, "sign"}});
  family.add(Looped{.name = "log_over_decades",
                    .inputs_of_loop = 1,
                    .forward = [](const double* x) { return std::log(*x); },
                    .slopes = [](const double* x, const Slip& slip, double* slopes) -> void {
                      slopes[0] =
                          (slip("base") ? M_LOG10E : 1) / (*x + (slip("epsilon") ? 1e-10 : 0));
                    },
                    .inputs = of_magnitudes(1e-12, 1e12, false),
                    .slips = {{"base", Kind::WrongConstant}, "epsilon"}});
  family.add(Elementwise{
      .name = "fast_wave",  // x + sin(2 pi 64 x) / 2
      .forward = [](const variable_list& x) { return x[0] + 0.5 * sin(128 * M_PI * x[0]); },
      .slopes = [](const variable_list& in, const Slip& slip) -> variable_list {
        const Tensor x = seen(in[0], slip);
        if (slip("wave")) return {ones_like(x)};
        return {1 + (slip("factor") ? 0.5 : 64 * M_PI) * cos(128 * M_PI * x)};
      },
      .inputs = between(-1, 1),
      .slips = {{"wave", Kind::LostTerm}, "factor", "detached"}});
}

}  // namespace

void add_hard_inputs(std::vector<Entry>& entries) {
  Family family("hard-inputs", entries);
  add_infinite(family);
  add_flat(family);
  add_cancelling(family);
  add_rounded(family);
  add_edges(family);
  add_ends(family);
}

}  // namespace notape::verify::corpus
