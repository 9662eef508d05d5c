// Support: what is known of a gradient's structural zeros. An entry is structurally zero if no
// differentiable path selected it: the other branch of where(), what an index left out, what was
// overwritten. Its value is exactly 0 and stays 0 through every derivative, an infinite one too
// (SEMANTICS: "Structural zeros and kinks"; VERIFICATION: rule R2).
//
// A support stands beside a gradient while a backward run has it. It is a promise about the values:
// operations that know nothing of it return gradients without one, writes end it, and user code
// never sees it. It is evaluated only if it is needed, which is rare: zero
// times a finite derivative is zero anyway. On the CPU the product is checked for whether it was
// finite. Elsewhere such a check is a kernel and a wait: there the product is marked (kOwesZeros),
// and settle_zeros() restores its zeros before an operation would mix them with numbers, or when
// the gradient leaves the run.
#pragma once
#include <algorithm>
#include <atomic>
#include <functional>

#include "autograd/graph/region.h"
#include "autograd/tensor/tensor.h"
#include "autograd/tensor/tensor_extra.h"

namespace notape {

class Support : public Pooled {
 public:
  void retain() noexcept { refs_.increment(); }
  void release() noexcept {
    if (refs_.decrement()) delete this;
  }
  bool is_shared() const noexcept { return refs_.get() != 1; }

  /// bool, of the gradient's shape: false where it is structurally zero. Undefined if that can no
  /// longer be known; then every entry counts as selected.
  const Tensor& mask();
  /// The same, given away; to be asked of a support that is not shared and then dropped.
  Tensor take_mask();
  /// How many supports must be asked one through the other.
  struct Depth {
    int steps = 0;
    bool is_sparse = false;  ///< one of them left entries out after many steps
  };
  Depth depth() const { return depth_.load(std::memory_order_relaxed); }
  bool is_known() const { return known_.load(std::memory_order_acquire); }

 protected:
  explicit Support(Depth depth) : depth_(depth) {}
  void deepen(Depth depth) { depth_.store(deeper(this->depth(), depth)); }
  static Depth deeper(Depth a, Depth b) {
    return {std::max(a.steps, b.steps), a.is_sparse || b.is_sparse};
  }
  virtual ~Support() = default;

 private:
  virtual Tensor compute() = 0;
  /// After compute(): lets go of what it needed.
  virtual void forget() noexcept = 0;

  RefCount refs_;
  // Nodes that run side by side may ask for the mask of a gradient they share.
  TinyLock lock_;
  std::atomic<bool> known_{false};
  std::atomic<Depth> depth_;
  Tensor mask_;
};

/// Null: nothing is known, every entry counts as selected. Also if the values were written since.
Ref<Support> support_of(const Tensor& gradient);
/// The same, and the gradient has none any more, unless others have the tensor, too.
Ref<Support> take_support(Tensor& gradient);
/// Gives this support to the result of an operation, which nothing else refers to yet; null: none.
/// Returns whether it did: not for shared tensors and inference tensors.
bool set_support(const Tensor& gradient, Ref<Support> support);
/// For a gradient that leaves the run; its zeros are zero then.
void drop_support(Tensor& gradient);
/// If the gradient has kOwesZeros, makes its structural zeros zero, in a tensor of its own.
void settle_zeros(Tensor& gradient);
void settle_zeros(Tensor* gradients, std::size_t count);
inline bool owes_zeros(const Tensor& gradient) {
  return gradient.defined() && gradient.impl().has(TensorImpl::kOwesZeros);
}
/// The tensor itself, or a copy if it has a support.
Tensor ordinary(Tensor value);

/// Of a sum: what either selected.
Ref<Support> joined(Ref<Support> a, Ref<Support> b);
/// Of what the slot, undefined at first, will hold with the region added; takes the slot's.
Ref<Support> support_with(Tensor& slot, const Region& region);
/// Of the window `view` of a gradient with this support.
Ref<Support> support_of_window(const Ref<Support>& support, const Geometry& base,
                               const Geometry& view);
/// Of a gradient with this support after `value` has replaced its window; undefined: nothing.
Ref<Support> support_with_window(Ref<Support> support, const Geometry& base, const Geometry& view,
                                 const Tensor& value, Device device);

/// What is known of the factors of an elementwise derivative.
struct FactorTraits {
  bool read_values;  ///< they depend on differentiable values, so that in a recorded run (or one
                     ///< with tangents) their derivatives must be kept from the zeros, too
  bool are_finite;   ///< whatever the values are
};
/// `result` is `gradient` times factors, entry by entry: makes its structural zeros zero again, now
/// or later, and marks them.
void keep_zeros(const Tensor& gradient, Tensor& result, FactorTraits factors);
/// For tests: zeros are owed on the CPU, too.
extern std::atomic<bool> owe_zeros_everywhere;
/// `result` is map(gradient), a movement or selection (see rule.h), here applied to ones and zeros.
void move_zeros(const Tensor& gradient, const Tensor& result,
                std::function<Tensor(const Tensor& ones)> map);

}  // namespace notape
