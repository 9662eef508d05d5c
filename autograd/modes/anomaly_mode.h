// Anomaly mode: which forward call made the node that fails (LibTorch's DetectAnomalyGuard).
#pragma once
#include "autograd/modes/thread_state.h"
#include "autograd/source_location.h"

namespace notape {

/// Nodes recorded in its scope keep the stack of the forward call and the node that was running;
/// if such a node throws in a backward run in the scope, they are printed as a warning. With
/// `check_nan`, a NaN in what a node returns raises NonFiniteGradient. Slow; says so once. Nests.
class DetectAnomalyGuard {
 public:
  explicit DetectAnomalyGuard(bool check_nan = true,
                              const SourceLocation& at = SourceLocation::current());
  ~DetectAnomalyGuard() { thread_state.anomaly = before_; }
  DetectAnomalyGuard(const DetectAnomalyGuard&) = delete;
  DetectAnomalyGuard& operator=(const DetectAnomalyGuard&) = delete;

 private:
  Anomaly before_;
};

}  // namespace notape
