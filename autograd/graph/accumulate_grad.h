// AccumulateGrad: the node of a leaf that requires grad; adds what arrives to the leaf's `.grad`.
#pragma once
#include "autograd/graph/node.h"
#include "autograd/tensor/tensor_extra.h"

namespace notape {

class AccumulateGrad final : public Node {
 public:
  explicit AccumulateGrad(TensorImpl& leaf);

  void apply(Tensor* gradients, Tensor* results, const Wanted& wanted) override;
  /// Throws what apply() would.
  void check(const Tensor& gradient) const;
  /// Unless a saved value or another tensor shows the memory of .grad.
  bool runs_beside_others() const override;

  /// A handle to the leaf, undefined if it is gone.
  Tensor leaf() const;
  /// Called by the dying leaf.
  void leaf_died(const TensorImpl* leaf) noexcept;
  /// Called when the leaf gets another accumulator.
  void retire() noexcept;

 private:
  OutputMeta metadata_;
  mutable TinyLock lock_;  // guards leaf_ and the leaf's .grad
  TensorImpl* leaf_;
  bool retired_ = false;
};

/// The leaf's accumulator, made on first use.
NodeRef grad_accumulator(TensorImpl& leaf);

/// The leaf has got another shape or dtype: gradients of earlier graphs no longer fit it
/// (InvalidGradient); its hooks stay.
void renew_accumulator(TensorImpl& leaf);

/// Adds `value` to `grad`: takes the buffer over if it is exclusive and has the layout of `like`,
/// adds in place when not recording, else makes a new tensor. Throws InvalidGradient for a `grad`
/// of another size and GradAssignment for one of another dtype or device than `like`.
void accumulate_into(Tensor& grad, Tensor value, const TensorImpl& like);

/// Throws what `leaf` would if it were given the gradient.
void check_accumulation(const Node& leaf, const Tensor& gradient);

/// Adds to `slot`, in place only if nobody else can see its buffer.
void add_to_gradient(Tensor& slot, const Tensor& value);

/// Sums gradients while a run holds them.
inline void accumulate_gradient(Tensor& slot, Tensor&& value) {
  if (slot.defined())
    add_to_gradient(slot, value);
  else
    slot = std::move(value);
}

}  // namespace notape
