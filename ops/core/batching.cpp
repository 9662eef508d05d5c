#include "ops/core/batching.h"

#include "autograd/graph/batch_moves.h"
#include "autograd/modes/thread_state.h"
#include "ops/shape.h"

namespace notape {

void refuse_batched(const Operation& op) {
  op.fail<BatchingNotImplemented>(
      "there is no batching rule for this operator, or not for batched operands at this place. "
      "LoopFallbackGuard calls an operator without a rule once per sample");
}

Tensor loop_over_batch(const Operation& op, const std::function<Tensor(const TensorList&)>& f,
                       const TensorList& operands) {
  if (!thread_state.loop_fallback) refuse_batched(op);
  BatchLevels levels;
  for (const Tensor& operand : operands) levels = joined(std::move(levels), levels_of(operand));
  const BatchLevel level = levels.back();
  if (level.size == 0)
    op.fail<BatchingNotImplemented>("without a batching rule there is no result of no samples");
  TensorList all, results;
  for (const Tensor& operand : operands)
    all.push_back(operand.defined() ? leave_level(operand, level, 0, op.at) : operand);
  for (int64_t i = 0; i < level.size; ++i) {
    TensorList sample;
    for (const Tensor& one : all) sample.push_back(one.defined() ? select(one, 0, i, op.at) : one);
    results.push_back(f(sample));
  }
  return enter_level(stack(results, 0, op.at), level, 0, op.at);
}

}  // namespace notape
