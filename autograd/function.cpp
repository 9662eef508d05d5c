#include "autograd/function.h"

#include <algorithm>

#include "autograd/function_tangents.h"
#include "autograd/graph/error_node.h"
#include "autograd/graph/record.h"
#include "autograd/graph/support.h"
#include "autograd/graph/unrecorded.h"
#include "autograd/graph/vector_space.h"
#include "autograd/modes/thread_state.h"
#include "autograd/tensor/tensor_extra.h"
#include "autograd/warning.h"

namespace notape::autograd {

/// The node of one apply(): its derivative is the user's backward.
class FunctionNode final : public VariadicNode {
 public:
  FunctionNode(const FunctionVTable& vtable, const SourceLocation& at,
               std::shared_ptr<AutogradContext> context,
               const std::vector<FunctionArgument>& arguments, const variable_list& outputs)
      : VariadicNode(vtable.name, vtable.name, at, thread_state.next_sequence_nr++,
                     arguments.size(), outputs.size()),
        vtable_(vtable),
        context_(std::move(context)) {
    for (std::size_t i = 0; i < arguments.size(); ++i) {
      is_tensor_.push_back(arguments[i].is_tensor);
      if (arguments[i].is_tensor) set_edge(i, gradient_edge(arguments[i].tensor));
    }
    for (std::size_t i = 0; i < outputs.size(); ++i) {
      is_defined_.push_back(outputs[i].defined());
      if (outputs[i].defined()) set_metadata(i, outputs[i]);
    }
    context_->node_ = this;
  }
  ~FunctionNode() override { context_->node_ = nullptr; }

  bool accepts_undefined() const override { return true; }

  void check_saved(const Wanted*) const override {
    for (const auto& saved : context_->saved_) saved.value.check_released(*this);
  }
  void release_saved() noexcept override {
    for (auto& saved : context_->saved_) saved.value.release();
  }

  void visit_saved(const SavedVisitor& visit) override {
    for (auto& saved : context_->saved_)
      visit(saved.value, saved.output < 0 ? &saved.edge : nullptr);
  }

  void apply(Tensor* gradients, Tensor* results, const Wanted& wanted) override {
    variable_list incoming(num_inputs());
    for (std::size_t i = 0; i < incoming.size(); ++i) incoming[i] = prepare(gradients[i], i);
    std::size_t tensors = 0;
    for (std::size_t i = 0; i < num_edges(); ++i)
      if (is_tensor_[i]) context_->needs_input_grad_[tensors++] = wanted(i);
    variable_list outgoing = run_backward(std::move(incoming));
    check_count(outgoing);
    for (std::size_t i = 0; i < num_edges(); ++i) {
      if (!is_tensor_[i] && outgoing[i].defined())
        throw FunctionError(
            "function {} returned a gradient different from None at position {}, but the "
            "corresponding forward input was not a Variable",
            name(), i);
      if (!wanted(i)) continue;
      check_size(outgoing[i], i);
      results[i] = ordinary(std::move(outgoing[i]));
    }
  }

 private:
  /// Nobody else can see the memory, but perhaps the base that a view keeps alive for itself. Then
  /// there is nobody that user code could do harm to, whatever the strides are.
  static bool is_private(const TensorImpl& gradient) {
    if (gradient.use_count() != 1) return false;
    const Storage& storage = *gradient.storage();
    if (storage.is_exclusive()) return true;
    if (!gradient.has(TensorImpl::kView) || storage.readers() != 0 || storage.tensors() != 2)
      return false;
    const TensorImpl& base = family_base(const_cast<TensorImpl&>(gradient));
    return &base != &gradient && base.use_count() == 1 && base.storage() == gradient.storage();
  }

  /// User code gets zeros for undefined, and a buffer of its own: the gradient as it lies in memory
  /// if nobody else sees it, else a row-major copy.
  Tensor prepare(Tensor& gradient, std::size_t i) const {
    if (!gradient.defined()) {
      if (!context_->materialize_grads_ || !is_defined_[i]) return {};
      const OutputMeta& meta = input_metadata(i);
      return vector_space->zeros(meta.sizes(), meta.dtype(), meta.device());
    }
    if (is_private(gradient.impl())) {
      drop_support(gradient);
      return std::move(gradient);
    }
    count(Count::HookCopies);
    return vector_space->clone(gradient, contiguous_strides(gradient.sizes()));
  }

  variable_list run_backward(variable_list incoming) const {
    if (thread_state.grad_mode && context_->once_differentiable_)
      return backward_once(std::move(incoming));
    const bool has_tangents = context_->has_duals_ && thread_state.forward_levels != 0;
    if (context_->call_ != 0 && (thread_state.grad_mode || has_tangents))
      return backward_watched(std::move(incoming), has_tangents);
    return vtable_.backward(context_.get(), std::move(incoming));
  }

