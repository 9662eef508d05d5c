// Dual numbers: forward-mode differentiation (LibTorch's torch.autograd.forward_ad).
//   forward_ad::DualLevelGuard level;
//   Tensor x = forward_ad::make_dual(primal, tangent);
//   auto [y, dy] = forward_ad::unpack_dual(f(x));
#pragma once
#include "autograd/tensor/tensor.h"

namespace notape::autograd::forward_ad {

/// Opens a level and returns its id, unique in the process and larger than those of outer levels.
uint64_t enter_dual_level();
/// Throws DualLevelError unless `level` is the innermost level of this thread. The tangents of the
/// level vanish.
void exit_dual_level(uint64_t level);
/// The innermost level. Throws DualLevelError outside any level.
uint64_t current_level();

/// A view of `primal` that carries `tangent` (same size, dtype, device) at the innermost level; a
/// copy where several of its entries share memory.
Tensor make_dual(const Tensor& primal, const Tensor& tangent);

struct UnpackedDual {
  Tensor primal;
  Tensor tangent;  ///< undefined if there is none
};
UnpackedDual unpack_dual(const Tensor& tensor);

class DualLevelGuard {
 public:
  DualLevelGuard() : level_(enter_dual_level()) {}
  ~DualLevelGuard() { exit_dual_level(level_); }
  DualLevelGuard(const DualLevelGuard&) = delete;
  DualLevelGuard& operator=(const DualLevelGuard&) = delete;

 private:
  uint64_t level_;
};

}  // namespace notape::autograd::forward_ad
