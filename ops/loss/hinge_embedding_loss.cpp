// hinge_embedding_loss(x, t) = x where t is 1, max(margin - x, 0) where it is -1, and the sum of
// both for another t.
#include "ops/arithmetic.h"
#include "ops/comparison.h"
#include "ops/loss.h"
#include "ops/loss/terms.h"
#include "ops/selection.h"
#include "ops/shape.h"

namespace notape {
namespace {

OpCase draw_hinge_embedding_loss(Draw& draw) {
  const Reduction reduction = draw_reduction(draw);
  const auto full = draw_terms(draw, reduction);
  const double margin = draw.real(0.5, 2);
  OpCase one = terms_case(
      reduction, {{.sizes = full, .domain = {.kinks = {margin}}}, Argument::boolean(full)},
      [=](const variable_list& x, Reduction how) {
        return hinge_embedding_loss(x[0], to(x[1], kInt64) * 2 - 1, margin, how);
      },
      [=]<typename T>(const PlainList<T>& x) {
        return plain_map([=](T a, T t) { return t != 0 ? a : math::max(T(margin) - a, T(0)); },
                         x[0], x[1]);
      });
  one.label += format_message(", margin={}", {margin});
  return one;
}

const RegisterOp hinge_embedding_loss_row(op_row("hinge_embedding_loss", "loss",
                                                 draw_hinge_embedding_loss,
                                                 Trait::Accumulates | Trait::Averages));

}  // namespace

Tensor hinge_embedding_loss(const Tensor& input, const Tensor& target, double margin,
                            Reduction reduction, At at) {
  const Operation op("hinge_embedding_loss", at);
  check_broadcast(op, {&input, &target});
  const Composite composite({&input, &target});
  const Promoted x = promoted({input, target}, at);
  const Tensor apart =
      masked_fill(clamp_min(rsub(x[0], margin, at), 0, at), eq(target, 1, at), 0, at);
  const Tensor near = masked_fill(x[0], eq(target, -1, at), 0, at);
  return reduced_terms(add(apart, near, 1, at), reduction, x.type, at);
}

}  // namespace notape
