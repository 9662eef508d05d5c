// `notape verify list`: the operators there are.
#pragma once
#include <string>

#include "verify/runner/runner.h"

namespace notape::verify {

/// A line per operator: family, name, differentiable arguments, file and line; then the count.
std::string list_text(const SpecList& specs);

}  // namespace notape::verify
