// ForeignOperatorError: a C operator that refused, wrote where it must not, or declares what makes
// no sense.
#pragma once
#include "autograd/error.h"
#include "verify/plugin/c_abi.h"

namespace notape::verify {

struct ForeignOperatorError : ErrorOf<"ForeignOperatorError"> {
  using ErrorOf::ErrorOf;
};

/// Whether a report, a file and a shell can take `text` as an operator's name.
bool is_name(const char* text);
/// Throws unless a buffer can have this shape, with few enough entries to be differenced one by
/// one. `what` is "" or "inputs[0] ".
void check_shape(const char* op, const std::string& what, const notape_shape& shape);

}  // namespace notape::verify
