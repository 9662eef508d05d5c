#include "verify/checks/check.h"

#include "verify/checks/kinks.h"
#include "verify/checks/rare_checks.h"

namespace notape::verify {
namespace {

bool always(const Subject&) { return true; }
bool if_differentiable(const Subject& subject) { return subject.is_differentiable(); }
bool if_singular(const Subject& subject) {
  return subject.is_differentiable() && has_singular_places(subject);
}
bool if_in_place(const Subject& subject) {
  return static_cast<bool>(subject.drawn.op.call_in_place);
}
// Dear checks look at a share of the cases, chosen by their key; the simplest case has key 0.
bool one_in(const Subject& subject, uint32_t share) { return subject.drawn.key % share == 0; }

bool if_third_order(const Subject& subject) {
  return if_differentiable(subject) && subject.dtype == kFloat64 && one_in(subject, 4) &&
         subject.real_entries() > 0 && !subject.incoming().empty();
}
bool if_two_of_a_shape(const Subject& subject) {
  if (!if_differentiable(subject)) return false;
  const auto& real = subject.real_arguments();
  for (std::size_t a : real)
    for (std::size_t b : real)
      if (const auto& one = subject.drawn.arguments[a];
          a < b && !one.values.empty() &&
          one.argument.sizes == subject.drawn.arguments[b].argument.sizes)
        return true;
  return false;
}
bool if_any_length(const Subject& subject) {
  return if_differentiable(subject) && subject.is_elementwise() && one_in(subject, 8) &&
         !subject.incoming().empty();
}

constexpr Check kChecks[] = {
    {"value", "Is the result right?", always, check_value},
    {"reverse", "Is the gradient the slope?", if_differentiable, check_reverse, reverse_evidence},
    {"forward-mode", "Do dual numbers agree?", if_differentiable, check_forward_mode,
     forward_mode_evidence},
    {"second-order", "Is the gradient's gradient right?", if_differentiable, check_second_order,
     second_order_evidence},
    {"kinks", "Is it the convention on kinks and ties, and the slope beside them?", if_singular,
     check_kinks},
    {"third-order", "Is the derivative of that right?", if_third_order, check_third_order},
    {"layouts", "Is it the same for every memory layout?", always, check_layouts},
    {"subsets", "Is it the same whichever inputs require grad?", if_differentiable, check_subsets},
    {"repeat", "Is it the same twice, and linear?", always, check_repeat},
    {"in-place", "Is the in-place form the same?", if_in_place, check_in_place},
    {"no-grad", "Is nothing recorded when nothing should be?", always, check_no_grad},
    {"saved", "Is nothing stale used after a write?", if_differentiable, check_saved},
    {"shared", "Does a tensor in two places get both gradients?", if_two_of_a_shape, check_shared},
    {"long", "Is it the same for very many entries?", if_any_length, check_long},
};

}  // namespace

std::span<const Check> all_checks() { return kChecks; }

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
  } catch (...) {
    return outcome_of_exception(subject.spec);
  }
}

}  // namespace notape::verify
