// smooth_l1_loss(x, y) = huber_loss(x, y) / beta with delta = beta, and |x - y| for beta 0.
#include "ops/arithmetic.h"
#include "ops/loss.h"
#include "ops/loss/huber.h"
#include "ops/loss/terms.h"

namespace notape {
namespace {

OpCase draw_smooth_l1_loss(Draw& draw) {
  const Reduction reduction = draw_reduction(draw);
  const auto full = draw_terms(draw, reduction);
  const double beta = draw.real(0.5, 2);
  OpCase one = terms_case(
      reduction,
      {{.sizes = draw.broadcast_of(full),
        .domain = {.low = -4, .high = 4, .kinks = {-beta, beta}, .kink_distance = 0.25}},
       {.sizes = draw.broadcast_of(full), .domain = {.low = -0.2, .high = 0.2}}},
      [=](const variable_list& x, Reduction how) { return smooth_l1_loss(x[0], x[1], how, beta); },
      [=]<typename T>(const PlainList<T>& x) {
        return plain_map(
            [=](T a, T b) {
              const T z = math::abs(a - b);
              return z < T(beta) ? z * z / (2 * T(beta)) : z - T(beta) / 2;
            },
            x[0], x[1]);
      });
  one.label += format_message(", beta={}", {beta});
  return one;
}

const RegisterOp smooth_l1_loss_row(op_row("smooth_l1_loss", "loss", draw_smooth_l1_loss,
                                           Trait::Accumulates | Trait::Averages));

}  // namespace

Tensor smooth_l1_loss(const Tensor& input, const Tensor& target, Reduction reduction, double beta,
                      At at) {
  const Operation op("smooth_l1_loss", at);
  const Composite composite({&input, &target});
  if (!(beta >= 0)) op.fail<ValueError>("does not support negative values for beta, got {}", beta);
  check_broadcast(op, {&input, &target});
  const Promoted x = promoted({input, target}, at);
  const Tensor z = sub(x[0], x[1], 1, at);
  return reduced_terms(beta == 0 ? abs(z, at) : huber_curve(op, z, beta, 1 / beta), reduction,
                       x.type, at);
}

}  // namespace notape
