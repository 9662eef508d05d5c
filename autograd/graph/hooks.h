// NodeHooks: what users attached to a node, and what else few nodes have. Tensor hooks live at the
// node whose output the tensor is (a leaf's at its accumulator), so they stay with the history they
// were registered on.
#pragma once
#include <functional>

#include "autograd/graph/node.h"

namespace notape {

struct NodeOrigin;

struct NodeHooks {
  using PreHook = std::function<variable_list(const variable_list& gradients)>;
  using PostHook = std::function<variable_list(const variable_list& input_gradients,
                                               const variable_list& output_gradients)>;
  struct OfTensor {
    uint32_t output_nr;
    TensorHook hook;  // empty once removed
  };
  struct Retained {
    uint32_t output_nr;
    TensorImpl* tensor;  // weak: its destructor and its next history take it out
  };

  std::vector<OfTensor> tensor_hooks;  // in registration order
  std::vector<Retained> retained;
  std::vector<PreHook> pre_hooks;
  std::vector<PostHook> post_hooks;
  std::vector<std::function<void(const Tensor&)>> post_accumulate;
  std::shared_ptr<const NodeOrigin> origin;  // anomaly mode: how the node came to be
};

}  // namespace notape
