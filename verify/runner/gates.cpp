#include "verify/runner/gates.h"

#include <algorithm>
#include <limits>

namespace notape::verify {

double Gates::power_gate(ScalarType dtype) const {
  double gate = std::numeric_limits<double>::infinity();
  for (const auto& [which, limit] : power)
    if (which == dtype) gate = limit;
  return gate;
}

Colour colour_of(Verdict verdict, std::string_view detail, const Gates& gates) {
  if (is_red(verdict)) return Colour::Red;
  if (verdict == Verdict::Unresolved)
    return gates.require_power || (gates.strict && detail.starts_with(kAllUndecided))
               ? Colour::Red
               : Colour::Yellow;
  const bool singular =
      verdict == Verdict::Kink || verdict == Verdict::Jump || verdict == Verdict::Unbounded;
  if (singular && detail == "undeclared") return gates.strict ? Colour::Red : Colour::Yellow;
  return Colour::Green;
}

int exit_code_of(const std::vector<Certificate>& certificates, const Gates& gates) {
  const auto any = [&](const auto& condition) {
    return std::any_of(certificates.begin(), certificates.end(), condition);
  };
  const auto any_verdict = [&](std::initializer_list<Verdict> verdicts) {
    return any([&](const Certificate& one) {
      return std::find(verdicts.begin(), verdicts.end(), one.verdict) != verdicts.end();
    });
  };
  const auto all_undecided = [](const Certificate& one) {
    return one.verdict == Verdict::Unresolved && one.detail.starts_with(kAllUndecided);
  };
  const auto undeclared = [&](const Certificate& one) {
    return !is_red(one.verdict) && (one.verdict != Verdict::Unresolved || all_undecided(one)) &&
           gates.strict && colour_of(one.verdict, one.detail, gates) == Colour::Red;
  };
  const auto weak = [&](const Certificate& one) {
    return !is_red(one.verdict) && (one.detectable > gates.power_gate(one.dtype) ||
                                    (one.verdict == Verdict::Unresolved && gates.require_power));
  };
  int64_t comparisons = 0;
  for (const Certificate& certificate : certificates) comparisons += certificate.comparisons;
  if (any_verdict({Verdict::Error})) return 6;
  if (any_verdict({Verdict::Fail, Verdict::Nonfinite, Verdict::Rejected}) || any(undeclared))
    return 1;
  if (any_verdict({Verdict::Nondeterministic})) return 4;
  if (any(weak)) return 3;
  if (any_verdict({Verdict::Vacuous}) || comparisons == 0) return 5;
  if (any(all_undecided)) return 7;
  return 0;
}

}  // namespace notape::verify
