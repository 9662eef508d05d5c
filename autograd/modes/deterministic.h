// Deterministic mode: kernels that may give other bits from run to run are errors, and libraries
// are asked for algorithms that do not. The CPU's kernels always give the same bits.
#pragma once

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

}  // namespace notape
