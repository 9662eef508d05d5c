// NodeHooks: what users attached to a node, and what else few nodes have. Tensor hooks live at the
// node whose output the tensor is (a leaf's at its accumulator), so they stay with the history they
// were registered on.
#pragma once
#include <mutex>
#include <unordered_map>

#include "autograd/graph/hook_list.h"
#include "autograd/graph/node.h"
#include "autograd/shared_hook.h"

namespace notape {

struct NodeOrigin;

// Note [Hooks that change hooks]
// A hook may add and remove hooks, also those of its own node, and other threads may do so at any
// time. Lists are therefore read and changed under the lock, and hooks are called without it: what
// is called has been there when its node began, and has not been removed since.
struct NodeHooks {
  using PreHook = SharedHook<variable_list(const variable_list& gradients)>;
  using PostHook = SharedHook<variable_list(const variable_list& input_gradients,
                                            const variable_list& output_gradients)>;
  using PostAccumulateHook = SharedHook<void(const Tensor& leaf)>;
  struct OfTensor {
    uint32_t output_nr = 0;
    SharedHook<Tensor(const Tensor&)> hook;
    explicit operator bool() const { return static_cast<bool>(hook); }
  };
  /// Another node's, which has no more then.
  void take_over(NodeHooks& other);
  bool has_post_hooks() const {
    const std::lock_guard guard(lock);
    return !post_hooks.empty();
  }

  mutable std::mutex lock;
  HookList<OfTensor> tensor_hooks;
  /// Tensors and the outputs that they are. Weak: a destructor or the next history takes one out.
  std::unordered_map<TensorImpl*, uint32_t> retained;
  std::vector<PreHook> pre_hooks;
  std::vector<PostHook> post_hooks;
  HookList<PostAccumulateHook> post_accumulate;
  std::shared_ptr<const NodeOrigin> origin;  // anomaly mode: how the node came to be
};

/// Tensor::register_hook, for a hook that `removed` takes out.
uint32_t add_tensor_hook(const Tensor& tensor, SharedHook<Tensor(const Tensor&)> hook,
                         HookRemoved removed);

}  // namespace notape
