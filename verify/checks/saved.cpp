// saved: an argument or the result is overwritten after the call. Then backward raises an error of
// the library, or it still gives the gradient of the call as it was. If it does not although
// nothing was overwritten, other checks say why.
#include "autograd/autograd.h"
#include "verify/checks/held_call.h"
#include "verify/checks/kept_tensors.h"

namespace notape::verify {
namespace {

/// The gradients after `overwrite(arguments, result)`; none if that or backward was refused.
template <typename Overwrite>
std::optional<Run> gradients_after(const Subject& subject, Overwrite overwrite) {
  const variable_list leaves = subject.inputs();
  variable_list arguments;
  for (const Tensor& leaf : leaves) arguments.push_back(leaf.clone());
  const Tensor output = subject.drawn.op.call(arguments);
  if (!output.requires_grad()) return {};
  try {
    {
      const NoGradGuard no_grad;
      overwrite(arguments, output);
    }
    return subject.run_of(output, autograd::grad({output}, subject.active_of(leaves),
                                                 {subject.incoming_tensor()}, false, false, true));
  } catch (const Error&) {
    return {};
  }
}

}  // namespace

Outcome check_saved(const Subject& subject) {
  Comparer comparer(subject);
  const auto compare = [&](const std::optional<Run>& run) {
    if (run) comparer.same_gradients(subject, subject.base(), *run);
    // A refusal is right, and so are the same gradients missing: each counts as one comparison.
    comparer.same("refused or as before", {}, {0}, {0});
  };
  Comparer before(subject);
  if (const auto run = gradients_after(subject, [](const variable_list&, const Tensor&) {}))
    before.same_gradients(subject, subject.base(), *run);
  if (before.failed()) {
    Outcome undecided = Outcome::of(Verdict::Unresolved, "not judged: wrong before any write", "");
    undecided.comparisons = 1;
    return undecided;
  }
  const std::vector<Numbers> others = other_values(subject);
  for (std::size_t a : subject.real_arguments()) {
    const DrawnArgument& drawn = subject.drawn.arguments[a];
    if (drawn.values.empty()) continue;
    compare(gradients_after(subject, [&](const variable_list& arguments, const Tensor&) {
      arguments[a].copy_(
          make_tensor(others[a], drawn.argument.sizes, subject.dtype, subject.device));
    }));
  }
  if (!keeps_results(subject))
    compare(gradients_after(
        subject, [](const variable_list&, const Tensor& output) { output.fill_(0.75); }));
  return comparer.finish("stale", "backward used a value that had been overwritten");
}

}  // namespace notape::verify
