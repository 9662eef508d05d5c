// On kinks, ties and jumps, and beside them; declared or not.
#pragma once
#include "verify/checks/subject.h"

namespace notape::verify {

/// Whether the row of the subject declares kinks or arguments whose entries must not tie, or its
/// reference has other places where comparisons tie.
bool has_singular_places(const Subject& subject);
/// KINK or JUMP if the derivative there is the convention's, with the slopes as evidence.
Outcome check_kinks(const Subject& subject);

}  // namespace notape::verify
