// Saved-tensor hooks: what happens between saving a value for backward and using it (LibTorch's
// torch::autograd::graph::saved_tensors_hooks).
//   SavedTensorHooksGuard hooks([](const Tensor& t) { return std::any(t.to(kFloat32)); },
//                               [](const std::any& packed) { return ...; });
#pragma once
#include <any>
#include <functional>
#include <string>

#include "autograd/modes/thread_state.h"
#include "autograd/shared_hook.h"
#include "autograd/tensor/tensor.h"

namespace notape {

struct SavedTensorHooks {
  using Pack = std::function<std::any(const Tensor& value)>;
  using Unpack = std::function<Tensor(const std::any& packed)>;
  Pack pack;
  SharedHook<Tensor(const std::any& packed)> unpack;  // all values share it
  const char* disabled = nullptr;  // why no hooks may be set here; null: they may
  const SavedTensorHooks* outer = nullptr;
};

/// Values saved in its scope by this thread go through `pack`, once each, in no-grad mode; it must
/// not write its argument. `unpack` gives back a value of the same size, dtype and device when a
/// gradient needs it; its version is not checked. The innermost guard wins. Throws SavedHookError
/// where hooks are disabled. Forward mode's tangents are kept beside, as they were when saved.
class SavedTensorHooksGuard {
 public:
  SavedTensorHooksGuard(SavedTensorHooks::Pack pack, SavedTensorHooks::Unpack unpack);
  ~SavedTensorHooksGuard() { thread_state.saved_hooks = hooks_.outer; }
  SavedTensorHooksGuard(const SavedTensorHooksGuard&) = delete;
  SavedTensorHooksGuard& operator=(const SavedTensorHooksGuard&) = delete;

 private:
  SavedTensorHooks hooks_;
};

/// In its scope no saved-tensor hooks apply, and setting some raises `message`.
class DisableSavedTensorHooksGuard {
 public:
  explicit DisableSavedTensorHooksGuard(std::string message);
  ~DisableSavedTensorHooksGuard() { thread_state.saved_hooks = hooks_.outer; }
  DisableSavedTensorHooksGuard(const DisableSavedTensorHooksGuard&) = delete;
  DisableSavedTensorHooksGuard& operator=(const DisableSavedTensorHooksGuard&) = delete;

 private:
  std::string message_;
  SavedTensorHooks hooks_;
};

/// Keeps saved values in host memory until they are needed.
class SaveOnCpuGuard : public SavedTensorHooksGuard {
 public:
  SaveOnCpuGuard();
};

/// The hooks that apply now; null if none do.
inline const SavedTensorHooks* active_saved_hooks() {
  const SavedTensorHooks* innermost = thread_state.saved_hooks;
  return innermost && !innermost->disabled ? innermost : nullptr;
}

}  // namespace notape
