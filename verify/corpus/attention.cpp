// Attention and its parts: softmax by rows, scaled products, masks, positions.
#include <cmath>

#include "ops/index.h"
#include "ops/linalg.h"
#include "ops/reduce.h"
#include "ops/shape.h"
#include "ops/transcendental.h"
#include "verify/corpus/family.h"

namespace notape::verify::corpus {
namespace {

Tensor amax_of_rows(const Tensor& x) { return std::get<0>(max(x, -1, true)); }

/// The gradient of softmax over the last dimension, from that of its result.
Tensor through_softmax(const Tensor& p, const Tensor& given, const Slip& slip) {
  if (slip("no-sum")) return p * given;
  if (slip("twice")) return p * (given - 2 * sum(given * p, -1, true));
  if (slip("axis")) return p * (given - sum(given * p, -2, true));
  return p * (given - sum(given * p, -1, true));
}

void add_softmax(Family& family) {
  family.add(Authored{.name = "softmax_rows",
                      .forward = [](const variable_list& x) -> variable_list {
                        const Tensor e = exp(x[0] - amax_of_rows(x[0]));
                        return {e / sum(e, -1, true)};
                      },
                      .backward = [](const Call& call) -> variable_list {
                        const Tensor p = call.slip("detached") ? call.y[0].detach() : call.y[0];
                        return {through_softmax(p, call.given[0], call.slip)};
                      },
                      .jvp = [](const Call& call) -> variable_list {
                        return {through_softmax(call.y[0], call.given[0], Slip())};
                      },
                      .inputs = between(-6, 6, {3, 4}),
                      .slips = {"no-sum", {"twice", Kind::MeanTwice}, "axis", "detached"}});
  family.add(
      Authored{.name = "softmax_saturated",  // logits far apart: all but one entry are nearly 0
               .forward = [](const variable_list& x) -> variable_list {
                 const Tensor e = exp(x[0] - amax_of_rows(x[0]));
                 return {e / sum(e, -1, true)};
               },
               .backward = [](const Call& call) -> variable_list {
                 return {through_softmax(call.y[0], call.given[0], call.slip)};
               },
               .inputs = between(-60, 60, {3, 4}),
               .slips = {"no-sum", {"twice", Kind::MeanTwice}}});
  family.add(Authored{.name = "log_softmax_rows",
                      .forward = [](const variable_list& x) -> variable_list {
                        const Tensor top = amax_of_rows(x[0]);
                        return {x[0] - top - log(sum(exp(x[0] - top), -1, true))};
                      },
                      .backward = [](const Call& call) -> variable_list {
                        const Tensor y = call.slip("detached") ? call.y[0].detach() : call.y[0];
                        const Tensor& given = call.given[0];
                        if (call.slip("mean")) return {given - exp(y) * mean(given, -1, true)};
                        if (call.slip("sign")) return {given + exp(y) * sum(given, -1, true)};
                        return {given - exp(y) * sum(given, -1, true)};
                      },
                      .inputs = between(-20, 20, {2, 5}),
                      .slips = {{"mean", Kind::LostFactor}, "sign", "detached"}});
}

void add_softmax_loop(Family& family) {
  family.add(Authored{.name = "softmax_loop",  // float64 rows of five, in blocks of four
                      .forward = [](const variable_list& x) -> variable_list {
                        only_of_sizes(x[0], {3, 5});
                        return {softmax(x[0], 1)};
                      },
                      .backward = [](const Call& call) -> variable_list {
                        const Numbers p = numbers_of(call.y[0]);
                        const Numbers given = call.slip("strided") ? as_if_contiguous(call.given[0])
                                                                   : numbers_of(call.given[0]);
                        constexpr std::size_t kSize = 5, kWhole = 4;
                        Numbers gradient(p.size());
                        for (std::size_t row = 0; row < p.size(); row += kSize) {
                          double total = 0;
                          const std::size_t end = call.slip("last-block") ? kWhole : kSize;
                          for (std::size_t i = row; i < row + end; ++i) total += p[i] * given[i];
                          for (std::size_t i = row; i < row + kSize; ++i)
                            gradient[i] =
                                p[i] * (given[i] -
                                        (call.slip("float") ? static_cast<float>(total) : total));
                        }
                        return {filled_like(call.x[0], gradient)};
                      },
                      .inputs = between(-4, 4, {3, 5}),
                      .slips = {"strided", "last-block", {"float", Kind::LowPrecision}},
                      .traits = {.order = 1}});
}

/// softmax(scale q k^T + bias) v, with its gradients; x is q (L, E), k (S, E), v (S, E) and perhaps
/// the bias (L, S).
Authored attention(const char* name, std::function<Tensor(const variable_list& x)> bias) {
  const auto weights = [bias](const variable_list& x) {
    const double scale = 1 / std::sqrt(static_cast<double>(x[0].size(1)));
    const Tensor scores = scale * mm(x[0], t(x[1]));
    return softmax(bias ? scores + bias(x) : scores, 1);
  };
  return {
      .name = name,
      .forward = [=](const variable_list& x) -> variable_list { return {mm(weights(x), x[2])}; },
      .backward = [=](const Call& call) -> variable_list {
        const double scale =
            call.slip("scale") ? 1 : 1 / std::sqrt(static_cast<double>(call.x[0].size(1)));
        const Tensor p = weights(call.x), &given = call.given[0];
        const Tensor of_p = mm(given, t(call.x[2]));
        const Tensor of_scores = through_softmax(p, of_p, call.slip);
        variable_list result = {scale * mm(of_scores, call.x[1]),
                                scale * mm(t(of_scores), call.x[0]),
                                mm(call.slip("scores") ? t(of_scores) : t(p), given)};
        if (call.slip("key")) result[1] = mm(t(of_scores), call.x[0]);
        if (call.x.size() > 3) result.push_back(call.slip("missing") ? Tensor() : of_scores);
        return result;
      },
      .inputs = between(-2, 2, {3, 4}, 3),
      .slips = {"scale", {"key", Kind::LostFactor}, "no-sum", {"scores", Kind::Swapped}}};
}

void add_products(Family& family) {
  family.add(attention("scaled_dot_product", {}));
  family.add(attention("causal_attention", [](const variable_list& x) {
    const Tensor places = arange(x[0].size(0)).to(kFloat64);
    return -1e9 * (places.unsqueeze(0) > places.unsqueeze(1)).to(kFloat64);
  }));
  family.add(attention("alibi_attention", [](const variable_list& x) {
    const Tensor places = arange(x[0].size(0)).to(kFloat64);
    return -0.25 * abs(places.unsqueeze(0) - places.unsqueeze(1));
  }));
  Authored biased = attention("biased_attention", [](const variable_list& x) { return x[3]; });
  biased.inputs = drawn({uniform({2, 4}, -2, 2), uniform({3, 4}, -2, 2), uniform({3, 4}, -2, 2),
                         uniform({2, 3}, -1, 1)});
  biased.slips.push_back("missing");
  family.add(biased);
}

/// Rotates pairs (x_i, x_{i + half}) by angles of their own.
Tensor rotated(const Tensor& x, double sense, bool interleaved = false) {
  const int64_t half = x.size(1) / 2;
  const Tensor places = arange(x.size(0)).to(kFloat64).unsqueeze(1);
  const Tensor rates = pow(10000.0, arange(half).to(kFloat64) / -static_cast<double>(half));
  const Tensor angle = sense * places * rates;
  const Tensor a = x.narrow(1, 0, half), b = x.narrow(1, half, half);
  if (interleaved)
    return cat({a * cos(angle) - b * sin(angle), a * sin(angle) - b * cos(angle)}, 1);
  return cat({a * cos(angle) - b * sin(angle), a * sin(angle) + b * cos(angle)}, 1);
}

void add_positions(Family& family) {
  family.add(Authored{
      .name = "rope",
      .forward = [](const variable_list& x) -> variable_list { return {rotated(x[0], 1)}; },
      .backward = [](const Call& call) -> variable_list {
        if (call.slip("forward")) return {rotated(call.given[0], 1)};
        if (call.slip("sign")) return {rotated(call.given[0], -1, true)};
        if (call.slip("incoming")) return {rotated(sign(call.given[0]), -1)};
        return {rotated(call.given[0], -1)};
      },
      .jvp = [](const Call& call) -> variable_list { return {rotated(call.given[0], 1)}; },
      .inputs = between(-2, 2, {3, 4}),
      .slips = {{"forward", Kind::WrongSign}, "sign", "incoming"}});
  family.add(Authored{
      .name = "relative_bias",  // x (L, L) + table[i - j + L - 1]
      .forward = [](const variable_list& x) -> variable_list {
        only_of_sizes(x[0], {3, 3});
        only_of_sizes(x[1], {5});
        const Tensor places = arange(x[0].size(0));
        const Tensor index = places.unsqueeze(1) - places.unsqueeze(0) + (x[0].size(0) - 1);
        return {x[0] + index_select(x[1], 0, index.reshape({-1})).reshape(x[0].sizes())};
      },
      .backward = [](const Call& call) -> variable_list {
        const int64_t size = call.x[0].size(0);
        const Numbers given =
            call.slip("strided") ? as_if_contiguous(call.given[0]) : numbers_of(call.given[0]);
        Numbers table(static_cast<std::size_t>(2 * size - 1));
        for (int64_t i = 0; i < size; ++i)
          for (int64_t j = 0; j < size; ++j) {
            double& cell = table[static_cast<std::size_t>(i - j + size - 1)];
            const double one = given[static_cast<std::size_t>(i * size + j)];
            cell = call.slip("last-wins") ? one : cell + one;
          }
        return {call.given[0], filled_like(call.x[1], table)};
      },
      .inputs = drawn({uniform({3, 3}, -2, 2), uniform({5}, -1, 1)}),
      .slips = {{"last-wins", Kind::DuplicateIndex}, "strided"},
      .traits = {.order = 1}});
}

void add_pooled(Family& family) {
  family.add(Authored{.name = "masked_mean_pool",  // mean of the rows that the mask keeps
                      .forward = [](const variable_list& x) -> variable_list {
                        return {sum(x[0] * x[1].unsqueeze(1), 0) / (sum(x[1]) + 1)};
                      },
                      .backward = [](const Call& call) -> variable_list {
                        const Tensor mask = call.x[1].unsqueeze(1);
                        const Tensor spread = call.given[0].unsqueeze(0).expand(call.x[0].sizes());
                        if (call.slip("mask")) return {spread / (sum(mask) + 1)};
                        if (call.slip("count")) return {spread * mask / call.x[0].size(0)};
                        return {spread * mask /
                                (sum(mask) + (call.slip("no-epsilon") ? 0.999999 : 1))};
                      },
                      .inputs = drawn({uniform({4, 3}, -2, 2), bits({4})}),
                      .slips = {{"mask", Kind::LostFactor},
                                {"count", Kind::LostFactor},
                                {"no-epsilon", Kind::WrongConstant}}});
  family.add(Authored{
      .name = "tied_attention",  // softmax(x x^T / 2) x: one tensor as query, key and value
      .forward = [](const variable_list& x) -> variable_list {
        return {mm(softmax(0.5 * mm(x[0], t(x[0])), 1), x[0])};
      },
      .backward = [](const Call& call) -> variable_list {
        const Tensor x = seen(call.x[0], call.slip);
        const Tensor p = softmax(0.5 * mm(x, t(x)), 1), &given = call.given[0];
        const Tensor scores = through_softmax(p, mm(given, t(x)), call.slip);
        const Tensor query = 0.5 * mm(scores, x), key = 0.5 * mm(t(scores), x);
        const Tensor value = mm(t(p), given);
        if (call.slip("key")) return {query + value};
        if (call.slip("value")) return {query + key};
        return {query + key + value};
      },
      .inputs = between(-1.5, 1.5, {3, 4}),
      .slips = {{"key", Kind::TiedWeights}, {"value", Kind::TiedWeights}, "no-sum", "detached"}});
}

}  // namespace

void add_attention(std::vector<Entry>& entries) {
  Family family("attention", entries);
  add_softmax(family);
  add_softmax_loop(family);
  add_products(family);
  add_positions(family);
  add_pooled(family);
}

}  // namespace notape::verify::corpus
