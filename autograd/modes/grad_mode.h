// Grad mode: whether operations record a graph (thread-local, on by default; LibTorch's names).
#pragma once
#include <utility>

#include "autograd/modes/thread_state.h"

namespace notape {

struct GradMode {
  static bool is_enabled() { return thread_state.grad_mode; }
  static void set_enabled(bool enabled) { thread_state.grad_mode = enabled; }
};

/// Sets grad mode for a scope.
class AutoGradMode {
 public:
  explicit AutoGradMode(bool enabled) : before_(std::exchange(thread_state.grad_mode, enabled)) {}
  ~AutoGradMode() { thread_state.grad_mode = before_; }
  AutoGradMode(const AutoGradMode&) = delete;
  AutoGradMode& operator=(const AutoGradMode&) = delete;

 private:
  bool before_;
};

/// Inside its scope nothing is recorded; writes still advance versions.
struct NoGradGuard : AutoGradMode {
  NoGradGuard() : AutoGradMode(false) {}
};

struct EnableGradGuard : AutoGradMode {
  EnableGradGuard() : AutoGradMode(true) {}
};

/// Sets the alias policy for a scope (2017 paper, 3.1, against later practice).
class AliasPolicyGuard {
 public:
  explicit AliasPolicyGuard(AliasPolicy policy)
      : before_(std::exchange(thread_state.alias_policy, policy)) {}
  ~AliasPolicyGuard() { thread_state.alias_policy = before_; }
  AliasPolicyGuard(const AliasPolicyGuard&) = delete;
  AliasPolicyGuard& operator=(const AliasPolicyGuard&) = delete;

 private:
  AliasPolicy before_;
};

}  // namespace notape
