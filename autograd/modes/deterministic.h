// Deterministic mode: kernels that may give other bits from run to run are errors. The CPU's
// kernels and those in cuda/ always give the same bits; the switch is for kernels that cannot.
#pragma once
#include <utility>

#include "autograd/observer.h"
#include "autograd/tensor/device.h"

namespace notape {

/// For this thread, and for the backward runs it starts. Off by default.
void set_deterministic(bool wanted);
bool is_deterministic();

/// Sets deterministic mode for a scope.
class DeterministicGuard {
 public:
  explicit DeterministicGuard(bool wanted = true);
  ~DeterministicGuard();
  DeterministicGuard(const DeterministicGuard&) = delete;
  DeterministicGuard& operator=(const DeterministicGuard&) = delete;

 private:
  bool before_;
};

/// To be called, before it changes anything, by an operator without a deterministic form on
/// `device`: throws NotDeterministic in deterministic mode (LibTorch: alertNotDeterministic).
void refuse_if_deterministic(const Operation& op, Device device);

}  // namespace notape
