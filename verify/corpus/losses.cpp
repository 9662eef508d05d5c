// Losses. Targets are constants unless their gradient is what libraries got wrong.
#include <cmath>

#include "ops/activation.h"
#include "ops/linalg.h"
#include "ops/reduce.h"
#include "ops/selection.h"
#include "ops/shape.h"
#include "ops/transcendental.h"
#include "verify/corpus/family.h"

namespace notape::verify::corpus {
namespace {

/// Logits and 0/1 targets.
std::function<variable_list(InputDraw&)> with_bits(double low, double high) {
  return drawn({uniform({2, 4}, low, high), bits({2, 4})});
}

/// Predictions and constant targets.
std::function<variable_list(InputDraw&)> with_target(double low, double high) {
  return [=](InputDraw& draw) -> variable_list {
    return {draw.uniform({3, 3}, low, high), constant(draw.uniform({3, 3}, low, high))};
  };
}

void add_binary(Family& family) {
  family.add(Elementwise{.name = "bce_with_logits",
                         .forward = [](const variable_list& x) -> Tensor {
                           return relu(x[0]) - x[0] * x[1] + log1p(exp(-abs(x[0])));
                         },
                         .slopes = [](const variable_list& in, const Slip& slip) -> variable_list {
                           const Tensor x = seen(in[0], slip);
                           if (slip("sign")) return {in[1] - sigmoid(x)};
                           if (slip("target"))
                             return {sigmoid(x) - (in[1] > 0.5).to(kFloat64) * 0.999999};
                           if (slip("far")) return {clamp(sigmoid(x), 1e-4, 1) - in[1]};
                           return {sigmoid(x) - in[1]};
                         },
                         .inputs = with_bits(-12, 12),
                         .slips = {"sign", {"target", Kind::WrongConstant}, "far", "detached"},
                         .traits = {.kinks = true}});
  family.add(Elementwise{.name = "bce",  // of probabilities
                         .forward = [](const variable_list& x) -> Tensor {
                           return -(x[1] * log(x[0]) + (1 - x[1]) * log(1 - x[0]));
                         },
                         .slopes = [](const variable_list& in, const Slip& slip) -> variable_list {
                           const Tensor p = seen(in[0], slip);
                           if (slip("lost")) return {(p - in[1]) / p};
                           return {(p - in[1]) / (p * (1 - p) + (slip("epsilon") ? 1e-6 : 0))};
                         },
                         .inputs = with_bits(1e-3, 1 - 1e-3),
                         .slips = {{"lost", Kind::LostFactor}, "epsilon", "detached"}});
  family.add(Elementwise{.name = "focal",  // -(1 - p)^2 log p for the true class, gamma 2
                         .forward = [](const variable_list& x) -> Tensor {
                           const Tensor p = sigmoid(x[0] * (2 * x[1] - 1));
                           return -square(1 - p) * log(p);
                         },
                         .slopes = [](const variable_list& in, const Slip& slip) -> variable_list {
                           const Tensor s = 2 * in[1] - 1, p = sigmoid(seen(in[0], slip) * s);
                           const Tensor modulating = slip("term") ? zeros_like(p) : 2 * p * log(p);
                           const Tensor slope = square(1 - p) * (modulating - (1 - p));
                           return {slip("sign") ? slope : slope * s};
                         },
                         .inputs = with_bits(-6, 6),
                         .slips = {"term", "sign", "detached"}});
}

void add_robust(Family& family) {
  family.add(
      Elementwise{.name = "huber",
                  .forward = [](const variable_list& x) -> Tensor {
                    const Tensor d = abs(x[0] - x[1]);
                    return where(d < 1.5, 0.5 * d * d, 1.5 * (d - 0.75));
                  },
                  .slopes = [](const variable_list& x, const Slip& slip) -> variable_list {
                    const Tensor d = x[0] - x[1];
                    const Tensor outside = sign(d) * (slip("factor") ? 1 : 1.5);
                    const Tensor slope = where(abs(d) < (slip("branch") ? 1 : 1.5), d, outside);
                    return {slope, slip("sign") ? slope : slip("missing") ? Tensor() : -slope};
                  },
                  .inputs = between(-3, 3, {3, 4}, 2),
                  .slips = {"factor", "branch", "sign", "missing"},
                  .traits = {.kinks = true}});
  family.add(Elementwise{.name = "log_cosh",  // |d| + log1p(exp(-2 |d|)) - log 2
                         .forward = [](const variable_list& x) -> Tensor {
                           const Tensor d = abs(x[0] - x[1]);
                           return d + log1p(exp(-2 * d)) - M_LN2;
                         },
                         .slopes = [](const variable_list& x, const Slip& slip) -> variable_list {
                           const Tensor d = seen(x[0], slip) - x[1];
                           return {tanh(slip("factor") ? 2 * d : d)};
                         },
                         .inputs = with_target(-10, 10),
                         .slips = {"factor", "detached"},
                         .traits = {.kinks = true}});
  family.add(Elementwise{
      .name = "charbonnier",  // sqrt(d^2 + eps^2), small d beside eps
      .forward = [](const variable_list& x) { return sqrt(square(x[0] - x[1]) + 1e-6); },
      .slopes = [](const variable_list& x, const Slip& slip) -> variable_list {
        const Tensor d = seen(x[0], slip) - x[1];
        if (slip("no-epsilon")) return {sign(d)};
        return {(slip("factor") ? 2 : 1) * d / sqrt(square(d) + 1e-6)};
      },
      .inputs = with_target(-0.01, 0.01),
      .slips = {"no-epsilon", "factor", "detached"}});
  family.add(
      Elementwise{.name = "hinge",  // max(0, 1 - s x), s = +-1
                  .forward = [](const variable_list& x) { return relu(1 - (2 * x[1] - 1) * x[0]); },
                  .slopes = [](const variable_list& x, const Slip& slip) -> variable_list {
                    const Tensor s = 2 * x[1] - 1;
                    const Tensor inside = (s * x[0] < (slip("branch") ? 0 : 1)).to(kFloat64);
                    return {slip("sign") ? inside * s : -inside * s};
                  },
                  .inputs = with_bits(-3, 3),
                  .slips = {"branch", "sign"},
                  .traits = {.kinks = true}});
}

void add_likelihoods(Family& family) {
  family.add(Elementwise{.name = "poisson_nll",  // exp(x) - t x, with log input
                         .forward = [](const variable_list& x) { return exp(x[0]) - x[1] * x[0]; },
                         .slopes = [](const variable_list& x, const Slip& slip) -> variable_list {
                           return {exp(seen(x[0], slip)) -
                                   (slip("term") ? zeros_like(x[1]) : x[1])};
                         },
                         .inputs = [](InputDraw& draw) -> variable_list {
                           return {draw.uniform({7}, -6, 6), constant(draw.whole({7}, 0, 9))};
                         },
                         .slips = {"term", "detached"}});
  family.add(Elementwise{
      .name = "gaussian_nll",  // 0.5 (log v + (x - t)^2 / v); mean, target, variance
      .forward = [](const variable_list& x) -> Tensor {
        return 0.5 * (log(x[2]) + square(x[0] - x[1]) / x[2]);
      },
      .slopes = [](const variable_list& x, const Slip& slip) -> variable_list {
        const Tensor d = (x[0] - x[1]) / x[2];
        const Tensor variance = 0.5 * ((slip("term") ? 0 : 1) / x[2] - d * d);
        if (slip("missing")) return {d, Tensor(), variance};
        return {d, slip("sign") ? d : -d, slip("factor") ? 2 * variance : variance};
      },
      .inputs =
          drawn({uniform({2, 3}, -2, 2), uniform({2, 3}, -2, 2), magnitudes({2, 3}, 0.05, 20)}),
      .slips = {"term", "missing", "sign", "factor"}});
  family.add(Authored{
      .name = "kl_div",  // sum of t (log t - x) by log input, mean over the batch
      .forward = [](const variable_list& x) -> variable_list {
        return {sum(x[1] * (log(x[1]) - x[0])) / x[0].size(0)};
      },
      .backward = [](const Call& call) -> variable_list {
        const Tensor &x = call.x[0], &t = call.x[1];
        const double batch =
            call.slip("batch") ? static_cast<double>(x.numel()) : static_cast<double>(x.size(0));
        const Tensor given = call.slip("incoming") ? ones_like(call.given[0]) : call.given[0];
        const Tensor of_target = log(t) - x + (call.slip("term") ? 0 : 1);
        return {-given * t / batch, call.slip("missing") ? Tensor() : given * of_target / batch};
      },
      .inputs = drawn({uniform({3, 4}, -5, 0), magnitudes({3, 4}, 1e-4, 1)}),
      .slips = {{"batch", Kind::LostFactor}, "incoming", "term", "missing"}});
}

/// Class indices (N) as one-hot rows (N, C).
Tensor rows_of_classes(const Tensor& classes, int64_t count) {
  return (classes.unsqueeze(1) == arange(count).unsqueeze(0)).to(kFloat64);
}

void add_classes(Family& family) {
  family.add(Authored{
      .name = "cross_entropy_smooth",  // label smoothing 0.1, mean over rows
      .forward = [](const variable_list& x) -> variable_list {
        const int64_t count = x[0].size(1);
        const Tensor target = 0.9 * rows_of_classes(x[1], count) + 0.1 / static_cast<double>(count);
        return {-mean(sum(target * log_softmax(x[0], 1), 1))};
      },
      .backward = [](const Call& call) -> variable_list {
        const Tensor x = seen(call.x[0], call.slip);
        const auto count = static_cast<double>(x.size(1));
        const Tensor hot = rows_of_classes(call.x[1], x.size(1));
        const Tensor target = call.slip("smoothing") ? hot : 0.9 * hot + 0.1 / count;
        const Tensor given = call.slip("incoming") ? ones_like(call.given[0]) : call.given[0];
        const double rows = call.slip("rows") ? 1 : static_cast<double>(x.size(0));
        return {given * (softmax(x, call.slip("axis") ? 0 : 1) - target) / rows};
      },
      .inputs = drawn({uniform({3, 4}, -8, 8), indices({3}, 4)}),
      .slips = {{"smoothing", Kind::LostTerm},
                "incoming",
                {"rows", Kind::LostFactor},
                "axis",
                "detached"}});
  family.add(Authored{.name = "dice",  // 1 - (2 sum p t + 1) / (sum p + sum t + 1)
                      .forward = [](const variable_list& x) -> variable_list {
                        return {1 - (2 * sum(x[0] * x[1]) + 1) / (sum(x[0]) + sum(x[1]) + 1)};
                      },
                      .backward = [](const Call& call) -> variable_list {
                        const Tensor p = seen(call.x[0], call.slip), &t = call.x[1];
                        const Tensor below = sum(p) + sum(t) + (call.slip("no-epsilon") ? 0 : 1);
                        const Tensor above = 2 * sum(p * t) + 1;
                        if (call.slip("quotient")) return {call.given[0] * -2 * t / below};
                        return {call.given[0] * (above / (below * below) - 2 * t / below)};
                      },
                      .inputs = drawn({uniform({2, 5}, 0, 1), bits({2, 5})}),
                      .slips = {"no-epsilon", {"quotient", Kind::LostTerm}, "detached"}});
}

void add_embeddings(Family& family) {
  family.add(Authored{
      .name = "triplet",  // mean of max(0, |a - p|^2 - |a - n|^2 + 1) by rows
      .forward = [](const variable_list& x) -> variable_list {
        const Tensor near = sum(square(x[0] - x[1]), 1), far = sum(square(x[0] - x[2]), 1);
        return {mean(relu(near - far + 1))};
      },
      .backward = [](const Call& call) -> variable_list {
        const Tensor to_near = call.x[0] - call.x[1], to_far = call.x[0] - call.x[2];
        const Tensor gap = sum(square(to_near), 1, true) - sum(square(to_far), 1, true) + 1;
        const Tensor active = call.slip("branch") ? ones_like(gap) : (gap > 0).to(kFloat64);
        const Tensor scale = call.given[0] * 2 * active / static_cast<double>(gap.numel());
        const Tensor anchor = call.slip("tied") ? to_near : to_near - to_far;
        return {scale * anchor, -scale * to_near, scale * (call.slip("sign") ? -to_far : to_far)};
      },
      .inputs = between(-1.5, 1.5, {3, 3}, 3),
      .slips = {"tied", "branch", "sign"},
      .traits = {.kinks = true}});
  family.add(
      Authored{.name = "cosine_embedding",  // 1 - cos(a, b) by rows
               .forward = [](const variable_list& x) -> variable_list {
                 const Tensor a = sqrt(sum(square(x[0]), 1)), b = sqrt(sum(square(x[1]), 1));
                 return {1 - sum(x[0] * x[1], 1) / (a * b)};
               },
               .backward = [](const Call& call) -> variable_list {
                 const Tensor a = sqrt(sum(square(call.x[0]), 1, true));
                 const Tensor b = sqrt(sum(square(call.x[1]), 1, true));
                 const Tensor u = call.x[0] / a, v = call.x[1] / b;
                 const Tensor cosine = call.slip("term") ? zeros_like(a) : sum(u * v, 1, true);
                 const Tensor given = call.given[0].unsqueeze(1);
                 const Tensor of_b = -given * (u - cosine * v) / (call.slip("factor") ? a : b);
                 return {-given * (v - cosine * u) / a, call.slip("missing") ? Tensor() : of_b};
               },
               .inputs = drawn({uniform({2, 4}, -3, 3), signed_magnitudes({2, 4}, 0.01, 2)}),
               .slips = {"term", "factor", "missing"}});
  family.add(Authored{.name = "info_nce",  // cross entropy of a b^T / 0.2 with the diagonal
                      .forward = [](const variable_list& x) -> variable_list {
                        return {-mean(diagonal(log_softmax(mm(x[0], t(x[1])) / 0.2, 1)))};
                      },
                      .backward = [](const Call& call) -> variable_list {
                        const Tensor &a = call.x[0], &b = call.x[1];
                        const Tensor rows =
                            softmax(mm(a, t(b)) / 0.2, 1) - eye(a.size(0)).to(kFloat64);
                        const Tensor scaled = call.given[0] * rows /
                                              static_cast<double>(a.size(0)) /
                                              (call.slip("temperature") ? 1 : 0.2);
                        return {mm(scaled, b), mm(call.slip("transposed") ? scaled : t(scaled), a)};
                      },
                      .inputs = between(-1, 1, {3, 3}, 2),
                      .slips = {{"temperature", Kind::LostFactor}, "transposed"}});
}

}  // namespace

void add_losses(std::vector<Entry>& entries) {
  Family family("losses", entries);
  add_binary(family);
  add_robust(family);
  add_likelihoods(family);
  add_classes(family);
  add_embeddings(family);
}

}  // namespace notape::verify::corpus
