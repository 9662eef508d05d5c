// Whether a planted operator is wrong at all. Decided without the verifier: its derivatives beside
// the right operator's, or for mistakes that show in no single derivative, what they need to show.
#pragma once
#include "verify/checks/subject.h"

namespace notape::verify::mutate {

/// Some gradient, tangent, or derivative up to the third order differs by more than rounding.
bool differs(const Subject& right, const Subject& planted);

/// Some entry of some gradient is not zero.
bool has_gradient(const Subject& right);
/// The same for an argument that has the shape and the values of an earlier one.
bool has_gradient_of_a_twin(const Subject& right);
/// The gradient changes with the arguments.
bool reads_inputs(const Subject& right);
/// One argument, on whose kinks the value is continuous.
bool has_kink_of_slopes(const Subject& right);

}  // namespace notape::verify::mutate
