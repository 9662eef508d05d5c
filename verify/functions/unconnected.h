// A function from whose results nothing leads back to its inputs: said once, instead of by every
// check in its own words.
#pragma once
#include <optional>

#include "verify/checks/outcome.h"
#include "verify/gradcheck.h"

namespace notape::verify {

/// FAIL if the value moves with inputs that require grad and no result leads back to any of them,
/// VACUOUS if it does not move either; else nothing.
std::optional<Outcome> unconnected(const TensorFunction& f, const variable_list& inputs);

}  // namespace notape::verify
