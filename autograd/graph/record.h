// record() and write_in_place(): how an operator joins the graph. Both do nothing beyond a test of
// flag bits when no gradient, tangent or volatile flag is involved; otherwise see SEMANTICS:
// "Recording and saving". 2017 paper, 2: "If an operation wouldn't require grad, the derivative
// closure is not even instantiated."
#pragma once
#include <span>

#include "autograd/forward/tangent.h"
#include "autograd/graph/in_place.h"
#include "autograd/graph/rule_node.h"
#include "autograd/tensor/core_operators.h"

namespace notape {
namespace detail {

inline uint16_t flags_of(const Tensor& tensor) {
  return tensor.defined() ? tensor.impl().flags() : uint16_t{0};
}
inline constexpr uint16_t kInteresting = TensorImpl::kRequiresGrad | TensorImpl::kVolatile |
                                         TensorImpl::kView | TensorImpl::kTangent |
                                         TensorImpl::kUnrecorded | TensorImpl::kObserved;

/// Whether what a user function's forward computes from the input lacks a derivative or a tangent:
/// because nothing is recorded there, or because the input lacks it already.
bool loses_gradient(const Tensor& input);
/// `output` was computed from the inputs, or made an alias of one: marks it if such a forward runs
/// on this thread and drops a derivative.
void note_lost_gradient(const Tensor& output, Operands inputs);
/// Inside a user function detach() has made `alias` of `source`: a forward drops a derivative by
/// it, and a backward says that a constant is meant.
void note_detached(const Tensor& alias, const Tensor& source);
/// Inside a user's backward: whether `view`, of memory that forward has marked, needs no history of
/// its own to be found out.
bool keeps_marks(const Tensor& view, const Tensor& source);
/// After a write in such a forward; `keeps_old`: the new values depend on the old ones, too.
void note_forward_write(const Tensor& target, bool keeps_old, bool loses);
/// Passes the operands of the running operator to the observer, if it asks for them.
void tell_operands(Operands operands) noexcept;
/// Whether any operand is volatile, which makes the output so.
bool any_volatile(Operands operands);
/// Whether what an operator does by calling others is recorded; the observer learns its operands.
bool composite_records(Operands operands);

/// What a jvp formula may ask for: the operands themselves, not snapshots.
template <typename Parameters, std::size_t N>
struct JvpSource {
  const std::array<const Tensor*, N>& inputs;
  const Tensor* results;
  const Parameters& parameters;
  std::array<OutputMeta, N> metas{};

