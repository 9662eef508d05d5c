#include "autograd/functional/backward.h"

#include <span>
#include <unordered_set>

#include "autograd/batching/vmap_scope.h"
#include "autograd/engine/graph_task.h"
#include "autograd/graph/accumulate_grad.h"
#include "autograd/graph/history.h"
#include "autograd/graph/support.h"
#include "autograd/modes/grad_mode.h"
#include "autograd/observer.h"
#include "autograd/tensor/core_operators.h"
#include "autograd/tensor/factories.h"
#include "autograd/warning.h"

namespace notape::autograd {
namespace {

Tensor implicit_gradient(const Tensor& root) {
  if (root.numel() != 1)
    throw ImplicitGradient("grad can be implicitly created only for scalar outputs, got size {}",
                           to_string(root.sizes()));
  if (!root.is_floating_point())
    throw ImplicitGradient("grad can be computed only for real scalar outputs but got {}",
                           name_of(root.dtype()));
  return ones(root.sizes(), root.options());
}

/// A tensor that has left the function that vmap called stands for no sample any more.
[[gnu::noinline, gnu::cold]] void check_levels(const Tensor& tensor, const char* what,
                                               std::size_t i) {
  if (without(levels_of(tensor), open_vmap_levels()).empty()) return;
  throw BatchingNotImplemented(
      "element {} of {} was computed for one sample inside vmap, which has returned since; "
      "differentiate what vmap returns",
      i, what);
}

Edge root_edge(const Tensor& root, std::size_t i) {
  if (!root.defined()) throw UndefinedTensor("element {} of tensors is undefined", i);
  Edge edge = recorded_edge(root);
  if (!edge)
    throw NothingRequiresGrad(
        "element {} of tensors does not require grad and does not have a grad_fn{}", i,
        root.is_volatile() ? ": it is volatile" : "");
  if (root.device().is_batched()) [[unlikely]]
    check_levels(root, "tensors", i);
  return edge;
}

using Tensors = std::span<const Tensor>;

/// A gradient that was given for root i, as the root wants it: summed over broadcast dimensions and
/// of its dtype.
Tensor given_gradient(Tensor gradient, const Edge& edge, std::size_t i) {
  if (gradient.device().is_batched()) [[unlikely]]
    check_levels(gradient, "gradients", i);
  const OutputMeta& meta = edge.function->input_metadata(edge.input_nr);
  if (!(gradient.sizes() == meta.sizes()))
    throw InvalidGradient(
        "Mismatch in shape: grad_output[{}] has a shape of {} and output[{}] has a shape of {}; "
        "expected shape compatible with the output's",
        i, to_string(gradient.sizes()), i, to_string(meta.sizes()));
  if (!meta.matches(gradient.impl()))
    gradient = fit_gradient(std::move(gradient), meta, "the root", i);
  if (gradient.impl().has(TensorImpl::kSupport)) [[unlikely]]
    gradient = ordinary(std::move(gradient));
  return gradient;
}

void add_roots(GraphTask& task, Tensors roots, Tensors gradients) {
  if (roots.empty()) throw GradientCount("backward needs at least one tensor");
  if (!gradients.empty() && gradients.size() != roots.size())
    throw GradientCount("got {} tensors and {} gradients", roots.size(), gradients.size());
  for (std::size_t i = 0; i < roots.size(); ++i) {
    Edge edge = root_edge(roots[i], i);
    const bool given = !gradients.empty() && gradients[i].defined();
    Tensor gradient = given ? given_gradient(gradients[i], edge, i) : implicit_gradient(roots[i]);
    task.add_root(std::move(edge), std::move(gradient));
  }
  if (Observer* observer = active_observer.load(std::memory_order_relaxed)) [[unlikely]]
    observer->backward_begin(roots.data(), roots.size());
}

void check_input(const Tensor& input, std::size_t i) {
  if (!input.defined()) throw UndefinedTensor("element {} of the input tensors is undefined", i);
  if (!needs_gradient(input))
    throw InputNotDifferentiable("element {} of the input tensors does not require grad", i);
}

struct CapturedInput {
  std::size_t capture, input;
};

/// Leaves accumulate; the others are captured.
[[gnu::noinline]] std::vector<CapturedInput> ask_for(GraphTask& task, Tensors inputs) {
  std::vector<CapturedInput> interior;
  std::unordered_set<const TensorImpl*> seen;
  for (std::size_t i = 0; i < inputs.size(); ++i) {
    check_input(inputs[i], i);
    Edge edge = gradient_edge(inputs[i]);
    if (!seen.insert(&inputs[i].impl()).second) continue;
    if (inputs[i].is_leaf())
      task.accumulate_only(std::move(edge));
    else
      interior.push_back({task.capture(std::move(edge)), i});
  }
  return interior;
}

void run_backward(Tensors tensors, Tensors grad_tensors, std::optional<bool> retain_graph,
                  bool create_graph, Tensors inputs, const SourceLocation& at) {
  if (create_graph)
    warn_once("create_graph",
              "Using backward() with create_graph=True keeps the graph alive as long as .grad; "
              "autograd::grad() returns the gradients instead, or reset .grad after use",
              at);
  GraphTask task({.keep_graph = retain_graph.value_or(create_graph),
                  .create_graph = create_graph,
                  .restricted = !inputs.empty(),
                  .at = at});
  add_roots(task, tensors, grad_tensors);
  std::vector<CapturedInput> interior;
  if (!inputs.empty()) interior = ask_for(task, inputs);
  task.plan();
  task.run();
  const AutoGradMode recording(create_graph);
  for (const auto& [capture, i] : interior) {
    TensorImpl& input = inputs[i].impl();
    if (task.captured(capture).defined() && !input.has(TensorImpl::kRetainsGrad))
      accumulate_into(input.make_extra().grad, std::move(task.captured(capture)), input);
  }
}

}  // namespace

void backward(const variable_list& tensors, const variable_list& grad_tensors,
              std::optional<bool> retain_graph, bool create_graph, const variable_list& inputs,
              SourceLocation at) {
  run_backward(tensors, grad_tensors, retain_graph, create_graph, inputs, at);
}

variable_list grad(const variable_list& outputs, const variable_list& inputs,
                   const variable_list& grad_outputs, std::optional<bool> retain_graph,
                   bool create_graph, bool allow_unused, SourceLocation at) {
  if (inputs.empty()) throw EmptyInputs("grad requires non-empty inputs.");
  GraphTask task({.keep_graph = retain_graph.value_or(create_graph),
                  .create_graph = create_graph,
                  .restricted = true,
                  .caller = "grad",
                  .at = at});
  add_roots(task, outputs, grad_outputs);
  for (std::size_t i = 0; i < inputs.size(); ++i) {
    check_input(inputs[i], i);
    task.capture(gradient_edge(inputs[i]));
  }
  task.plan();
  const auto unused = [](std::size_t i) {
    throw UnusedInput(
        "element {} of the input tensors appears to not have been used in the graph. Set "
        "allow_unused=True if this is the desired behavior.",
        i);
  };
  for (std::size_t i = 0; i < inputs.size(); ++i)
    if (!allow_unused && !task.is_reached(i)) unused(i);
  task.run();
  variable_list results(inputs.size());
  for (std::size_t i = 0; i < inputs.size(); ++i) {
    results[i] = std::move(task.captured(i));
    if (!allow_unused && !results[i].defined()) unused(i);
    if (thread_state.forward_call != 0 && results[i].defined() &&  // inside a user's forward
        !results[i].impl().has(TensorImpl::kRequiresGrad))
      mark_unrecorded(results[i], /*is_of_graph=*/false);
  }
  return results;
}

}  // namespace notape::autograd

namespace notape {

void Tensor::backward(const Tensor& gradient, std::optional<bool> retain_graph, bool create_graph,
                      std::optional<TensorList> inputs, At at) const {
  if (inputs && inputs->empty()) throw EmptyInputs("'inputs' argument to backward cannot be empty");
  using Tensors = std::span<const Tensor>;
  autograd::run_backward(Tensors(this, 1), gradient.defined() ? Tensors(&gradient, 1) : Tensors(),
                         retain_graph, create_graph, inputs ? Tensors(*inputs) : Tensors(), at);
}

}  // namespace notape
