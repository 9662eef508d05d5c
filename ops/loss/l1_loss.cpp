// l1_loss(x, y) = |x - y|, broadcast, and its mean or sum; d/dx = sign(x - y) = -d/dy.
#include "ops/arithmetic.h"
#include "ops/loss.h"
#include "ops/loss/terms.h"

namespace notape {
namespace {

OpCase draw_l1_loss(Draw& draw) {
  const Reduction reduction = draw_reduction(draw);
  const auto full = draw_terms(draw, reduction);
  return terms_case(
      reduction,
      // Not broadcast: the convention at a kink is about all terms that an entry is in.
      {{.sizes = full, .distinct = true}, {.sizes = full, .distinct = true}},
      [](const variable_list& x, Reduction how) { return l1_loss(x[0], x[1], how); },
      []<typename T>(const PlainList<T>& x) {
        return plain_map([](T a, T b) { return math::abs(a - b); }, x[0], x[1]);
      });
}

const RegisterOp l1_loss_row(op_row("l1_loss", "loss", draw_l1_loss,
                                    Trait::Accumulates | Trait::Averages));

}  // namespace

Tensor l1_loss(const Tensor& input, const Tensor& target, Reduction reduction, At at) {
  const Operation op("l1_loss", at);
  const Composite composite({&input, &target});
  check_broadcast(op, {&input, &target});
  const Promoted x = promoted({input, target}, at);
  return reduced_terms(abs(sub(x[0], x[1], 1, at), at), reduction, x.type, at);
}

}  // namespace notape
