// Shrinking: the simplest case that still fails in the same way.
#pragma once
#include "verify/runner/exhibit.h"

namespace notape::verify {

/// Draws the case of `choices` and runs `check` on it.
Outcome outcome_of(const OpSpec& spec, const Check& check, ScalarType dtype, Device device,
                   const Choices& choices);

/// The choices without what the case did not ask for, and without zeros at the end, which are what
/// a draw gets anyway.
Choices normalised(const OpSpec& spec, ScalarType dtype, const Choices& choices);
bool is_simpler(const Choices& a, const Choices& b);

/// What `candidate` comes down to, if that is simpler than `simplest` and fails in the same way.
using StillFails =
    std::function<std::optional<Choices>(const Choices& candidate, const Choices& simplest)>;
/// The simplest case below one that fails, as found within a limit of evaluations.
Choices simplest_failure(Choices failing, const StillFails& still_fails,
                         const std::function<bool()>& is_late);

/// The simplest case below `choices` with the same verdict and reason, as found within a limit of
/// evaluations and seconds.
Exhibit shrink_failure(const OpSpec& spec, const Check& check, ScalarType dtype, Device device,
                       const rc::Shrinkable<Choices>& choices, const Outcome& outcome);

}  // namespace notape::verify
