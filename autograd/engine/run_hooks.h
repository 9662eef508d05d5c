// What the engine does with the hooks of a node (SEMANTICS: "Hooks", order at one node).
#pragma once
#include "autograd/graph/hooks.h"

namespace notape {

/// Tensor hooks in registration order, then retained gradients. Throws HookError.
void run_tensor_hooks(Node& node, Tensor* gradients);
void run_pre_hooks(Node& node, Tensor* gradients);
/// Post-accumulate hooks of a leaf, then node post-hooks.
void run_post_hooks(Node& node, Tensor* results, const variable_list& gradients);

}  // namespace notape
