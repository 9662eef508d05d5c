#include "autograd/function_tangents.h"

#include <algorithm>

#include "autograd/forward/tangent.h"
#include "autograd/forward/unknown_tangent.h"
#include "autograd/graph/unrecorded.h"

namespace notape::autograd {

std::vector<uint64_t> levels_of(const std::vector<FunctionArgument>& arguments) {
  std::set<uint64_t> levels;
  for (const FunctionArgument& argument : arguments)
    if (argument.is_tensor)
      for (const uint64_t level : active_levels({&argument.tensor})) levels.insert(level);
  return {levels.begin(), levels.end()};
}

void refuse_duals(const FunctionVTable& function, const std::vector<FunctionArgument>& arguments) {
  if (thread_state.forward_levels == 0 || levels_of(arguments).empty()) return;
  throw ForwardNotImplemented("Trying to use forward AD with {} that does not support it",
                              function.name);
}

LostTangents::LostTangents(const std::vector<FunctionArgument>& arguments,
                           const std::vector<bool>& needs_gradient, uint32_t call)
    : arguments_(arguments), call_(call) {
  if (thread_state.forward_levels == 0) return;
  levels_ = levels_of(arguments);
  std::size_t tensors = 0;
  for (const FunctionArgument& argument : arguments)
    unmarked_ |= argument.is_tensor && !needs_gradient[tensors++] &&
                 !active_levels({&argument.tensor}).empty();
}

/// What was computed from arguments that need a gradient is marked. Arguments with a tangent alone
/// leave no mark, and count for all that is not itself an argument.
bool LostTangents::has_lost(const Tensor& value) const {
  if (is_unrecorded(value.impl(), call_)) return true;
  return unmarked_ && value.is_floating_point() &&
         std::none_of(arguments_.begin(), arguments_.end(), [&](const FunctionArgument& argument) {
           return argument.tensor.defined() && argument.tensor.is_alias_of(value);
         });
}

Tensor LostTangents::without_tangents(const Tensor& value) const {
  const TensorImpl& impl = value.impl();
  const Tensor unknown(
      Ref<TensorImpl>::adopt(new TensorImpl(impl.storage(), impl.geometry(), impl.dtype())));
  for (const uint64_t level : levels_) set_unknown_tangent(unknown, level);
  return unknown;
}

void LostTangents::mark(SavedVariable& saved, const Tensor& value) const {
  if (!levels_.empty() && value.defined() && has_lost(value))
    saved.save_tangents(without_tangents(value));
}

void LostTangents::mark(Tensor& value) const {
  if (!levels_.empty() && value.defined() && has_lost(value)) value = without_tangents(value);
}

/// What jvp reads of what forward computed has lost its tangents of lower levels, and its
/// derivative, if forward was recorded.
variable_list FunctionCall::run_jvp(variable_list tangents, bool has_lower_levels) {
  if (context_->call_ == 0 || !(thread_state.grad_mode || has_lower_levels))
    return vtable_.jvp(context_.get(), std::move(tangents));
  const UnrecordedReads scope(context_->call_, context_->node_, has_lower_levels);
  variable_list results = vtable_.jvp(context_.get(), std::move(tangents));
  UnrecordedReads::give_edges(results);
  return results;
}

void FunctionCall::compute_tangents(const variable_list& outputs) {
  const std::vector<uint64_t> levels = levels_of(arguments_);
  if (!context_->node_ && levels.size() > 1) {
    const LostTangents lost(arguments_, context_->needs_input_grad_, context_->call_);
    for (Tensor& value : context_->to_save_)
      if (std::none_of(outputs.begin(), outputs.end(), [&](const Tensor& output) {
            return output.defined() && value.defined() && output.is_alias_of(value);
          }))
        lost.mark(value);
  }
  bool has_lower_levels = false;
  for (const uint64_t level : levels) {
    if (!vtable_.jvp) refuse_duals(vtable_, arguments_);
    const ForwardLevelLimit below(level);
    variable_list tangents;
    for (const FunctionArgument& argument : arguments_)
      if (argument.is_tensor) tangents.push_back(tangent_of(argument.tensor, level));
    variable_list results = run_jvp(std::move(tangents), std::exchange(has_lower_levels, true));
    if (results.size() != outputs.size())
      throw FunctionError("{}: jvp returned {} tangents for {} outputs", vtable_.name,
                          results.size(), outputs.size());
    for (std::size_t i = 0; i < outputs.size(); ++i)
      if (outputs[i].defined() && context_->dirty_.count(&outputs[i].impl()))
        write_tangent(outputs[i], level, std::move(results[i]));
      else if (outputs[i].defined())
        set_tangent(outputs[i], level, std::move(results[i]));
    for (auto& saved : context_->saved_)
      if (saved.output >= 0)
        saved.value.save_tangents(outputs[static_cast<std::size_t>(saved.output)]);
  }
}

}  // namespace notape::autograd
