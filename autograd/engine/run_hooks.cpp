#include "autograd/engine/run_hooks.h"

#include <algorithm>

#include "autograd/graph/accumulate_grad.h"
#include "autograd/graph/support.h"
#include "autograd/tensor/core_operators.h"

namespace notape {
namespace {

BatchLevels levels_in(const Tensor& gradient) { return levels_of(gradient); }
BatchLevels levels_in(const OutputMeta& gradient) { return gradient.levels(); }

template <typename Gradient>
bool has_levels_of(const Gradient& before, const Tensor& after) {
  if (!after.device().is_batched()) return true;
  const BatchLevels own = levels_in(before), its = levels_of(after);
  return without(own, its).empty() && without(its, own).empty();
}

/// `before` describes the gradient that `after` replaces.
template <typename Gradient>
void check_replacement(const Node& node, const Gradient& before, const Tensor& after) {
  if (!(before.sizes() == after.sizes()))
    throw HookError("hook of {} has changed the size of value: {} instead of {}", node.name(),
                    to_string(after.sizes()), to_string(before.sizes()));
  if (before.dtype() != after.dtype() || before.device() != after.device() ||
      !has_levels_of(before, after))
    throw HookError("hook of {} has changed the type of value: {} on {} instead of {} on {}",
                    node.name(), name_of(after.dtype()), to_string(after.device()),
                    name_of(before.dtype()), to_string(before.device()));
}

/// A post-hook may replace a result by one of its size, or of the size that is wanted in the end.
/// One of another size might still broadcast, and would then be summed without a word.
void check_result(const Node& node, std::size_t i, const Tensor& before, const Tensor& after) {
  const Edge& edge = node.next_edge(i);
  if (!edge || !after.defined() || (before.defined() && before.sizes() == after.sizes())) return;
  const OutputMeta& wanted = edge.function->input_metadata(edge.input_nr);
  if (!(after.sizes() == wanted.sizes()))
    throw HookError("post-hook of {} has changed the size of value: {} instead of {}", node.name(),
                    to_string(after.sizes()), to_string(wanted.sizes()));
}

/// User code gets a buffer that nobody else sees.
void make_exclusive(Tensor& gradient) {
  if (!gradient.defined()) return;
  if (gradient.impl().use_count() == 1 && gradient.impl().storage()->is_exclusive()) return;
  count(Count::HookCopies);
  gradient = core_operators->clone(gradient, contiguous_strides(gradient.sizes()));
}

/// A gradient in the hands of user code, which sees no structural zeros. If it leaves the tensor as
/// it is, that has them again afterwards.
class Lent {
 public:
  explicit Lent(Tensor& gradient) {
    settle_zeros(gradient);
    support_ = support_of(gradient);
    if (!support_) return;
    make_exclusive(gradient);
    TensorImpl& impl = gradient.impl();
    impl.make_extra().support.reset();
    impl.set(TensorImpl::kSupport, true);  // until its storage or geometry changes
    version_ = impl.storage()->version();
  }

  void take_back(Tensor& gradient) {
    if (!support_) return;
    TensorImpl& impl = gradient.impl();
    const bool is_as_it_was = impl.has(TensorImpl::kSupport) &&
                              impl.storage()->version() == version_ &&
                              !impl.storage()->is_foreign();
    drop_support(gradient);
    if (!is_as_it_was) return;
    if (impl.use_count() != 1) gradient = core_operators->alias(gradient);  // user code has kept it
    set_support(gradient, std::move(support_));
  }

  /// Of what user code returned for it.
  Tensor settled(Tensor& gradient, Tensor returned) {
    const bool is_same = returned.is_same(gradient);
    if (is_same) returned.reset();
    take_back(gradient);
    return is_same ? std::move(gradient) : ordinary(std::move(returned));
  }

