// IeeeGradientGuard: backward with the arithmetic of LibTorch.
#pragma once
#include <utility>

#include "autograd/modes/thread_state.h"

namespace notape {

/// Backward runs in its scope have no structural zeros: an entry that no path selected still meets
/// the derivatives further up, and zero times an infinite one is NaN, as in LibTorch. Nests.
class IeeeGradientGuard {
 public:
  IeeeGradientGuard() : before_(std::exchange(thread_state.structural_zeros, false)) {}
  ~IeeeGradientGuard() { thread_state.structural_zeros = before_; }
  IeeeGradientGuard(const IeeeGradientGuard&) = delete;
  IeeeGradientGuard& operator=(const IeeeGradientGuard&) = delete;

 private:
  bool before_;
};

}  // namespace notape
