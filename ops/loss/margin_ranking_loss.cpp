// margin_ranking_loss(a, b, t) = max(margin - t (a - b), 0): a is to be larger than b where t is 1.
#include "ops/arithmetic.h"
#include "ops/loss.h"
#include "ops/loss/terms.h"
#include "ops/selection.h"
#include "ops/shape.h"

namespace notape {
namespace {

OpCase draw_margin_ranking_loss(Draw& draw) {
  const Reduction reduction = draw_reduction(draw);
  const auto full = draw_terms(draw, reduction);
  const double margin = draw.real(0.5, 2);
  OpCase one = terms_case(
      reduction,
      // The second input lies near 0, so that the kinks of the difference are not far from these.
      {{.sizes = full, .domain = {.kinks = {-margin, margin}, .kink_distance = 0.25}},
       {.sizes = full, .domain = {.low = -0.2, .high = 0.2}},
       Argument::boolean(full)},
      [=](const variable_list& x, Reduction how) {
        return margin_ranking_loss(x[0], x[1], to(x[2], kInt64) * 2 - 1, margin, how);
      },
      [=]<typename T>(const PlainList<T>& x) {
        return plain_map(
            [=](T a, T b, T t) { return math::max(T(margin) - (2 * t - 1) * (a - b), T(0)); }, x[0],
            x[1], x[2]);
      });
  one.label += format_message(", margin={}", {margin});
  return one;
}

const RegisterOp margin_ranking_loss_row(op_row("margin_ranking_loss", "loss",
                                                draw_margin_ranking_loss,
                                                Trait::Accumulates | Trait::Averages));

}  // namespace

Tensor margin_ranking_loss(const Tensor& input1, const Tensor& input2, const Tensor& target,
                           double margin, Reduction reduction, At at) {
  const Operation op("margin_ranking_loss", at);
  check_operands(op, {&input1, &input2, &target});
  if (input1.dim() != target.dim() || input2.dim() != target.dim())
    op.fail<ShapeError>(
        "All input tensors should have same dimension but got sizes: input1: {}, input2: {}, "
        "target: {}",
        to_string(input1.sizes()), to_string(input2.sizes()), to_string(target.sizes()));
  check_broadcast(op, {&input1, &input2, &target});
  const Composite composite({&input1, &input2, &target});
  const Promoted x = promoted({input1, input2, target}, at);
  const Tensor lead = mul(x[2], sub(x[0], x[1], 1, at), at);
  return reduced_terms(clamp_min(rsub(lead, margin, at), 0, at), reduction, x.type, at);
}

}  // namespace notape
