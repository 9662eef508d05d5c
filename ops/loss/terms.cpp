#include "ops/loss/terms.h"

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

Promoted promoted(const TensorList& operands, At at) {
  ResultType common;
  for (const Tensor& operand : operands)
    if (operand.defined()) common.add(operand);
  Promoted result{operands, floating_type(common.get())};
  for (Tensor& operand : result.operands)
    if (operand.defined()) operand = to(operand, computed_in(result.type), at);
  return result;
}

}  // namespace notape
