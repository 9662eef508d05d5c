// Checks of what must not matter: the number of threads, where a block of a long tensor ends, who
// else holds the memory, the process. And of what must pass through unchanged: no gradient at all,
// other dtypes, numbers that are none.
#pragma once
#include "verify/checks/subject.h"

namespace notape::verify {

// Each is defined in the file of its name.
Outcome check_threads(const Subject& subject);
Outcome check_sizes(const Subject& subject);
Outcome check_incoming(const Subject& subject);
Outcome check_hygiene(const Subject& subject);
Outcome check_promotion(const Subject& subject);
Outcome check_nonfinite(const Subject& subject);

/// Whether `sizes` has a longer case of the subject's operator to look at.
bool can_be_longer(const Subject& subject);
/// Whether `promotion` has two arguments to give different types to.
bool can_be_mixed(const Subject& subject);

}  // namespace notape::verify
