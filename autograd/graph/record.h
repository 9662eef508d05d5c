// record() and write_in_place(): how an operator joins the graph. Both do nothing beyond a test of
// flag bits when no gradient, tangent or volatile flag is involved; otherwise see SEMANTICS:
// "Recording and saving". 2017 paper, 2: "If an operation wouldn't require grad, the derivative
// closure is not even instantiated."
#pragma once
#include "autograd/forward/tangent.h"
#include "autograd/graph/in_place.h"
#include "autograd/graph/rule_node.h"
#include "autograd/graph/vector_space.h"

namespace notape {
namespace detail {

inline uint16_t flags_of(const Tensor& tensor) {
  return tensor.defined() ? tensor.impl().flags() : uint16_t{0};
}
inline constexpr uint16_t kInteresting = TensorImpl::kRequiresGrad | TensorImpl::kVolatile |
                                         TensorImpl::kView | TensorImpl::kTangent |
                                         TensorImpl::kUnrecorded;

/// Whether what a user function's forward computes from the input lacks a derivative or a tangent:
/// because nothing is recorded there, or because the input lacks it already.
bool loses_gradient(const Tensor& input);
/// `output` was computed from the inputs, or made an alias of one: marks it if such a forward runs
/// on this thread and drops a derivative.
void note_lost_gradient(const Tensor& output, std::initializer_list<const Tensor*> inputs);
/// Inside a user function detach() has made `alias` of `source`: a forward drops a derivative by
/// it, and a backward says that a constant is meant.
void note_detached(const Tensor& alias, const Tensor& source);
/// Inside a user's backward: whether `view`, of memory that forward has marked, needs no history of
/// its own to be found out.
bool keeps_marks(const Tensor& view, const Tensor& source);
/// After a write in such a forward; `keeps_old`: the new values depend on the old ones, too.
void note_forward_write(const Tensor& target, bool keeps_old, bool loses);
/// Whether any operand is volatile, which makes the output so.
bool any_volatile(std::initializer_list<const Tensor*> operands);

/// What a jvp formula may ask for: the operands themselves, not snapshots.
template <typename Parameters, std::size_t N>
struct JvpSource {
  const std::array<const Tensor*, N>& inputs;
  const Tensor& output;
  const Parameters& parameters;
  std::array<OutputMeta, N> metas{};

