#include "autograd/graph/saved_tensor_hooks.h"

#include "autograd/tensor/core_operators.h"

namespace notape {

SavedTensorHooksGuard::SavedTensorHooksGuard(SavedTensorHooks::Pack pack,
                                             SavedTensorHooks::Unpack unpack)
    : hooks_{std::move(pack), std::move(unpack), nullptr, thread_state.saved_hooks} {
  if (hooks_.outer && hooks_.outer->disabled)
    throw SavedHookError("saved tensor hooks are disabled here: {}", hooks_.outer->disabled);
  thread_state.saved_hooks = &hooks_;
}

DisableSavedTensorHooksGuard::DisableSavedTensorHooksGuard(std::string message)
    : message_(std::move(message)),
      hooks_{nullptr, nullptr, message_.c_str(), thread_state.saved_hooks} {
  thread_state.saved_hooks = &hooks_;
}

namespace {

struct OnCpu {
  Device home;
  Tensor value;
};

}  // namespace

SaveOnCpuGuard::SaveOnCpuGuard()
    : SavedTensorHooksGuard(
          [](const Tensor& value) {
            const Tensor here = value.device().is_cpu()
                                    ? core_operators->clone(value, value.strides())
                                    : core_operators->convert(value, value.dtype(), Device());
            return std::any(OnCpu{value.device(), here});
          },
          [](const std::any& packed) {
            const auto& [home, value] = std::any_cast<const OnCpu&>(packed);
            return home.is_cpu() ? value : core_operators->convert(value, value.dtype(), home);
          }) {}

}  // namespace notape
