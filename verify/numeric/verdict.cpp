#include "verify/verdict.h"

namespace notape::verify {

std::string_view name_of(Verdict verdict) {
  constexpr std::string_view names[] = {"PASS",      "LIMIT",      "KINK",      "JUMP",
                                        "UNBOUNDED", "UNRESOLVED", "VACUOUS",   "NONDETERMINISTIC",
                                        "FAIL",      "REJECTED",   "NONFINITE", "ERROR"};
  return names[static_cast<int>(verdict)];
}

bool is_red(Verdict verdict) { return verdict >= Verdict::Vacuous; }

}  // namespace notape::verify
