// Shrinking: the simplest case that still fails in the same way.
#pragma once
#include "verify/runner/exhibit.h"

namespace notape::verify {

/// Draws the case of `choices` and runs `check` on it.
Outcome outcome_of(const OpSpec& spec, const Check& check, ScalarType dtype, Device device,
                   const Choices& choices);

/// The simplest case below `choices` with the same verdict and reason, as found within a limit of
/// evaluations and seconds.
Exhibit shrink_failure(const OpSpec& spec, const Check& check, ScalarType dtype, Device device,
                       const rc::Shrinkable<Choices>& choices, const Outcome& outcome);

}  // namespace notape::verify
