// FunctionNode: the node of one apply() of a user's function; its derivative is the user's
// backward.
#pragma once
#include "autograd/function.h"
#include "autograd/graph/error_node.h"
#include "autograd/graph/record.h"
#include "autograd/graph/support.h"
#include "autograd/graph/unrecorded.h"
#include "autograd/modes/thread_state.h"
#include "autograd/tensor/core_operators.h"
#include "autograd/tensor/factories.h"

namespace notape::autograd {

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
      if (arguments[i].is_tensor) set_edge(i, recorded_edge(arguments[i].tensor));
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
  /// Nothing else refers to the memory, except perhaps the base that a view keeps alive for itself.
  /// Then user code may write to it, whatever the strides are.
  static bool is_private(const TensorImpl& gradient) {
    if (gradient.use_count() != 1) return false;
    const Storage& storage = *gradient.storage();
    if (storage.is_exclusive()) return true;
    if (!gradient.has(TensorImpl::kView) || storage.readers() != 0 || storage.tensors() != 2)
      return false;
    const TensorImpl& base = family_base(const_cast<TensorImpl&>(gradient));
    return &base != &gradient && base.use_count() == 1 && base.storage() == gradient.storage();
  }

  /// User code gets zeros for undefined, and a buffer of its own: the gradient in its own layout if
  /// nothing else refers to it, else a row-major copy.
  Tensor prepare(Tensor& gradient, std::size_t i) const {
    if (!gradient.defined()) {
      if (!context_->materialize_grads_ || !is_defined_[i]) return {};
      const OutputMeta& meta = input_metadata(i);
      return zeros(meta.sizes(), TensorOptions(meta.dtype()).device(meta.device()));
    }
    if (is_private(gradient.impl())) {
      drop_support(gradient);
      return std::move(gradient);
    }
    count(Count::HookCopies);
    return core_operators->clone(gradient, contiguous_strides(gradient.sizes()));
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
    const UnrecordedReads scope(context_->call_, this, has_tangents);
    for (Tensor& gradient : incoming)  // a constant, on whatever memory it stands
      if (gradient.defined() && UnrecordedReads::of(gradient.impl()) &&
          !gradient.impl().has(TensorImpl::kRequiresGrad))
        gradient = detach_keeping_tangents(gradient);
    variable_list outgoing = vtable_.backward(context_.get(), std::move(incoming));
    UnrecordedReads::give_edges(outgoing);
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
      result = detach_keeping_tangents(result);
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

}  // namespace notape::autograd
