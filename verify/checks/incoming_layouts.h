// The part of `layouts` about incoming gradients.
#pragma once
#include "verify/checks/subject.h"

namespace notape::verify {

/// Gradients for incoming ones of every layout, in memory of their own, against row-major ones with
/// the same values; where the operator goes so far also those of the second order, of which the
/// incoming gradient of either backward is laid out so.
Outcome check_incoming_layouts(const Subject& subject);

}  // namespace notape::verify
