// UnaryOperator: a kernel of one tensor and its derivative, from which the function and its
// in-place form are made:
//   constexpr UnaryOperator kSinh(sinh_kernel, "SinhBackward0", elementwise(...));
//   kSinh({"sinh", at}, self);  kSinh.in_place({"sinh_", at}, self);
#pragma once
#include "ops/elementwise/check_floating.h"
#include "ops/elementwise/compute.h"

namespace notape {

template <typename Kernel, typename Rule>
class UnaryOperator {
 public:
  constexpr UnaryOperator(const Kernel& kernel, const char* node, Rule rule)
      : kernel_(kernel), derivative_(notape::derivative(node, rule)) {}

  Tensor operator()(const Operation& op, const Tensor& self,
                    const typename Kernel::Functor& f = {}) const {
    return unary(kernel_, derivative_, op, self, f);
  }
  Tensor& in_place(const Operation& op, Tensor& self,
                   const typename Kernel::Functor& f = {}) const {
    return unary_(kernel_, derivative_, op, self, f);
  }

 private:
  const Kernel& kernel_;
  Derivative<UsualArguments, OneResult, Rule> derivative_;
};

/// The same of an operator that refuses integers.
template <typename Kernel, typename Rule>
class FloatingOperator : UnaryOperator<Kernel, Rule> {
 public:
  using UnaryOperator<Kernel, Rule>::UnaryOperator;

  Tensor operator()(const Operation& op, const Tensor& self) const {
    check_floating_operand(op, self);
    return UnaryOperator<Kernel, Rule>::operator()(op, self);
  }
  Tensor& in_place(const Operation& op, Tensor& self) const {
    check_floating_operand(op, self);
    return UnaryOperator<Kernel, Rule>::in_place(op, self);
  }
};
template <typename Kernel, typename Rule>
FloatingOperator(const Kernel&, const char*, Rule) -> FloatingOperator<Kernel, Rule>;

}  // namespace notape
