// Losses that are a number for each entry, and then reduced: checks, the reduction, and rows.
#pragma once
#include "ops/core/composite.h"
#include "ops/core/promotion.h"
#include "ops/loss/loss_spec.h"
#include "ops/spec/far_domain.h"

namespace notape {

/// The terms, their mean or their sum, as numbers of this type.
Tensor reduced_terms(const Tensor& terms, Reduction reduction, ScalarType type, At at);
/// Operands in the type to compute in: what is computed of some of them is then as precise as the
/// result. Undefined ones stay.
struct Promoted {
  TensorList operands;
  ScalarType type;  // of the result, a floating one: theirs but for numbers of 16 bits

  const Tensor& operator[](std::size_t i) const { return operands[i]; }
};
Promoted promoted(const TensorList& operands, At at);
/// Throws ShapeError unless the operands broadcast together.
void check_broadcast(const Operation& op, std::initializer_list<const Tensor*> operands);
bool broadcasts_to(IntArrayRef sizes, IntArrayRef target);
/// Throws ShapeError unless the operands, as far as they are defined, broadcast to what has the
/// result's shape.
void check_broadcast_to(const Operation& op, const Tensor& shape,
                        std::initializer_list<const Tensor*> operands);

template <typename T>
PlainTensor<T> plain_reduced_terms(const PlainTensor<T>& terms, Reduction reduction) {
  if (reduction == Reduction::None) return terms;
  PlainTensor<T> result(std::vector<int64_t>{});
  for (const T& term : terms.values) result.values[0] += term;
  if (reduction == Reduction::Mean) result.values[0] /= T(static_cast<double>(terms.numel()));
  return result;
}

/// A shape for the arguments of a loss: a mean needs some terms.
inline std::vector<int64_t> draw_terms(Draw& draw, Reduction reduction, int max_rank = 4) {
  return draw.shape(0, max_rank, reduction == Reduction::Mean ? 1 : 0);
}

/// call(x, reduction) of `count` terms, which terms(x) computes plainly; both are generic in x.
template <typename Call, typename Terms>
OpCase terms_case(Reduction reduction, int64_t count, std::vector<Argument> arguments, Call call,
                  Terms terms) {
  OpCase one;
  one.label = name_of(reduction);
  one.arguments = std::move(arguments);
  if (reduction == Reduction::Mean) one.averaged = count;
  one.call = [=](const variable_list& x) { return call(x, reduction); };
  one.reference = [=]<typename T>(const PlainList<T>& x) {
    return plain_reduced_terms(terms(x), reduction);
  };
  return one;
}
/// The same where the terms are as many as the arguments have entries, broadcast.
template <typename Call, typename Terms>
OpCase terms_case(Reduction reduction, std::vector<Argument> arguments, Call call, Terms terms) {
  int64_t count = 1;
  std::vector<int64_t> full;
  for (const Argument& argument : arguments) full = plain_broadcast({&full, &argument.sizes});
  for (int64_t size : full) count *= size;
  return terms_case(reduction, count, std::move(arguments), std::move(call), std::move(terms));
}

}  // namespace notape