  /// Whatever it reads of what forward computed unrecorded leads to an error.
  variable_list backward_watched(variable_list incoming, bool has_tangents) const {
    const UnrecordedReads scope(context_->call_, *this, has_tangents);
    for (Tensor& gradient : incoming)  // a constant, on whatever memory it stands
      if (gradient.defined() && UnrecordedReads::of(gradient.impl()) &&
          !gradient.impl().has(TensorImpl::kRequiresGrad))
        gradient = gradient.detach();
    variable_list outgoing = vtable_.backward(context_.get(), std::move(incoming));
    for (Tensor& result : outgoing) {
      if (!thread_state.grad_mode || !result.defined() ||
          result.impl().has(TensorImpl::kRequiresGrad))
        continue;
      Edge edge = unrecorded_edge(result.impl());
      if (!edge) continue;
      result = result.detach();  // the value itself, which the user keeps as it is
      result.impl().set_history(std::move(edge.function), edge.input_nr);
    }
    return outgoing;
  }

  /// What depends on the gradients and on forward's arguments leads to an error.
  variable_list backward_once(variable_list incoming) const {
    std::vector<Edge> edges(next_edges().begin(), next_edges().end());
    for (const Tensor& gradient : incoming) edges.push_back(gradient_edge(gradient));
    variable_list outgoing;
    {
      const NoGradGuard no_grad;
      outgoing = vtable_.backward(context_.get(), std::move(incoming));
    }
    for (Tensor& result : outgoing) {
      if (!result.defined()) continue;
      result = result.detach();
      result.impl().set_history(
          make_error_node(format_message("trying to differentiate twice a function that was marked "
                                         "with once_differentiable: {}{}",
                                         {name(), at_place(at())}),
                          static_name(), at(), edges, OutputMeta(result.impl())),
          0);
    }
    return outgoing;
  }

  void check_count(variable_list& outgoing) const {
    while (outgoing.size() > num_edges() && !outgoing.back().defined()) outgoing.pop_back();
    if (outgoing.size() != num_edges())
      throw FunctionError(
          "function {} returned an incorrect number of gradients (expected {}, got {})", name(),
          num_edges(), outgoing.size());
  }

  /// LibTorch sums a gradient that is broadcast against its input; here only built-in derivatives
  /// may leave that to the engine. In what users write it is a mistake more often than not.
  void check_size(const Tensor& gradient, std::size_t i) const {
    const Edge& edge = next_edge(i);
    if (!edge || !gradient.defined()) return;
    const IntArrayRef wanted = edge.function->input_metadata(edge.input_nr).sizes();
    if (!(gradient.sizes() == wanted))
      throw InvalidGradient(
          "Function {} returned an invalid gradient at index {} - got {} but expected shape "
          "compatible with {}, the input's{}",
          name(), i, to_string(gradient.sizes()), to_string(wanted), at_place(at()));
  }

  const FunctionVTable& vtable_;
  std::shared_ptr<AutogradContext> context_;
  std::vector<bool> is_tensor_;   // by argument
  std::vector<bool> is_defined_;  // by output
};

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
  context_->call_ = thread_state.forward_call ? thread_state.forward_call
                    : records_                ? new_forward_call()
                                              : 0;
  context_->has_duals_ = thread_state.forward_levels != 0 && !levels_of(arguments_).empty();
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
  check_write(Operation(vtable_.name, at_), Tensor(Ref<TensorImpl>::share(&dirty)), {});
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

/// Inputs and views returned as they are become new views, which may not be written.
Tensor FunctionCall::wrap_output(const Tensor& output) const {
  if (!output.defined() || context_->dirty_.count(&output.impl())) return output;
  if (const auto declared = context_->view_of_.find(&output.impl());
      declared != context_->view_of_.end())
    return wrap_declared_view(output, declared->second);
  const bool is_input = argument_of(&output.impl()) >= 0;
  if (is_input && !is_differentiable(output)) return output.detach();
  if (!is_input && !output.is_view()) return output;
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
        raw[i].detach_();
    }
    save(raw, outputs);
  }
  // This node has the outputs' derivative, unless another user function's forward is around it.
  const bool lost = thread_state.forward_call != 0 &&
                    std::any_of(arguments_.begin(), arguments_.end(), [](const auto& argument) {
                      return argument.is_tensor && detail::loses_gradient(argument.tensor);
                    });
  for (const Tensor& output : outputs) {
    if (!output.defined()) continue;
    output.impl().set(TensorImpl::kUnrecorded, false);
    if (lost) mark_unrecorded(output);
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
  return unrecorded_edge(value.impl(), vtable_.name, at_, context_->node_->next_edges());
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
  const auto colons = text.rfind("::");
  if (colons != std::string_view::npos) text.remove_prefix(colons + 2);
  return std::string(text);
}

}  // namespace notape::autograd
