#include "verify/checks/check.h"

#include <algorithm>

#include "ops/spec/without_tails.h"
#include "verify/checks/declared_kinks.h"
#include "verify/checks/each_check.h"
#include "verify/checks/given_inputs.h"
#include "verify/checks/tail_sweep.h"
#include "verify/plugin/foreign_case.h"

namespace notape::verify {

bool is_built_in(const OpSpec& spec) {
  constexpr std::string_view kFamilies[] = {
      "elementwise", "activation", "reduce",  "linalg",    "shape",  "index",        "conv",
      "loss",        "random",     "pooling", "recurrent", "vision", "normalization"};
  return std::find(std::begin(kFamilies), std::end(kFamilies), spec.family) != std::end(kFamilies);
}

namespace {

bool always(const Subject&) { return true; }
bool if_differentiable(const Subject& subject) { return subject.is_differentiable(); }
bool if_reference(const Subject& subject) { return !subject.is_opaque(); }
bool if_opaque(const Subject& subject) { return subject.is_opaque(); }
bool if_forward_mode(const Subject& subject) {
  return subject.is_differentiable() && subject.spec.forward_mode;
}
bool if_singular(const Subject& subject) {
  if (!subject.is_differentiable()) return false;
  // `convention` asks more of the kinks that a plugin declares.
  return subject.is_opaque() ? has_declared_kinks(subject) && !has_foreign_kinks(subject)
                             : has_singular_places(subject);
}
bool if_in_place(const Subject& subject) {
  return static_cast<bool>(subject.drawn.op.call_in_place);
}
// Expensive checks look at a share of the cases, chosen by their key; the simplest case has key 0.
bool one_in(const Subject& subject, uint32_t share) { return subject.drawn.key % share == 0; }

bool if_third_order(const Subject& subject) {
  return if_differentiable(subject) && subject.spec.order >= 3 && subject.dtype == kFloat64 &&
         (subject.is_opaque() || one_in(subject, 4)) && subject.real_entries() > 0 &&
         !subject.incoming().empty();
}
/// Whether one tensor could stand in both places.
bool are_alike(const DrawnArgument& a, const DrawnArgument& b) {
  const Domain &one = a.argument.domain, &other = b.argument.domain;
  return !a.values.empty() && a.argument.sizes == b.argument.sizes && one.low <= other.high &&
         other.low <= one.high;
}
bool if_two_of_a_shape(const Subject& subject) {
  if (!if_differentiable(subject)) return false;
  const auto& real = subject.real_arguments();
  for (std::size_t a : real)
    for (std::size_t b : real)
      if (a < b && are_alike(subject.drawn.arguments[a], subject.drawn.arguments[b])) return true;
  return false;
}
/// Users' functions at given inputs have few cases, and their rows as many as built-in ones.
bool if_any_length(const Subject& subject) {
  if (!if_differentiable(subject) || subject.incoming().empty()) return false;
  if (is_built_in(subject.spec)) return subject.is_elementwise() && one_in(subject, 8);
  // The shapes of a C operator are its own to choose.
  return std::string_view(subject.spec.family) != "plugin" &&
         (has_given_inputs(subject.drawn) || one_in(subject, 8)) && has_function_of_users(subject);
}
/// Built-in operators have many cases.
bool if_strides(const Subject& subject) {
  return if_differentiable(subject) && (!is_built_in(subject.spec) || one_in(subject, 4));
}

bool if_users(const Subject& subject) {
  return if_differentiable(subject) && !is_built_in(subject.spec) && !subject.incoming().empty();
}
/// A child process of a process that uses a GPU cannot use it.
bool if_concurrent(const Subject& subject) {
  return if_users(subject) && subject.device.is_cpu() &&
         (has_given_inputs(subject.drawn) || one_in(subject, 8)) && has_function_of_users(subject);
}
/// Of an output that goes nowhere the result does not depend either, but that is no mask of the
/// operator's: in what it computes with that output's gradient of zeros, a NaN may come back.
bool if_masked(const Subject& subject) {
  const ForeignCase* one = foreign_case_of(subject.drawn);
  return if_users(subject) && (!one || one->unused < 0) && has_function_of_users(subject);
}
bool if_several_results(const Subject& subject) {
  return if_differentiable(subject) && has_several_results(subject);
}
bool if_opaque_users(const Subject& subject) { return if_users(subject) && subject.is_opaque(); }

bool if_tails(const Subject& subject) {
  return is_built_in(subject.spec) && if_differentiable(subject) && has_tails(subject.drawn.op) &&
         !without_tails(subject.spec.name) && one_in(subject, 4);
}

bool if_several_entries(const Subject& subject) {
  return one_in(subject, 32) && !subject.incoming().empty();
}
bool if_longer(const Subject& subject) {
  return !subject.is_opaque() && one_in(subject, 16) && can_be_longer(subject);
}
bool if_mixed(const Subject& subject) {
  return is_built_in(subject.spec) && !subject.is_opaque() && one_in(subject, 4) &&
         can_be_mixed(subject);
}
bool if_spoilable(const Subject& subject) {
  return !subject.is_opaque() && one_in(subject, 4) && subject.real_entries() > 0 &&
         !subject.incoming().empty();
}

// A check comes before those that fail as a consequence of its fault.
constexpr Check kChecks[] = {
    {"inputs", "Does a call leave its arguments as they were?", always, check_inputs,
     kIn16Bits | kOnce},
    {"repeat", "Is it the same twice, and linear?", always, check_repeat},
    {"modes", "Does it leave the modes around it as they were?", always, check_modes,
     kIn16Bits | kOnce},
    {"kept", "Does what a call gave stay when it is called again?", always, check_kept,
     kIn16Bits | kOnce},
    {"concurrent", "Is it the same when two threads call it at once?", if_concurrent,
     check_concurrent, kOnce},
    {"value", "Is the result right?", if_reference, check_value, kIn16Bits},
    {"finite", "Is the result a number?", if_opaque, check_finite},
    {"shapes", "Has each gradient the shape of its input?", if_differentiable, check_shapes,
     kIn16Bits | kOnce},
    {"reverse", "Is the gradient the slope?", if_differentiable, check_reverse, kIn16Bits,
     reverse_evidence},
    {"forward-mode", "Do dual numbers agree?", if_forward_mode, check_forward_mode, kIn16Bits,
     forward_mode_evidence},
    {"second-order", "Is the gradient's gradient right?", if_differentiable, check_second_order, 0,
     second_order_evidence},
    {"kinks", "Is it the convention on kinks and ties, and the slope beside them?", if_singular,
     check_kinks},
    {"ties", "Do the gradients of tied entries add up to the slope along all of them?",
     if_opaque_users, check_ties, kOnce},
    {"reference", "Is the result that of the plugin's reference?", has_foreign_reference,
     check_foreign_reference},
    {"exact-slope", "Is the gradient the exact slope of that?", has_foreign_slope,
     check_foreign_slope},
    {"convention", "Is it what the plugin declares on its kinks?", has_foreign_kinks,
     check_foreign_kinks},
    {"third-order", "Is the derivative of that right?", if_third_order, check_third_order},
    {"layouts", "Is it the same for every memory layout?", always, check_layouts, kIn16Bits},
    {"strides", "Is it the same for incoming gradients of every layout, twice over?", if_strides,
     check_strides, kIn16Bits | kOnce},
    {"sources", "Is it the same for inputs that are results, or views?", if_differentiable,
     check_sources, kIn16Bits | kOnce},
    {"subsets", "Is it the same whichever inputs require grad?", if_differentiable, check_subsets,
     kIn16Bits},
    {"in-place", "Is the in-place form the same?", if_in_place, check_in_place, kIn16Bits},
    {"no-grad", "Is nothing recorded when nothing should be?", always, check_no_grad, kIn16Bits},
    {"saved", "Is nothing stale used after a write?", if_differentiable, check_saved, kIn16Bits},
    {"shared", "Does a tensor in two places get both gradients?", if_two_of_a_shape, check_shared},
    {"tails", "Is it the exact slope out to where numbers end?", if_tails, check_tails},
    {"long", "Is it the same for very many entries, and for none?", if_any_length, check_long,
     kOnce},
    {"sizes", "Is it right wherever a block of it ends?", if_longer, check_sizes},
    {"threads", "Is it the same for every number of threads?", if_several_entries, check_threads,
     kIn16Bits},
    {"incoming", "Does the incoming gradient decide, and nothing else?", if_differentiable,
     check_incoming},
    {"results", "Is no gradient for a result as good as a zero one?", if_several_results,
     check_results, kOnce},
    {"hygiene", "Does backward leave alone what is not its own?", if_differentiable, check_hygiene,
     kIn16Bits},
    {"masked", "Does a NaN that is masked out stay out of the gradients?", if_masked, check_masked,
     kOnce},
    {"promotion", "Do mixed types give what explicit casts give?", if_mixed, check_promotion},
    {"nonfinite", "Do all ways agree about NaN, infinity and points outside the domain?",
     if_spoilable, check_nonfinite},
};

/// Whether a result, or what is made of it, is beyond 65504.
bool is_beyond_float16(const Subject& subject) {
  constexpr double kSure = 0x1p13;
  if (subject.is_opaque()) return false;
  const WideTensor result = subject.reference(subject.wide());
  return std::any_of(result.values.begin(), result.values.end(),
                     [](Wide value) { return magnitude(value) > Wide(kSure); });
}

bool is_for_16_bits(const Check& check, const Subject& subject) {
  if (!(check.traits & kIn16Bits)) return false;
  if (subject.dtype == kBFloat16) return true;
  // Tangents that are made to show small terms are larger than float16 goes.
  return check.run != check_forward_mode && !is_beyond_float16(subject);
}

}  // namespace

bool is_asked(const Check& check, const Subject& subject) {
  return check.applies(subject) &&
         (!is_reduced_floating_point(subject.dtype) || is_for_16_bits(check, subject));
}

std::span<const Check> all_checks() { return kChecks; }
const Check* find_check(std::string_view name) {
  for (const Check& check : kChecks)
    if (check.name == name) return &check;
  return nullptr;
}

Outcome outcome_of_exception(const OpSpec& spec) {
  try {
    throw;
  } catch (const DerivativeNotImplemented& error) {
    const bool declared = spec.order != OpSpec::kAnyOrder;
    return Outcome::of(declared ? Verdict::Limit : Verdict::Rejected, error.kind(), error.what());
  } catch (const Error& error) {
    return Outcome::of(Verdict::Rejected, error.kind(), error.what());
  } catch (const std::exception& error) {
    return Outcome::of(Verdict::Error, "exception", error.what());
  } catch (...) {
    return Outcome::of(Verdict::Error, "exception", "something that is no std::exception");
  }
}

Outcome run_check(const Check& check, const Subject& subject) {
  try {
    return check.run(subject);
  } catch (const ForwardNotImplemented& error) {
    // A function of a user's may do without; operators of the registry say so in their row.
    const bool may_lack_it = subject.is_opaque() || !is_built_in(subject.spec);
    return Outcome::of(may_lack_it ? Verdict::Limit : Verdict::Rejected, error.kind(),
                       error.what());
  } catch (...) {
    Outcome outcome = outcome_of_exception(subject.spec);
    // Below the first order there is no limit to declare.
    if (outcome.verdict == Verdict::Limit && check.run == check_reverse)
      outcome.verdict = Verdict::Rejected;
    return outcome;
  }
}

}  // namespace notape::verify
