// Truth: an operator and its derivatives as the operator itself gives them. Mistakes are made out
// of it: the right gradient with its sign changed, or at other inputs, or of another argument.
#pragma once
#include <functional>

#include "autograd/tensor/tensor.h"

namespace notape::verify::mutate {

class Truth {
 public:
  using Call = std::function<Tensor(const variable_list&)>;
  explicit Truth(Call call) : call_(std::move(call)) {}

  /// The operator itself, recorded as it records itself.
  Tensor apply(const variable_list& x) const { return call_(x); }
  /// Its value in memory of its own, without history or tangents.
  Tensor value(const variable_list& x) const;
  /// The part of `incoming` that reaches argument `i`; undefined if none does. In grad mode it is a
  /// differentiable function of `x` and `incoming`. At ties it counts which of `x` require grad.
  Tensor gradient(std::size_t i, const variable_list& x, const Tensor& incoming) const;
  /// How the result moves when argument `i` moves along `tangent`, while those that require grad
  /// could move, too. Not differentiable itself.
  Tensor tangent(std::size_t i, const variable_list& x, const Tensor& tangent) const;

 private:
  Call call_;
};

}  // namespace notape::verify::mutate
