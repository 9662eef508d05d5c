#include "verify/checks/check.h"

namespace notape::verify {
namespace {

bool always(const Subject&) { return true; }
bool if_differentiable(const Subject& subject) { return subject.is_differentiable(); }
bool if_in_place(const Subject& subject) {
  return static_cast<bool>(subject.drawn.op.call_in_place);
}

constexpr Check kChecks[] = {
    {"value", "Is the result right?", always, check_value},
    {"reverse", "Is the gradient the slope?", if_differentiable, check_reverse},
    {"forward-mode", "Do dual numbers agree?", if_differentiable, check_forward_mode},
    {"second-order", "Is the gradient's gradient right?", if_differentiable, check_second_order},
    {"layouts", "Is it the same for every memory layout?", always, check_layouts},
    {"subsets", "Is it the same whichever inputs require grad?", if_differentiable, check_subsets},
    {"repeat", "Is it the same twice, and linear?", always, check_repeat},
    {"in-place", "Is the in-place form the same?", if_in_place, check_in_place},
    {"no-grad", "Is nothing recorded when nothing should be?", always, check_no_grad},
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
