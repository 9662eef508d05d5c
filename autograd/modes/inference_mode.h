// Inference mode: no graph, no tangents, and new tensors without version counter (LibTorch's
// c10::InferenceMode).
#pragma once
#include "autograd/modes/grad_mode.h"

namespace notape {

/// Inside its scope new tensors are inference tensors: they may flow through any operation that
/// saves nothing. Saving one for backward, writing one in place outside the scope, turning
/// requires_grad on there, or asking for its version raises InferenceTensorError; clone() outside
/// gives an ordinary tensor.
class InferenceMode {
 public:
  explicit InferenceMode(bool enabled = true) : before_(thread_state) {
    thread_state.inference_mode = enabled;
    thread_state.grad_mode = !enabled;
    if (enabled) thread_state.forward_level_limit = 0;
  }
  ~InferenceMode() {
    thread_state.inference_mode = before_.inference_mode;
    thread_state.grad_mode = before_.grad_mode;
    thread_state.forward_level_limit = before_.forward_level_limit;
  }
  InferenceMode(const InferenceMode&) = delete;
  InferenceMode& operator=(const InferenceMode&) = delete;

  static bool is_enabled() { return thread_state.inference_mode; }

 private:
  const ThreadState before_;
};

}  // namespace notape