 private:
  Ref<Support> support_;
  uint64_t version_ = 0;
};

/// The numbers of the hooks that are there when their node begins, by what `key` says of each, and
/// in order of registration.
template <typename Hook, typename Key>
std::vector<uint32_t> numbers_of(const NodeHooks& hooks, const HookList<Hook>& list, Key key) {
  const std::lock_guard guard(hooks.lock);
  std::vector<std::pair<uint32_t, uint32_t>> order;
  for (const auto& entry : list.entries()) order.emplace_back(key(entry.hook), entry.number);
  if (!std::is_sorted(order.begin(), order.end())) std::sort(order.begin(), order.end());
  std::vector<uint32_t> numbers;
  for (const auto& [first, number] : order) numbers.push_back(number);
  return numbers;
}

/// An empty one if it has been removed meanwhile. Or another accumulator may have taken it over, if
/// a hook gave its leaf other data.
template <typename Hook>
Hook hook_now(const NodeHooks& hooks, const HookList<Hook>& list, uint32_t number) {
  const std::lock_guard guard(hooks.lock);
  return list.find(number);
}

/// Calls `call` with each of the hooks that are there now, in order. These cannot be removed.
template <typename Hook, typename Call>
void for_each_hook(const NodeHooks& hooks, const std::vector<Hook> NodeHooks::*list, Call call) {
  const auto size = [&] {
    const std::lock_guard guard(hooks.lock);
    return (hooks.*list).size();
  };
  const auto at = [&](std::size_t i) {
    const std::lock_guard guard(hooks.lock);
    return i < (hooks.*list).size() ? (hooks.*list)[i] : Hook();
  };
  for (std::size_t i = 0, n = size(); i < n; ++i)
    if (const Hook hook = at(i)) call(hook);
}

}  // namespace

void run_tensor_hooks(Node& node, Tensor* gradients) {
  NodeHooks& hooks = *node.hooks();
  const auto output_of = [](const NodeHooks::OfTensor& hook) { return hook.output_nr; };
  for (const uint32_t number : numbers_of(hooks, hooks.tensor_hooks, output_of)) {
    const auto [output_nr, hook] = hook_now(hooks, hooks.tensor_hooks, number);
    if (!hook) continue;
    Tensor& gradient = gradients[output_nr];
    Lent lent(gradient);
    make_exclusive(gradient);
    Tensor replacement = hook(gradient);
    if (!replacement.defined() || replacement.is_same(gradient)) {
      replacement.reset();
      lent.take_back(gradient);
      continue;
    }
    if (!gradient.defined())
      throw HookError("hook of {}: can't replace a empty gradient with a non-empty value",
                      node.name());
    check_replacement(node, gradient, replacement);
    gradient = ordinary(std::move(replacement));
  }
  for (const auto& [tensor, output_nr] : hooks.retained) {
    const Tensor& gradient = gradients[output_nr];
    if (!gradient.defined()) continue;
    accumulate_into(tensor->make_extra().grad, gradient, *tensor);
  }
}

void run_pre_hooks(Node& node, Tensor* gradients) {
  for_each_hook(*node.hooks(), &NodeHooks::pre_hooks, [&](const NodeHooks::PreHook& hook) {
    variable_list list(gradients, gradients + node.num_inputs());
    std::vector<Lent> lent;
    for (Tensor& gradient : list) {
      lent.emplace_back(gradient);
      make_exclusive(gradient);
    }
    variable_list replacements = hook(list);
    if (replacements.size() != list.size())
      throw HookError("pre-hook of {} returned {} gradients instead of {}", node.name(),
                      replacements.size(), list.size());
    for (std::size_t i = 0; i < list.size(); ++i) {
      if (!replacements[i].defined()) continue;
      check_replacement(node, node.input_metadata(i), replacements[i]);
      gradients[i] = lent[i].settled(list[i], std::move(replacements[i]));
    }
  });
}

void run_post_hooks(Node& node, Tensor* results, const variable_list& gradients) {
  const NodeHooks& hooks = *node.hooks();
  const auto any = [](const NodeHooks::PostAccumulateHook&) { return uint32_t{0}; };
  for (const uint32_t number : numbers_of(hooks, hooks.post_accumulate, any)) {
    const NodeHooks::PostAccumulateHook hook = hook_now(hooks, hooks.post_accumulate, number);
    const Tensor leaf = static_cast<AccumulateGrad&>(node).leaf();
    if (hook && leaf.defined()) hook(leaf);
  }
  for_each_hook(hooks, &NodeHooks::post_hooks, [&](const NodeHooks::PostHook& hook) {
    variable_list list(results, results + node.num_edges());
    std::vector<Lent> lent;
    for (Tensor& result : list) lent.emplace_back(result);
    variable_list replacements = hook(list, gradients);
    if (replacements.size() != list.size())
      throw HookError("post-hook of {} returned {} gradients instead of {}", node.name(),
                      replacements.size(), list.size());
    for (std::size_t i = 0; i < list.size(); ++i) {
      check_result(node, i, list[i], replacements[i]);
      results[i] = lent[i].settled(list[i], std::move(replacements[i]));
    }
  });
}

}  // namespace notape