  template <typename Argument>
  decltype(auto) argument() {
    if constexpr (input_index<Argument> >= 0) {
      return Argument{*inputs[Argument::index]};
    } else if constexpr (meta_index<Argument> >= 0) {
      metas[Argument::index] = OutputMeta(inputs[Argument::index]->impl());
      return Argument{metas[Argument::index]};
    } else if constexpr (std::is_same_v<Argument, Output>) {
      return Output{output};
    } else {
      return (parameters);
    }
  }
};

/// The tangent of `output` at `level`: the sum of what the tangent of each of `operands`
/// contributes. `inputs` have their values.
template <typename D, typename Parameters>
Tensor output_tangent(const D& derivative, uint64_t level, const Tensor& output,
                      const Parameters& parameters,
                      const std::array<const Tensor*, D::inputs>& inputs,
                      const std::array<const Tensor*, D::inputs>& operands) {
  const ForwardLevelLimit below(level);
  Tensor sum;
  JvpSource<Parameters, D::inputs> source{inputs, output, parameters};
  const auto contribute = [&]<std::size_t I>() {
    if constexpr (DerivativeTraits<D>::differentiable[I]) {
      const Tensor tangent = tangent_of(*operands[I], level);
      if (!tangent.defined()) return;
      Tensor part = call_formula(std::get<I>(derivative.rules).jvp, tangent, source);
      sum = sum.defined() ? vector_space->add(sum, part) : std::move(part);
    }
  };
  [&]<std::size_t... I>(std::index_sequence<I...>) { (contribute.template operator()<I>(), ...); }
  (std::make_index_sequence<D::inputs>());
  if (!sum.defined()) return sum;
  if (sum.dtype() != output.dtype())
    sum = vector_space->convert(sum, output.dtype(), output.device());
  return sum.sizes() == output.sizes() ? sum : vector_space->expand_to(sum, output.sizes());
}

template <typename D, typename Parameters, typename... Inputs>
[[gnu::noinline]] void record_interesting(const D& derivative, const Operation& op, Tensor& output,
                                          Parameters parameters, const Inputs&... inputs) {
  if (!output.is_floating_point()) return;
  RuleNode<D, Parameters>* node = nullptr;
  const int flags = (flags_of(inputs) | ...);
  if (flags & (TensorImpl::kVolatile | TensorImpl::kView) && any_volatile({&inputs...})) {
    output.impl().set(TensorImpl::kVolatile, true);
  } else if (thread_state.unrecorded_reads && output.is_view() &&
             (keeps_marks(output, inputs) && ...)) {
    return;
  } else if (thread_state.grad_mode && (says_requires_grad(inputs) || ...)) {
    node = new RuleNode<D, Parameters>(derivative, op, parameters);
    NodeRef owner = NodeRef::adopt(node);
    node->save_inputs(
        -1, [] { return Tensor(); }, inputs...);
    node->save_output(output);
    output.impl().set_history(std::move(owner), 0);
  }
  if (thread_state.forward_call) [[unlikely]]
    note_lost_gradient(output, {&inputs...});
  if (thread_state.forward_levels == 0 || output.is_view()) return;
  const std::array<const Tensor*, D::inputs> operands{&inputs...};
  for (uint64_t level : active_levels({&inputs...}))
    set_tangent(output, level,
                output_tangent(derivative, level, output, parameters, operands, operands));
  if (node) node->save_output_tangents(output);
}

}  // namespace detail

/// Gives `output`, just computed from `inputs`, its place in the graph and its tangents.
template <typename D, typename Parameters, typename... Inputs>
Tensor record(const D& derivative, const Operation& op, Tensor output, Parameters parameters,
              const Inputs&... inputs) {
  static_assert(sizeof...(Inputs) == D::inputs, "one rule per tensor argument");
  if (((detail::flags_of(inputs) | ...) | thread_state.watched) & detail::kInteresting)
    detail::record_interesting(derivative, op, output, std::move(parameters), inputs...);
  return output;
}

/// Runs `kernel`, which overwrites `target`, as one in-place operation: validated first, then
/// recorded with the same derivative as its out-of-place form. `target` must be the first of
/// `inputs` or, for operations that ignore the old value, no input at all.
template <typename D, typename Parameters, typename Kernel, typename... Inputs>
void write_in_place(const D& derivative, const Operation& op, const Tensor& target, Kernel kernel,
                    Parameters parameters, const Inputs&... inputs) {
  const WritePlan plan = check_write(op, target, {&inputs...});
  const std::array<const Tensor*, D::inputs> operands{&inputs...};
  const int overwritten = operands[0] == &target ? 0 : -1;
  RuleNode<D, Parameters>* node = nullptr;
  NodeRef owner;
  if (plan.records) {
    node = new RuleNode<D, Parameters>(derivative, op, parameters);
    owner = NodeRef::adopt(node);
    node->save_inputs(
        overwritten, [&] { return copy_overwritten(op, target); }, inputs...);
  }
  std::vector<uint64_t> levels;
  Tensor before;
  if (thread_state.forward_levels != 0) [[unlikely]]
    levels = active_levels({&inputs..., &target});
  if (!levels.empty()) before = vector_space->clone(target, contiguous_strides(target.sizes()));
  before_write(target);
  kernel();
  commit_write(op, target, plan, owner, overwritten);
  if (thread_state.forward_call) [[unlikely]]
    detail::note_forward_write(target, overwritten == 0, (detail::loses_gradient(inputs) || ...));
  if (node) node->save_output(target);
  if (levels.empty()) [[likely]]
    return;
  // What showed the overwritten values shows others now, but not yet other tangents; and two duals
  // of one value differ in nothing else.
  auto sources = operands;
  for (const Tensor*& source : sources)
    if (is_same_window(*source, target)) source = &before;
  for (uint64_t level : levels)
    write_tangent(target, level,
                  detail::output_tangent(derivative, level, target, parameters, sources, operands));
  if (node) node->save_output_tangents(target);
}

}  // namespace notape
