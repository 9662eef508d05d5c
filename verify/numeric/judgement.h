// Judgement: a claimed derivative against the values of a function. Accepted iff
//   |g - slope| <= tau = K e + c eps S,
// with e the ladder's own error and S the sum of the terms of g; then an error of tau + e or
// more cannot have passed, which is stated. Legs are tried in turn: the ladder in double, a complex
// step, the ladder in 113 bits.
#pragma once
#include <optional>

#include "verify/numeric/complex_step.h"
#include "verify/numeric/double_ladder.h"
#include "verify/numeric/thresholds.h"
#include "verify/verdict.h"

namespace notape::verify {

struct Claim {
  double derivative = 0;
  /// S; 0: |derivative|. Power is relative to it, too: terms may cancel along a direction.
  double terms = 0;
  /// How far roundings of the type it was computed in may have moved it, if coarser than float64.
  double rounding = 0;
  /// What else may pass: noise measured in the derivative, or what its user lets pass.
  double allowance = 0;
  /// For a jump or an unbounded slope: what the operator declares its derivative to be there. (At
  /// a kink it is the least-norm element of [D-, D+].)
  std::optional<double> declared = {};
};

/// Better legs, where the function is known in other arithmetic, too.
struct Legs {
  ComplexPath complex = {};
  Path wide = {};
};

struct Judgement {
  Verdict verdict = Verdict::Unresolved;
  std::string_view reason = {};  ///< "value", "convention", "noise", "power", "domain", ...
  std::string_view leg = {};     ///< "double", "complex", "wide"
  double expected = 0, error = 0, radius = 0;
  /// The smallest error that cannot pass, and the same relative to the derivative.
  double detectable = 0, detectable_relative = 0;
  LocalView view = {};
  /// A PASS because the value stands still, though roundings inside the function move it: its slope
  /// is below `detectable`, and no more is known.
  bool flat = false;
};

Judgement judge(const DoublePath& phi, const Claim& claim, const Legs& legs = {});
/// By one leg alone.
Judgement judge(const Ladder& ladder, const Claim& claim, double power_gate);

}  // namespace notape::verify
