// kl_div(x, t) = t (log(t) - x), with t log(t) = 0 at 0, and of a target in logarithms e^t (t - x).
#include "ops/arithmetic.h"
#include "ops/comparison.h"
#include "ops/loss.h"
#include "ops/loss/terms.h"
#include "ops/selection.h"
#include "ops/transcendental.h"

namespace notape {
namespace {

OpCase draw_kl_div(Draw& draw) {
  const Reduction reduction = draw_reduction(draw);
  const auto full = draw_terms(draw, reduction);
  const bool log_target = draw.boolean();
  OpCase one = terms_case(
      reduction,
      {{.sizes = draw.broadcast_of(full)},
       {.sizes = draw.broadcast_of(full),
        .domain = log_target ? Domain{.low = -3, .high = 1} : Domain{.low = 0.05, .high = 1}}},
      [=](const variable_list& x, Reduction how) { return kl_div(x[0], x[1], how, log_target); },
      [=]<typename T>(const PlainList<T>& x) {
        return plain_map(
            [=](T a, T t) { return log_target ? math::exp(t) * (t - a) : t * (math::log(t) - a); },
            x[0], x[1]);
      });
  if (log_target) one.label += ", log_target";
  return one;
}

const RegisterOp kl_div_row(op_row("kl_div", "loss", draw_kl_div,
                                   Trait::Accumulates | Trait::Averages));

}  // namespace

Tensor kl_div(const Tensor& input, const Tensor& target, Reduction reduction, bool log_target,
              At at) {
  const Operation op("kl_div", at);
  check_broadcast(op, {&input, &target});
  const Composite composite({&input, &target});
  const Promoted all = promoted({input, target}, at);
  const Tensor &x = all[0], &t = all[1];
  if (log_target)
    return reduced_terms(mul(exp(t, at), sub(t, x, 1, at), at), reduction, all.type, at);
  const Tensor entropy = masked_fill(mul(t, log(t, at), at), eq(t, 0, at), 0, at);
  return reduced_terms(sub(entropy, mul(t, x, at), 1, at), reduction, all.type, at);
}

}  // namespace notape
