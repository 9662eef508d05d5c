// soft_margin_loss(x, t) = log(1 + e^(-t x)), without overflow.
#include "ops/activation.h"
#include "ops/arithmetic.h"
#include "ops/loss.h"
#include "ops/loss/terms.h"

namespace notape {
namespace {

OpCase draw_soft_margin_loss(Draw& draw) {
  const Reduction reduction = draw_reduction(draw);
  const auto full = draw_terms(draw, reduction);
  return terms_case(
      reduction, {{.sizes = full}, {.sizes = draw.broadcast_of(full)}},
      [](const variable_list& x, Reduction how) { return soft_margin_loss(x[0], x[1], how); },
      []<typename T>(const PlainList<T>& x) {
        return plain_map([](T a, T t) { return math::log1p(math::exp(-t * a)); }, x[0], x[1]);
      });
}

const RegisterOp soft_margin_loss_row(op_row("soft_margin_loss", "loss", draw_soft_margin_loss,
                                             Trait::Accumulates | Trait::Averages));

}  // namespace

Tensor soft_margin_loss(const Tensor& input, const Tensor& target, Reduction reduction, At at) {
  const Operation op("soft_margin_loss", at);
  check_operands(op, {&input, &target});
  check_broadcast_to(op, input, {&target});
  const Composite composite({&input, &target});
  const Promoted x = promoted({input, target}, at);
  // Beyond this threshold nothing is cut off in any type.
  const Tensor terms = softplus(neg(mul(x[1], x[0], at), at), 1, 2000, at);
  return reduced_terms(terms, reduction, x.type, at);
}

}  // namespace notape
