#include "ops/loss/terms.h"

#include "ops/core/autocast.h"
#include "ops/reduce.h"
#include "ops/shape.h"

namespace notape {

Tensor reduced_terms(const Tensor& terms, Reduction reduction, ScalarType type, At at) {
  return to(reduction == Reduction::None  ? terms
            : reduction == Reduction::Sum ? sum(terms, at)
                                          : mean(terms, at),
            type, at);
}

void check_broadcast(const Operation& op, std::initializer_list<const Tensor*> operands) {
  check_operands(op, operands);
  std::vector<int64_t> sizes;
  for (const Tensor* operand : operands) sizes = broadcast_sizes(op, sizes, operand->sizes());
}

bool broadcasts_to(IntArrayRef sizes, IntArrayRef target) {
  if (sizes.size() > target.size()) return false;
  const std::size_t front = target.size() - sizes.size();
  for (std::size_t d = 0; d < sizes.size(); ++d)
    if (sizes[d] != 1 && sizes[d] != target[front + d]) return false;
  return true;
}

void check_broadcast_to(const Operation& op, const Tensor& shape,
                        std::initializer_list<const Tensor*> operands) {
  check_operand(op, shape);
  for (const Tensor* operand : operands) {
    if (!operand->defined()) continue;
    check_operands(op, {&shape, operand});
    if (!broadcasts_to(operand->sizes(), shape.sizes()))
      op.fail<ShapeError>("output with shape {} doesn't match the broadcast shape {}",
                          to_string(shape.sizes()),
                          to_string(broadcast_sizes(op, shape.sizes(), operand->sizes())));
  }
}

Promoted promoted(const TensorList& operands, At at) {
  ResultType common;
  for (const Tensor& operand : operands)
    if (operand.defined()) common.add(operand);
  Promoted result{operands, floating_type(common.get())};
  for (const Tensor& operand : operands)  // a loss stays float32 then
    if (in_autocast(operand)) result.type = computed_in(result.type);
  for (Tensor& operand : result.operands)
    if (operand.defined()) operand = to(operand, computed_in(result.type), at);
  return result;
}

}  // namespace notape