  template <typename Argument>
  decltype(auto) argument() {
    if constexpr (input_index<Argument> >= 0) {
      return Argument{*inputs[Argument::index]};
    } else if constexpr (meta_index<Argument> >= 0) {
      metas[Argument::index] = OutputMeta(inputs[Argument::index]->impl());
      return Argument{metas[Argument::index]};
    } else if constexpr (result_index<Argument> >= 0) {
      return Argument{results[Argument::index]};
    } else {
      return (parameters);
    }
  }
};

inline bool any_floating(std::span<const Tensor> results) {
  for (const Tensor& result : results)
    if (result.is_floating_point()) return true;
  return false;
}

/// `sum` is undefined at first.
void add_tangent(Tensor& sum, Tensor part);
/// As a tangent of `output`: of its type and size.
Tensor fit_tangent(Tensor tangent, const Tensor& output);

/// The tangents of `results` at `level`: the sums of what the tangent of each of `operands`
/// contributes. `inputs` have their values.
template <typename D, typename Parameters>
PerResult<D::results> result_tangents(const D& derivative, uint64_t level, const Tensor* results,
                                      const Parameters& parameters,
                                      const std::array<const Tensor*, D::inputs>& inputs,
                                      const std::array<const Tensor*, D::inputs>& operands) {
  const ForwardLevelLimit below(level);
  PerResult<D::results> sums;
  JvpSource<Parameters, D::inputs> source{inputs, results, parameters};
  const auto contribute = [&]<std::size_t I>() {
    if constexpr (DerivativeTraits<D>::differentiable[I]) {
      const Tensor tangent = tangent_of(*operands[I], level);
      if (!tangent.defined()) return;
      auto part = call_formula(std::get<I>(derivative.rules).jvp, tangent, source);
      if constexpr (results_in < decltype(part) >> 0) {
        static_assert(results_in<decltype(part)> == D::results);
        for (std::size_t r = 0; r < D::results; ++r) add_tangent(sums[r], std::move(part[r]));
      } else {
        add_tangent(sums[0], std::move(part));
      }
    }
  };
  [&]<std::size_t... I>(std::index_sequence<I...>) { (contribute.template operator()<I>(), ...); }
  (std::make_index_sequence<D::inputs>());
  for (std::size_t r = 0; r < D::results; ++r)
    sums[r] = fit_tangent(std::move(sums[r]), results[r]);
  return sums;
}

template <typename D, typename Parameters, typename... Inputs>
[[gnu::noinline]] void record_interesting(const D& derivative, const Operation& op, Tensor* results,
                                          Parameters parameters, const Inputs&... inputs) {
  using Traits = DerivativeTraits<D>;
  constexpr std::size_t differentiable = Traits::sees_all_gradients ? D::results : 1;
  const std::span differentiated(results, differentiable);
  if (!any_floating(differentiated)) return tell_operands({&inputs...});
  RuleNode<D, Parameters>* node = nullptr;
  const int flags = (flags_of(inputs) | ...);
  if (flags & (TensorImpl::kVolatile | TensorImpl::kView) && any_volatile({&inputs...})) {
    for (const Tensor& result : differentiated)
      if (result.is_floating_point()) result.impl().set(TensorImpl::kVolatile, true);
  } else if (thread_state.unrecorded_reads && results[0].is_view() &&
             (keeps_marks(results[0], inputs) && ...)) {
    return tell_operands({&inputs...});
  } else if (thread_state.grad_mode && (says_requires_grad(inputs) || ...)) {
    node = new RuleNode<D, Parameters>(derivative, op, parameters);
    NodeRef owner = NodeRef::adopt(node);
    node->save_inputs(
        -1, [] { return Tensor(); }, inputs...);
    node->save_results(results);
    for (std::size_t r = differentiable; r-- > 1;)
      if (results[r].is_floating_point())
        results[r].impl().set_history(owner, static_cast<uint32_t>(r));
    if (differentiable == 1 || results[0].is_floating_point())
      results[0].impl().set_history(std::move(owner), 0);
  }
  if (thread_state.watched) [[unlikely]] {
    tell_operands({&inputs...});
    for (const Tensor& result : differentiated)
      if (result.is_floating_point()) note_lost_gradient(result, {&inputs...});
  }
  if (thread_state.forward_levels == 0 || results[0].is_view()) return;
  const std::array<const Tensor*, D::inputs> operands{&inputs...};
  for (uint64_t level : active_levels({&inputs...})) {
    PerResult<D::results> tangents =
        result_tangents(derivative, level, results, parameters, operands, operands);
    for (std::size_t r = 0; r < differentiable; ++r)
      set_tangent(results[r], level, std::move(tangents[r]));
  }
  if (node) node->save_result_tangents(results);
}

}  // namespace detail

/// Gives `output`, just computed from `inputs`, its place in the graph and its tangents.
template <typename D, typename Parameters, typename... Inputs>
Tensor record(const D& derivative, const Operation& op, Tensor output, Parameters parameters,
              const Inputs&... inputs) {
  static_assert(sizeof...(Inputs) == D::inputs, "one rule per tensor argument");
  static_assert(D::results == 1, "record all results");
  if (((detail::flags_of(inputs) | ...) | thread_state.watched) & detail::kInteresting)
    detail::record_interesting(derivative, op, &output, std::move(parameters), inputs...);
  return output;
}
/// The same for several results. Those that are not floating have no derivative, and if no formula
/// takes a PerResult of gradients, none but the first has one.
template <typename D, typename Parameters, typename... Inputs>
PerResult<D::results> record(const D& derivative, const Operation& op,
                             PerResult<D::results> results, Parameters parameters,
                             const Inputs&... inputs) {
  static_assert(sizeof...(Inputs) == D::inputs, "one rule per tensor argument");
  if (((detail::flags_of(inputs) | ...) | thread_state.watched) & detail::kInteresting)
    detail::record_interesting(derivative, op, results.data(), std::move(parameters), inputs...);
  return results;
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
  if (!levels.empty()) before = core_operators->clone(target, contiguous_strides(target.sizes()));
  before_write(target);
  kernel();
  commit_write(op, target, plan, owner, overwritten);
  if (thread_state.watched) [[unlikely]] {
    overwritten == 0 ? detail::tell_operands({&inputs...})
                     : detail::tell_operands({&target, &inputs...});
    if (thread_state.forward_call)
      detail::note_forward_write(target, overwritten == 0, (detail::loses_gradient(inputs) || ...));
  }
  if (node) node->save_results(&target);
  if (levels.empty()) [[likely]]
    return;
  // What showed the overwritten values shows others now, but not yet other tangents; and two duals
  // of one value differ in nothing else.
  auto sources = operands;
  for (const Tensor*& source : sources)
    if (is_same_window(*source, target)) source = &before;
  for (uint64_t level : levels)
    write_tangent(
        target, level,
        detail::result_tangents(derivative, level, &target, parameters, sources, operands)[0]);
  if (node) node->save_result_tangents(&target);
}

}  // namespace notape
