#include "verify/checks/check.h"

#include <algorithm>

#include "autograd/modes/deterministic.h"
#include "ops/spec/without_tails.h"
#include "verify/checks/declared_kinks.h"
#include "verify/checks/given_inputs.h"
#include "verify/checks/shared_questions.h"
#include "verify/checks/tail_sweep.h"
#include "verify/numeric/thresholds.h"
#include "verify/plugin/c_operator.h"
#include "verify/plugin/foreign_case.h"

namespace notape::verify {

bool is_built_in(const OpSpec& spec) {
  constexpr std::string_view kFamilies[] = {
      "elementwise", "activation", "reduce",  "linalg",    "shape",  "index",        "conv",
      "loss",        "random",     "pooling", "recurrent", "vision", "normalization"};
  return std::find(std::begin(kFamilies), std::end(kFamilies), spec.family) != std::end(kFamilies);
}

// Each is defined in the file of its name.
using Asked = Outcome(const Subject&);
using Condition = bool(const Subject&);
using Story = Evidence(const Subject&, int);

// What an operator computes.
Asked check_surrogate, check_forward_mode, check_second_order, check_third_order, check_ties,
    check_finite;
Story reverse_evidence, forward_mode_evidence, second_order_evidence;
Condition has_singular_places;
// What operators of version 2 of the C interface declare beside a backward.
Asked check_foreign_reference, check_foreign_slope, check_foreign_kinks;
Condition has_foreign_reference, has_foreign_slope, has_foreign_kinks;
// Side effects: which tensors it overwrites, what it remembers from call to call, what it changes
// around it.
Asked check_inputs, check_bounds, check_repeat, check_modes, check_kept, check_concurrent,
    check_shapes, check_no_grad, check_saved, check_hygiene;
// What must not matter: layouts, where inputs come from, who else holds the memory, the number of
// threads, where a block of a long tensor ends.
Asked check_layouts, check_strides, check_sources, check_subsets, check_in_place, check_shared,
    check_long, check_sizes, check_threads;
// What must pass through unchanged: undefined gradients, other dtypes, NaN.
Asked check_incoming, check_results, check_masked, check_promotion, check_nonfinite;
Condition has_several_results, can_be_mixed, has_own_tensors;

namespace {

bool one_in(const Subject& subject, uint32_t share) { return subject.drawn.key % share == 0; }

bool if_forward_mode(const Subject& subject) { return subject.spec.forward_mode; }
bool if_singular(const Subject& subject) {
  // `convention` asks more of the kinks that a plugin declares.
  return subject.is_opaque() ? has_declared_kinks(subject) && !has_foreign_kinks(subject)
                             : has_singular_places(subject);
}
bool if_in_place(const Subject& subject) {
  return static_cast<bool>(subject.drawn.op.call_in_place);
}
bool if_third_order(const Subject& subject) {
  return subject.spec.order >= 3 && subject.dtype == kFloat64 &&
         (subject.is_opaque() || one_in(subject, 4)) && subject.real_entries() > 0;
}
/// Whether one tensor could stand in both places.
bool are_alike(const DrawnArgument& a, const DrawnArgument& b) {
  const Domain &one = a.argument.domain, &other = b.argument.domain;
  return !a.values.empty() && a.argument.sizes == b.argument.sizes && one.low <= other.high &&
         other.low <= one.high;
}
bool if_two_of_a_shape(const Subject& subject) {
  const auto& real = subject.real_arguments();
  for (std::size_t a : real)
    for (std::size_t b : real)
      if (a < b && are_alike(subject.drawn.arguments[a], subject.drawn.arguments[b])) return true;
  return false;
}
/// Users' functions at given inputs have few cases, and their rows as many as built-in ones.
bool if_given_or_one_in_8(const Subject& subject) {
  return has_given_inputs(subject.drawn) || one_in(subject, 8);
}
bool if_any_length(const Subject& subject) {
  if (is_built_in(subject.spec)) return subject.is_elementwise() && one_in(subject, 8);
  const ForeignCase* one = foreign_case_of(subject.drawn);
  if (one && (one->declaration->foreign.flags & NOTAPE_FIXED_SIZES) != 0) return false;
  const bool is_asked =
      ways_of(subject.spec) > 0 ? one_in(subject, 3) : if_given_or_one_in_8(subject);
  return is_asked && has_function_of_users(subject);
}
/// Built-in operators have many cases.
bool if_strides(const Subject& subject) { return !is_built_in(subject.spec) || one_in(subject, 4); }
/// A child process of a process that uses a GPU cannot use it.
bool if_concurrent(const Subject& subject) {
  return subject.device.is_cpu() && if_given_or_one_in_8(subject) && has_function_of_users(subject);
}
/// Of an output that goes nowhere the result does not depend either, but that is no mask of the
/// operator's: in what it computes with that output's gradient of zeros, a NaN may come back.
bool if_masked(const Subject& subject) {
  const ForeignCase* one = foreign_case_of(subject.drawn);
  return (!one || one->unused < 0) && has_function_of_users(subject);
}
bool if_tails(const Subject& subject) {
  return has_tails(subject.drawn.op) && !without_tails(subject.spec.name);
}
bool if_equal_bits(const Subject& subject) { return subject.atomic_terms() == 0; }
bool if_real_entries(const Subject& subject) { return subject.real_entries() > 0; }

constexpr unsigned kOfUsersGradients = kOfUsers | kDifferentiable | kNotEmpty;

constexpr CheckDetails share_of_cases(uint32_t share) { return {.one_in = share}; }
constexpr CheckDetails explains_all_but(unsigned traits) { return {.explains_all_but = traits}; }
constexpr CheckDetails of_order(int order, Story* evidence = nullptr) {
  return {.order = order, .evidence = evidence};
}

// A check comes before those that fail as a consequence of its fault.
constexpr Check kChecks[] = {
    {"inputs", "Does a call leave its arguments unchanged?", check_inputs,
     kIn16Bits | kOnce | kDespiteRepeat | kDespiteKept | kDespiteConcurrent, nullptr,
     explains_all_but(0)},
    {"bounds", "Does it keep within the memory of its tensors?", check_bounds,
     kOfUsersGradients | kOnce | kIn16Bits | kDespiteRepeat | kDespiteKept | kDespiteConcurrent,
     has_own_tensors, explains_all_but(0)},
    {"repeat", "Do equal calls give equal bits, and is the gradient linear?", check_repeat,
     kDespiteKept | kDespiteConcurrent | kExplainsUnequalBits, nullptr,
     explains_all_but(kDespiteRepeat)},
    {"modes", "Does it leave the modes around it as they were?", check_modes,
     kIn16Bits | kOnce | kDespiteRepeat | kDespiteKept | kDespiteConcurrent},
    {"kept", "Does a result stay the same when the function is called again?", check_kept,
     kIn16Bits | kOnce | kDespiteConcurrent, nullptr, explains_all_but(kDespiteKept)},
    {"concurrent", "Is it the same when two threads call it at once?", check_concurrent,
     kOfUsersGradients | kOnce, if_concurrent, explains_all_but(kDespiteConcurrent)},
    {"value", "Is the result right?", check_value,
     kReferenced | kIn16Bits | kDespiteKept | kDespiteConcurrent | kOfShortCases},
    {"finite", "Is the result a number?", check_finite,
     kOpaque | kDespiteKept | kDespiteConcurrent},
    {"shapes", "Has each gradient the shape of its input?", check_shapes,
     kDifferentiable | kIn16Bits | kOnce},
    {"reverse", "Is the gradient the slope?", check_reverse,
     kDifferentiable | kIn16Bits | kStatesPower | kDespiteKept | kDespiteConcurrent |
         kOfShortCases | kOfSlope,
     nullptr, of_order(1, reverse_evidence)},
    {"surrogate", "Is the gradient what it is declared to be, where that is no derivative?",
     check_surrogate, kDifferentiable | kIn16Bits | kStatesPower | kNotEmpty, has_surrogate,
     of_order(1)},
    // In float16 tangents that are made to show small terms are larger than it goes.
    {"forward-mode", "Does forward mode agree with reverse mode?", check_forward_mode,
     kDifferentiable | kInBFloat16 | kDespiteKept | kOfShortCases, if_forward_mode,
     of_order(0, forward_mode_evidence)},
    {"second-order", "Is the gradient's gradient right?", check_second_order,
     kDifferentiable | kStatesPower | kOfSlope, nullptr, of_order(2, second_order_evidence)},
    {"kinks", "Is it the convention on kinks and ties, and the slope beside them?", check_kinks,
     kDifferentiable | kOfSlope, if_singular},
    {"ties", "Do the gradients of tied entries add up to the slope along all of them?", check_ties,
     kOfUsersGradients | kOpaque | kOnce | kOfSlope},
    {"reference", "Is the result that of the plugin's reference?", check_foreign_reference,
     kIn16Bits, has_foreign_reference},
    {"exact-slope", "Is the gradient the exact slope of the reference?", check_foreign_slope,
     kIn16Bits, has_foreign_slope},
    {"convention", "Is it what the plugin declares on its kinks?", check_foreign_kinks, kOfSlope,
     has_foreign_kinks},
    {"third-order", "Is the third derivative right?", check_third_order,
     kDifferentiable | kNotEmpty | kOfSlope, if_third_order, of_order(3)},
    {"layouts", "Is it the same for every memory layout?", check_layouts, kIn16Bits},
    {"strides",
     "Is it the same for incoming gradients of every layout, at the first and second order?",
     check_strides, kDifferentiable | kIn16Bits | kOnce, if_strides},
    {"sources", "Is it the same for inputs that are results, or views?", check_sources,
     kDifferentiable | kIn16Bits | kOnce},
    {"subsets", "Is it the same whichever inputs require grad?", check_subsets,
     kDifferentiable | kIn16Bits},
    {"in-place", "Is the in-place form the same?", check_in_place, kIn16Bits, if_in_place},
    {"no-grad", "Is nothing recorded when nothing should be?", check_no_grad, kIn16Bits},
    {"saved", "Is nothing stale used after a write?", check_saved, kDifferentiable | kIn16Bits},
    {"shared", "Does a tensor in two places get both gradients?", check_shared, kDifferentiable,
     if_two_of_a_shape},
    {"tails", "Is the derivative exact out to the largest and smallest numbers?", check_tails,
     kBuiltIn | kDifferentiable | kOfSlope, if_tails, share_of_cases(4)},
    {"long", "Is it the same for very many entries, and for none?", check_long,
     kDifferentiable | kNotEmpty | kOnce | kOfSlope, if_any_length},
    {"sizes", "Is it right where a register, a tile or a thread's share ends?", check_sizes,
     kReferenced | kOfLongerCases, can_be_longer, share_of_cases(16)},
    {"threads", "Is it the same for every number of threads?", check_threads, kNotEmpty | kIn16Bits,
     if_equal_bits, share_of_cases(32)},
    {"incoming", "Does the incoming gradient decide, and nothing else?", check_incoming,
     kDifferentiable},
    {"results", "Does a missing gradient of a result count as zeros?", check_results,
     kDifferentiable | kOnce, has_several_results},
    {"hygiene", "Does backward change nothing but the .grad asked for?", check_hygiene,
     kDifferentiable | kIn16Bits},
    {"masked", "Does a NaN that is masked out stay out of the gradients?", check_masked,
     kOfUsersGradients | kOnce, if_masked},
    {"promotion", "Do mixed types give what explicit casts give?", check_promotion,
     kBuiltIn | kReferenced, can_be_mixed, share_of_cases(4)},
    {"nonfinite", "Do all ways agree about NaN, infinity and points outside the domain?",
     check_nonfinite, kReferenced | kNotEmpty, if_real_entries, share_of_cases(4)},
};

/// Whether a result, or what is made of it, is beyond 65504.
bool is_beyond_float16(const Subject& subject) {
  if (subject.is_opaque()) return false;
  const WideTensor result = subject.reference(subject.wide());
  return std::any_of(result.values.begin(), result.values.end(),
                     [](Wide value) { return magnitude(value) > Wide(kInFloat16Range); });
}

bool is_for_dtype(const Check& check, const Subject& subject) {
  if (!is_reduced_floating_point(subject.dtype)) return true;
  if (subject.dtype == kBFloat16) return check.traits & kInBFloat16;
  return (check.traits & kInFloat16) && !is_beyond_float16(subject);
}

/// What the traits ask of a case.
bool is_case_for(unsigned traits, const Subject& subject) {
  return (!(traits & kDifferentiable) || subject.is_differentiable()) &&
         (!(traits & kReferenced) || !subject.is_opaque()) &&
         (!(traits & kOpaque) || subject.is_opaque()) &&
         (!(traits & kBuiltIn) || is_built_in(subject.spec)) &&
         (!(traits & kOfUsers) || !is_built_in(subject.spec)) &&
         (!(traits & kOfSlope) || !has_surrogate(subject)) &&
         (!(traits & kNotEmpty) || !subject.incoming().empty());
}

}  // namespace

bool is_asked(const Check& check, const Subject& subject) {
  return is_case_for(check.traits, subject) && one_in(subject, check.details.one_in) &&
         (!check.applies || check.applies(subject)) && is_for_dtype(check, subject);
}

std::span<const Check> all_checks() { return kChecks; }
const Check* find_check(std::string_view name) {
  for (const Check& check : kChecks)
    if (check.name == name) return &check;
  return nullptr;
}

bool check_has_trait(std::string_view name, unsigned trait) {
  const Check* check = find_check(name);
  return check && (check->traits & trait);
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

namespace {

Outcome ask(const Check& check, const Subject& subject) {
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
    if (outcome.verdict == Verdict::Limit && check.details.order == 1)
      outcome.verdict = Verdict::Rejected;
    return outcome;
  }
}

/// Whether it adds in any order, as GPUs do at repeated positions. Few orders round differently,
/// and for few numbers.
bool has_unequal_bits(const Subject& subject) try {
  constexpr int kCalls = 32;
  for (const double factor : {1.0, 1 / 3.0, -0.7}) {
    const Tensor incoming = subject.output_tensor(scaled(subject.incoming(), factor));
    const Run first = subject.run(subject.inputs(), incoming);
    for (int i = 0; i < kCalls; ++i) {
      const Run again = subject.run(subject.inputs(), incoming);
      if (again.output != first.output || again.gradients != first.gradients) return true;
    }
  }
  return false;
} catch (...) {
  return false;
}

}  // namespace

Outcome run_check(const Check& check, const Subject& subject) {
  Outcome outcome = ask(check, subject);
  const bool is_settled = !is_red(outcome.verdict) && outcome.verdict != Verdict::Unresolved;
  if (is_settled || subject.device.is_cpu() || !has_unequal_bits(subject)) return outcome;
  const DeterministicGuard promised;  // what promises equal bits on a GPU
  return ask(check, Subject(subject.spec, subject.drawn, subject.dtype, subject.device));
}

}  // namespace notape::verify
