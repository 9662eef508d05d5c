#include "autograd/engine/run_hooks.h"

#include <algorithm>
#include <numeric>

#include "autograd/graph/accumulate_grad.h"
#include "autograd/graph/vector_space.h"

namespace notape {
namespace {

/// `before` describes the gradient that `after` replaces.
template <typename Gradient>
void check_replacement(const Node& node, const Gradient& before, const Tensor& after) {
  if (!(before.sizes() == after.sizes()))
    throw HookError("hook of {} has changed the size of value: {} instead of {}", node.name(),
                    to_string(after.sizes()), to_string(before.sizes()));
  if (before.dtype() != after.dtype() || before.device() != after.device())
    throw HookError("hook of {} has changed the type of value: {} on {} instead of {} on {}",
                    node.name(), name_of(after.dtype()), to_string(after.device()),
                    name_of(before.dtype()), to_string(before.device()));
}

/// User code gets a buffer that nobody else sees.
void make_exclusive(Tensor& gradient) {
  if (!gradient.defined()) return;
  if (gradient.impl().use_count() == 1 && gradient.impl().storage()->is_exclusive()) return;
  count(Count::HookCopies);
  gradient = vector_space->clone(gradient, contiguous_strides(gradient.sizes()));
}

/// By output number, and in order of registration for each.
std::vector<std::size_t> order_of(const std::vector<NodeHooks::OfTensor>& hooks) {
  std::vector<std::size_t> order(hooks.size());
  std::iota(order.begin(), order.end(), 0);
  std::stable_sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) {
    return hooks[a].output_nr < hooks[b].output_nr;
  });
  return order;
}

}  // namespace

void run_tensor_hooks(Node& node, Tensor* gradients) {
  NodeHooks& hooks = *node.hooks();
  for (const std::size_t i : order_of(hooks.tensor_hooks)) {
    if (!hooks.tensor_hooks[i].hook) continue;
    const TensorHook hook = hooks.tensor_hooks[i].hook;
    Tensor& gradient = gradients[hooks.tensor_hooks[i].output_nr];
    make_exclusive(gradient);
    Tensor replacement = hook(gradient);
    if (!replacement.defined() || replacement.is_same(gradient)) continue;
    if (!gradient.defined())
      throw HookError("hook of {}: can't replace a empty gradient with a non-empty value",
                      node.name());
    check_replacement(node, gradient, replacement);
    gradient = std::move(replacement);
  }
  for (const NodeHooks::Retained& retained : hooks.retained) {
    const Tensor& gradient = gradients[retained.output_nr];
    if (!gradient.defined()) continue;
    accumulate_into(retained.tensor->make_extra().grad, gradient, *retained.tensor);
  }
}

void run_pre_hooks(Node& node, Tensor* gradients) {
  const auto hooks = node.hooks()->pre_hooks;
  for (const auto& hook : hooks) {
    variable_list list(gradients, gradients + node.num_inputs());
    for (Tensor& gradient : list) make_exclusive(gradient);
    variable_list replacements = hook(list);
    if (replacements.size() != list.size())
      throw HookError("pre-hook of {} returned {} gradients instead of {}", node.name(),
                      replacements.size(), list.size());
    for (std::size_t i = 0; i < list.size(); ++i) {
      if (!replacements[i].defined()) continue;
      check_replacement(node, node.input_metadata(i), replacements[i]);
      gradients[i] = std::move(replacements[i]);
    }
  }
}

void run_post_hooks(Node& node, Tensor* results, const variable_list& gradients) {
  if (!node.hooks()->post_accumulate.empty()) {
    const Tensor leaf = static_cast<AccumulateGrad&>(node).leaf();
    const auto hooks = node.hooks()->post_accumulate;
    for (const auto& hook : hooks)
      if (leaf.defined() && hook) hook(leaf);
  }
  const auto hooks = node.hooks()->post_hooks;
  for (const auto& hook : hooks) {
    const variable_list list(results, results + node.num_edges());
    variable_list replacements = hook(list, gradients);
    if (replacements.size() != list.size())
      throw HookError("post-hook of {} returned {} gradients instead of {}", node.name(),
                      replacements.size(), list.size());
    for (std::size_t i = 0; i < list.size(); ++i) results[i] = std::move(replacements[i]);
  }
}

}  // namespace notape
