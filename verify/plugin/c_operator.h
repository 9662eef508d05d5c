// An operator behind the C interface as a row of the registry: tensors become plain buffers, and
// what the functions do wrong (a refusal, a write outside a buffer, an entry left out) becomes an
// error or a NaN.
#pragma once
#include "autograd/error.h"
#include "ops/spec/op_spec.h"
#include "verify/plugin/c_abi.h"

namespace notape::verify {

/// A C operator that refused, wrote where it must not, or declares impossible shapes.
struct ForeignOperatorError : ErrorOf<"ForeignOperatorError"> {
  using ErrorOf::ErrorOf;
};

/// The row of `foreign`, which must outlive it: first order, opaque. Throws ForeignOperatorError if
/// the declaration makes no sense.
OpSpec row_of(const notape_operator& foreign);

/// Whether a report, a file and a shell can take `text` as an operator's name.
bool is_name(const char* text);

}  // namespace notape::verify
