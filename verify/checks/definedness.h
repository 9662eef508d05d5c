// Undefined gradients. They stand for zero, as for an operand that is overwritten; but a gradient
// that merely has no entries is a tensor of its shape.
#pragma once
#include "verify/checks/subject.h"

namespace notape::verify {

/// Whether the operator ever leaves out the gradient of this argument although it has entries.
bool may_be_undefined(const Subject& subject, std::size_t argument);

}  // namespace notape::verify
