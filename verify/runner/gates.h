// Gates: what a run demands beyond "nothing is wrong", and the exit code of a run.
#pragma once
#include "verify/runner/certificate.h"

namespace notape::verify {

struct Gates {
  /// The largest relative error that a PASS may have missed, per dtype; none by default.
  std::vector<std::pair<ScalarType, double>> power = {};
  bool require_power = false;  ///< UNRESOLVED is a failure
  bool strict = false;  ///< so is what happens at kinks and jumps that nobody declared, and a
                        ///< derivative of which every entry is undecided

  /// Infinite if the dtype has no gate.
  double power_gate(ScalarType dtype) const;
};

enum class Colour : uint8_t { Green, Yellow, Red };

/// What a verdict means under gates. `detail` "undeclared" makes a KINK, JUMP or UNBOUNDED yellow.
Colour colour_of(Verdict verdict, std::string_view detail, const Gates& gates);

/// What a run is worth: 0 all gates met, 1 a wrong value or derivative, 3 a power gate missed,
/// 4 nondeterministic, 5 nothing compared, 6 an unnamed exception, 7 every entry of some derivative
/// undecided. The first of 6 1 4 3 5 7 counts.
int exit_code_of(const std::vector<Certificate>& certificates, const Gates& gates = {});

}  // namespace notape::verify
