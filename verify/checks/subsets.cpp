// subsets: whichever inputs require grad, each active one gets the same bits and no other gets any.
// Without any the result requires no grad, unless the function keeps a tensor that does.
// All 2^n subsets up to four inputs; beyond that every single one and every all-but-one.
#include "verify/checks/comparer.h"
#include "verify/checks/kept_tensors.h"
#include "verify/checks/opaque_reference.h"
#include "verify/numeric/thresholds.h"

namespace notape::verify {
namespace {

std::vector<ArgumentMask> subsets_of(const std::vector<std::size_t>& arguments) {
  std::vector<ArgumentMask> result;
  ArgumentMask all = 0;
  for (std::size_t a : arguments) all |= 1u << a;
  if (arguments.size() > kAllSubsets) {
    for (std::size_t a : arguments) {
      result.push_back(1u << a);
      result.push_back(all & ~(1u << a));
    }
    return result;
  }
  for (uint32_t chosen = 0; chosen < 1u << arguments.size(); ++chosen) {
    ArgumentMask mask = 0;
    for (std::size_t i = 0; i < arguments.size(); ++i)
      if (chosen >> i & 1) mask |= 1u << arguments[i];
    result.push_back(mask);
  }
  return result;
}

}  // namespace

Outcome check_subsets(const Subject& subject) {
  Comparer comparer(subject);
  const Run& base = subject.base();
  for (ArgumentMask active : subsets_of(subject.real_arguments())) {
    const variable_list inputs = subject.inputs(active);
    if (active == 0 && subject.drawn.op.call(inputs).requires_grad() &&
        !keeps_recorded_tensors(subject))
      comparer.fail(Verdict::Fail, "requires_grad",
                    "the result requires grad although no input does");
    const Run run = subject.run(inputs, subject.incoming_tensor());
    comparer.same_value(subject, run.output);
    comparer.same_gradients(subject, base, run, active);
  }
  // On a tie the convention itself depends on them: the least norm is that of the active inputs.
  if (comparer.failed() && is_singular(subject)) {
    Outcome outcome = Outcome::of(Verdict::Kink, "undeclared", "");
    outcome.comparisons = 1;
    return outcome;
  }
  return comparer.finish("value", "a gradient depends on which other inputs require grad");
}

}  // namespace notape::verify
