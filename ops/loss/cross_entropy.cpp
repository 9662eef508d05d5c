// cross_entropy(x, t) = nll_loss(log_softmax(x), t) over the class dimension.
#include "ops/core/promotion.h"
#include "ops/loss/loss_spec.h"
#include "ops/ops.h"
#include "ops/reduce/plain_exponentials.h"
#include "ops/reduce/reduction_spec.h"

namespace notape {
namespace {

OpCase draw_case(Draw& draw) {
  return classification_case(
      draw,
      [](const Tensor& input, const Tensor& target, const Tensor& weight, Reduction reduction,
         int64_t ignore_index) {
        return cross_entropy(input, target, weight, reduction, ignore_index);
      },
      plain_log_softmax, Domain{.low = -kFarApart, .high = kFarApart});
}

const RegisterOp row({.name = "cross_entropy",
                      .family = "loss",
                      .draw = draw_case,
                      .traits = Trait::Accumulates | Trait::Averages});

}  // namespace

Tensor cross_entropy(const Tensor& input, const Tensor& target, const Tensor& weight,
                     Reduction reduction, int64_t ignore_index, At at) {
  const Operation op("cross_entropy", at);
  check_operands(op, {&input});
  const Tensor scores = log_softmax(input, input.dim() <= 1 ? 0 : 1, at);
  return nll_loss(scores, target, weight, reduction, ignore_index, at);
}

}  // namespace notape
