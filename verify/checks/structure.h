// Checks of what an operator does besides computing: whom it overwrites, what it remembers from
// call to call, where its inputs come from, what it changes around it. They come before the others
// where theirs is the more exact reason.
#pragma once
#include "verify/checks/subject.h"

namespace notape::verify {

// Each is defined in the file of its name.
Outcome check_inputs(const Subject& subject);
Outcome check_modes(const Subject& subject);
Outcome check_kept(const Subject& subject);
Outcome check_concurrent(const Subject& subject);
Outcome check_sources(const Subject& subject);
Outcome check_shapes(const Subject& subject);
Outcome check_results(const Subject& subject);
Outcome check_ties(const Subject& subject);
Outcome check_masked(const Subject& subject);

/// Whether `results` has several results to leave gradients out of.
bool has_several_results(const Subject& subject);

}  // namespace notape::verify
