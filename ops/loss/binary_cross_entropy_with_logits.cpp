// binary_cross_entropy_with_logits(x, t) = pos_weight t softplus(-x) + (1 - t) softplus(x), times
// the weight: binary_cross_entropy(sigmoid(x), t). Both slopes, -sigmoid(-x) and sigmoid(x), are
// accurate where they vanish.
#include "ops/activation.h"
#include "ops/arithmetic.h"
#include "ops/loss.h"
#include "ops/loss/terms.h"

namespace notape {
namespace {

/// log(1 + e^x) with nothing cut off: beyond this threshold the rest is 0 in every type.
Tensor plain_softplus(const Tensor& x, At at) { return softplus(x, 1, 2000, at); }

OpCase draw_binary_cross_entropy_with_logits(Draw& draw) {
  const Reduction reduction = draw_reduction(draw);
  const auto full = draw_terms(draw, reduction);
  const bool weighted = draw.boolean(), positive_weighted = draw.boolean();
  std::vector<Argument> arguments = {
      {.sizes = draw.broadcast_of(full),
       .domain = near_or_far(draw, {.low = -8, .high = 8}, Domain{.low = -80, .high = 80})},
      {.sizes = full, .domain = {.low = 0, .high = 1}}};
  if (weighted) arguments.push_back({.sizes = draw.broadcast_of(full)});
  if (positive_weighted) arguments.push_back({.sizes = draw.broadcast_of(full)});
  return terms_case(
      reduction, std::move(arguments),
      [=](const variable_list& x, Reduction how) {
        return binary_cross_entropy_with_logits(x[0], x[1], weighted ? x[2] : Tensor(),
                                                positive_weighted ? x.back() : Tensor(), how);
      },
      [=]<typename T>(const PlainList<T>& x) {
        PlainTensor<T> one{std::vector<int64_t>{}};
        one.values[0] = 1;
        const PlainTensor<T> terms = plain_map(
            [](T a, T t, T p) {
              const T small = math::log1p(math::exp(-math::abs(a)));
              return p * t * (math::max(-a, T(0)) + small) + (1 - t) * (math::max(a, T(0)) + small);
            },
            x[0], x[1], positive_weighted ? x.back() : one);
        return plain_map([](T a, T w) { return a * w; }, terms, weighted ? x[2] : one);
      });
}

const RegisterOp binary_cross_entropy_with_logits_row(op_row("binary_cross_entropy_with_logits",
                                                             "loss",
                                                             draw_binary_cross_entropy_with_logits,
                                                             Trait::Accumulates | Trait::Averages));

}  // namespace

Tensor binary_cross_entropy_with_logits(const Tensor& input, const Tensor& target,
                                        const Tensor& weight, const Tensor& pos_weight,
                                        Reduction reduction, At at) {
  const Operation op("binary_cross_entropy_with_logits", at);
  check_operands(op, {&input, &target});
  check_broadcast_to(op, target, {&input, &weight, &pos_weight});
  const Composite composite({&input, &target, &weight, &pos_weight});
  const Promoted all = promoted({input, target, weight, pos_weight}, at);
  const Tensor &x = all[0], &t = all[1];
  const Tensor yes = pos_weight.defined() ? mul(t, all[3], at) : t;
  const Tensor terms = add(mul(yes, plain_softplus(neg(x, at), at), at),
                           mul(rsub(t, 1, at), plain_softplus(x, at), at), 1, at);
  return reduced_terms(weight.defined() ? mul(terms, all[2], at) : terms, reduction, all.type, at);
}

}  // namespace notape
