// poisson_nll_loss(x, t) = e^x - t x, or x - t log(x + eps) of a rate itself; full adds Stirling's
// t log(t) - t + log(2 pi t) / 2 where t > 1.
#include <numbers>

#include "ops/arithmetic.h"
#include "ops/comparison.h"
#include "ops/loss.h"
#include "ops/loss/terms.h"
#include "ops/selection.h"
#include "ops/transcendental.h"

namespace notape {
namespace {

OpCase draw_poisson_nll_loss(Draw& draw) {
  const Reduction reduction = draw_reduction(draw);
  const auto sizes = draw_terms(draw, reduction);
  const bool log_input = draw.boolean(), full = draw.boolean();
  // Stirling's term jumps at 1, which numbers of 16 bits are soon rounded to.
  const Domain beyond =
      draw.boolean() ? Domain{.low = 1.125, .high = 4} : Domain{.low = 0.125, .high = 0.875};
  OpCase one = terms_case(
      reduction,
      {{.sizes = draw.broadcast_of(sizes),
        .domain = log_input ? Domain{.low = -3, .high = 0.25} : Domain{.low = 1, .high = 3}},
       {.sizes = draw.broadcast_of(sizes),
        .domain = full ? beyond : Domain{.low = 0.125, .high = 4}}},
      [=](const variable_list& x, Reduction how) {
        return poisson_nll_loss(x[0], x[1], log_input, full, 0.5, how);
      },
      [=]<typename T>(const PlainList<T>& x) {
        return plain_map(
            [=](T a, T t) {
              T term = log_input ? math::exp(a) - t * a : a - t * math::log(a + T(0.5));
              if (full && t > T(1))
                term += t * math::log(t) - t + math::log(2 * T(std::numbers::pi_v<double>) * t) / 2;
              return term;
            },
            x[0], x[1]);
      });
  one.label += format_message(", log_input={}, full={}", {log_input, full});
  return one;
}

const RegisterOp poisson_nll_loss_row(op_row("poisson_nll_loss", "loss", draw_poisson_nll_loss,
                                             Trait::Accumulates | Trait::Averages));

}  // namespace

Tensor poisson_nll_loss(const Tensor& input, const Tensor& target, bool log_input, bool full,
                        double eps, Reduction reduction, At at) {
  const Operation op("poisson_nll_loss", at);
  check_broadcast(op, {&input, &target});
  const Composite composite({&input, &target});
  const Promoted all = promoted({input, target}, at);
  const Tensor &x = all[0], &t = all[1];
  Tensor terms = log_input ? sub(exp(x, at), mul(t, x, at), 1, at)
                           : sub(x, mul(t, log(add(x, eps, 1, at), at), at), 1, at);
  if (full) {
    const Tensor root = mul(log(mul(t, 2 * std::numbers::pi_v<double>, at), at), 0.5, at);
    const Tensor stirling = add(sub(mul(t, log(t, at), at), t, 1, at), root, 1, at);
    terms = add(terms, masked_fill(stirling, le(t, 1, at), 0, at), 1, at);
  }
  return reduced_terms(terms, reduction, all.type, at);
}

}  // namespace notape
