#include "autograd/function.h"

#include <algorithm>

#include "autograd/function_node.h"
#include "autograd/function_tangents.h"
#include "autograd/graph/error_node.h"
#include "autograd/graph/first_writes.h"
#include "autograd/graph/record.h"
#include "autograd/graph/support.h"
#include "autograd/graph/unrecorded.h"
#include "autograd/modes/thread_state.h"
#include "autograd/tensor/core_operators.h"
#include "autograd/tensor/tensor_extra.h"
#include "autograd/warning.h"

namespace notape::autograd {

variable_list AutogradContext::get_saved_variables() const {
  if (!node_) return to_save_;  // in forward or jvp, or nothing was recorded
  variable_list values;
  for (const Saved& saved : saved_) {
    const Edge own{NodeRef::share(const_cast<Node*>(node_)), static_cast<uint32_t>(saved.output)};
    values.push_back(saved.value.unpack(*node_, saved.output >= 0 ? &own : &saved.edge));
    // An output has its derivative and its tangent, whatever its memory says.
    if (saved.output >= 0) values.back().impl().set(TensorImpl::kConstant, true);
  }
  return values;
}

void AutogradContext::mark_dirty(const variable_list& inputs) {
  for (const Tensor& input : inputs)
    if (input.defined()) dirty_.insert(&input.impl());
}

void AutogradContext::mark_non_differentiable(const variable_list& outputs) {
  for (const Tensor& output : outputs)
    if (output.defined()) non_differentiable_.insert(&output.impl());
}

void AutogradContext::view_of(const Tensor& output, const Tensor& input) {
  if (output.defined()) view_of_[&output.impl()] = input;
}

bool AutogradContext::needs_input_grad(std::size_t i) const {
  if (i >= needs_input_grad_.size())
    throw IndexError("needs_input_grad: index {} is out of range, there are {} tensor arguments", i,
                     needs_input_grad_.size());
  return needs_input_grad_[i];
}

bool AutogradContext::needs_input_grad(std::initializer_list<IndexRange> ranges) const {
  bool wanted = false;
  for (const auto& [begin, end] : ranges)
    for (std::size_t i = begin; i < end; ++i) wanted |= needs_input_grad(i);
  return wanted;
}

namespace {

/// As detach_(), but what jvp is to know of the arguments' tangents stays.
void leave_graph(TensorImpl& output) {
  leave_family(output);
  replace_history(output, nullptr);
  output.set(TensorImpl::kRequiresGrad, false);
  output.set(TensorImpl::kRetainsGrad, false);
}

}  // namespace

AutogradContext* FunctionCall::begin() {
  context_ = std::make_shared<AutogradContext>();
  bool wanted = false;
  for (FunctionArgument& argument : arguments_) {
    if (!argument.is_tensor) continue;
    const bool needs = thread_state.grad_mode && needs_gradient(argument.tensor);
    wanted |= thread_state.grad_mode && says_requires_grad(argument.tensor);
    volatile_ |= argument.tensor.defined() && argument.tensor.is_volatile();
    context_->needs_input_grad_.push_back(needs);
  }
  if (!vtable_.jvp) refuse_duals(vtable_, arguments_);  // before forward has written anything
  records_ = wanted && !volatile_ && thread_state.grad_mode;
  const std::size_t levels = thread_state.forward_levels == 0 ? 0 : levels_of(arguments_).size();
  context_->has_duals_ = levels != 0;
  // Of several levels, what jvp computes on one is differentiated on the others.
  context_->call_ = thread_state.forward_call ? thread_state.forward_call
                    : records_ || levels > 1  ? new_forward_call()
                                              : 0;
  return context_.get();
}

int FunctionCall::argument_of(const TensorImpl* tensor) const {
  for (std::size_t i = 0; i < arguments_.size(); ++i)
    if (arguments_[i].is_tensor && arguments_[i].tensor.defined() &&
        &arguments_[i].tensor.impl() == tensor)
      return static_cast<int>(i);
  return -1;
}

bool FunctionCall::is_differentiable(const Tensor& output) const {
  return output.defined() && output.is_floating_point() &&
         !context_->non_differentiable_.count(&output.impl());
}

void FunctionCall::check_dirty(TensorImpl& dirty, const variable_list& outputs) const {
  const bool returned = std::any_of(outputs.begin(), outputs.end(), [&](const Tensor& output) {
    return output.defined() && &output.impl() == &dirty;
  });
  if (!returned)
    throw FunctionError(
        "{}: Some elements marked as dirty during the forward method were not returned as output",
        vtable_.name);
  const bool is_view = dirty.has(TensorImpl::kView);
  if (is_view && outputs.size() > 1)
    throw FunctionError(
        "{}: your Function modifies inplace an input that is a view of another Tensor. Functions "
        "which modify views in-place must return a single Variable",
        vtable_.name);
  if (is_view && context_->non_differentiable_.count(&dirty))
    throw FunctionError("{}: a view that is marked as dirty cannot be marked as non-differentiable",
                        vtable_.name);
  const auto is_protected = [](const TensorImpl& tensor) {
    return tensor.has(TensorImpl::kRequiresGrad) && !tensor.history();
  };
  if (thread_state.grad_mode && (is_protected(dirty) || is_protected(family_base(dirty))))
    throw LeafInPlace("{}: {} that requires grad has been used in an in-place operation.",
                      vtable_.name,
                      is_protected(dirty) ? "a leaf Variable" : "a view of a leaf Variable");
  const Operation op(vtable_.name, at_);
  const WritePlan plan = check_write(op, Tensor(Ref<TensorImpl>::share(&dirty)), {});
  if (records_ && !plan.records) FirstWrites::note(op, dirty, true);
}

/// What forward wrote, it wrote, whether or not it was allowed to.
void FunctionCall::log_dirty(bool recorded) const {
  for (TensorImpl* dirty : context_->dirty_)
    dirty->storage()->written(dirty->geometry(), static_cast<int64_t>(element_size(dirty->dtype())),
                              vtable_.name, at_, writer_of(*dirty), recorded);
}

void FunctionCall::check_all_dirty(const variable_list& outputs) {
  std::erase_if(context_->dirty_, [&](const TensorImpl* dirty) {
    if (argument_of(dirty) >= 0) return false;
    const std::string text =
        format_message("{}: a tensor that is not an input was marked as dirty", {vtable_.name});
    warn_once(text.c_str(), text, at_);
    return true;
  });
  try {
    for (TensorImpl* dirty : context_->dirty_) check_dirty(*dirty, outputs);
  } catch (...) {
    log_dirty(false);
    throw;
  }
}

/// Inputs and views returned as they are become new views, which may not be written. Where nothing
/// is recorded, views stay what their operators made of them without a graph, and inputs are
/// detached, as in LibTorch.
Tensor FunctionCall::wrap_output(const Tensor& output) const {
  if (!output.defined() || context_->dirty_.count(&output.impl())) return output;
  if (const auto declared = context_->view_of_.find(&output.impl());
      declared != context_->view_of_.end())
    return wrap_declared_view(output, declared->second);
  const bool is_input = argument_of(&output.impl()) >= 0, differs = is_differentiable(output);
  // (A view whose base was written since it was cut cannot be asked without an error.)
  const auto says = [](TensorImpl& impl) {
    const bool has_own = impl.has(TensorImpl::kView) && impl.extra()->tag == ViewTag::Function;
    return (has_own ? impl : family_base(impl)).has(TensorImpl::kRequiresGrad);
  };
  if (is_input && (!differs || (!records_ && says(output.impl())))) return output.detach();
  if (!is_input && (!output.is_view() || (!records_ && differs))) return output;
  Tensor view = make_view(output, output.impl().geometry());
  view.impl().extra()->tag = ViewTag::Function;
  return view;
}

Tensor FunctionCall::wrap_declared_view(const Tensor& output, const Tensor& input) const {
  if (!input.defined() || !input.is_alias_of(output) || input.dtype() != output.dtype())
    throw FunctionError("{}: an output was declared as a view of a tensor that it does not alias",
                        vtable_.name);
  return make_view(input, output.impl().geometry());
}

void FunctionCall::set_history(const Tensor& output, const NodeRef& node,
                               uint32_t output_nr) const {
  TensorImpl& impl = output.impl();
  if (!context_->dirty_.count(&impl))
    impl.set_history(node, output_nr);
  else if (!impl.has(TensorImpl::kView))
    replace_history(impl, node, output_nr);
  else
    replace_history(family_base(impl),
                    make_rebase(family_base(impl), impl, node, argument_of(&impl)));
}

variable_list FunctionCall::finish(const variable_list& raw) {
  check_all_dirty(raw);
  variable_list outputs;
  for (const Tensor& output : raw) outputs.push_back(wrap_output(output));
  context_->view_of_.clear();  // handles, which a node must not own
  FunctionNode* node = nullptr;
  if (records_) node = new FunctionNode(vtable_, at_, context_, arguments_, raw);
  const NodeRef owner = NodeRef::adopt(node);  // its edges lead to the values before the writes
  log_dirty(records_);
  if (records_) {
    for (std::size_t i = 0; i < raw.size(); ++i) {
      if (is_differentiable(raw[i]))
        set_history(outputs[i], owner, static_cast<uint32_t>(i));
      else if (raw[i].defined() && context_->dirty_.count(&raw[i].impl()))
        leave_graph(raw[i].impl());
    }
    save(raw, outputs);
  }
  // This node has the outputs' derivative, unless another user function's forward is around it.
  const bool is_inside = thread_state.forward_call != 0;
  const bool loses = is_inside && std::any_of(arguments_.begin(), arguments_.end(), [](auto& one) {
                       return one.is_tensor && detail::loses_gradient(one.tensor);
                     });
  for (const Tensor& output : outputs) {
    if (!output.defined()) continue;
    output.impl().set(TensorImpl::kUnrecorded, false);
    if (is_inside && !loses && records_ && output.impl().storage()->tensors() == 1)
      detail::note_forward_write(output, /*keeps_old=*/false, /*loses=*/false);
    for (const auto& argument : arguments_)
      if (argument.is_tensor) detail::note_lost_gradient(output, {&argument.tensor});
  }
  if (volatile_)
    for (const Tensor& output : outputs)
      if (output.defined()) output.impl().set(TensorImpl::kVolatile, true);
  if (thread_state.forward_levels != 0) compute_tangents(outputs);
  return outputs;
}

/// Where the gradient of a saved value goes. Forward ran unrecorded: what it computed from its
/// arguments has lost its derivative, and a recorded backward that needs it must not be silently
/// wrong.
Edge FunctionCall::edge_of_saved(const Tensor& value) const {
  // What shows memory that forward wrote has this very node as history: owning it were a cycle.
  const auto shows = [&](const TensorImpl* dirty) {
    const auto bytes = [](const TensorImpl& t) {
      return static_cast<int64_t>(element_size(t.dtype()));
    };
    return dirty->storage() == value.impl().storage() &&
           overlaps(dirty->geometry(), bytes(*dirty), value.impl().geometry(), bytes(value.impl()));
  };
  const std::set<TensorImpl*>& dirty = context_->dirty_;
  if (!value.defined() || (!is_unrecorded(value.impl(), context_->call_) &&
                           std::none_of(dirty.begin(), dirty.end(), shows)))
    return gradient_edge(value);
  // From before the writes: a dirty argument's history is by now this node itself.
  Edge error = unrecorded_edge(value.impl(), vtable_.name, at_, context_->node_->next_edges());
  if (std::any_of(dirty.begin(), dirty.end(), shows)) return error;
  Edge own = gradient_edge(value);  // forward may have recorded, from a leaf of its own
  return own ? make_fork(std::move(own), std::move(error), OutputMeta(value.impl())) : error;
}

void FunctionCall::save(const variable_list& raw, const variable_list& outputs) {
  const LostTangents lost(arguments_, context_->needs_input_grad_, context_->call_);
  for (const Tensor& value : context_->to_save_) {
    AutogradContext::Saved saved;
    for (std::size_t i = 0; i < raw.size(); ++i)
      if (value.defined() && value.is_same(raw[i]) && outputs[i].is_same(raw[i]) &&
          is_differentiable(raw[i]))
        saved.output = static_cast<int>(i);
    saved.value.save(value, saved.output >= 0 ? "result" : "a saved value");
    if (saved.output < 0) saved.edge = edge_of_saved(value);
    if (saved.output < 0) lost.mark(saved.value, value);
    context_->saved_.push_back(std::move(saved));
  }
  context_->to_save_.clear();
}

std::string function_name(const char* pretty) {
  // "... [with T = some::Name]" or "... [T = some::Name]"
  std::string_view text = pretty;
  text.remove_prefix(text.rfind("T = ") + 4);
  text = text.substr(0, text.find_first_of(";]"));
  std::size_t begin = 0;
  int depth = 0;  // of template arguments, whose namespaces stay
  for (std::size_t i = 0; i + 1 < text.size(); ++i) {
    depth += text[i] == '<' ? 1 : text[i] == '>' ? -1 : 0;
    if (depth == 0 && text[i] == ':' && text[i + 1] == ':') begin = i + 2;
  }
  return std::string(text.substr(begin));
}

}  // namespace notape::autograd
