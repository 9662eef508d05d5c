// `notape verify list`: the operators there are.
#pragma once
#include <string>

#include "verify/runner/runner.h"

namespace notape::verify {

/// What the simplest case takes: "2 of 3" if one of three arguments is an index or a mask.
std::string differentiable_arguments(const OpSpec& spec);

/// A line per operator: family, name, differentiable inputs, file and line; then the count.
std::string list_text(const SpecList& specs,
                      const std::function<std::string(const OpSpec&)>& differentiable_arguments,
                      const std::function<std::string(const OpSpec&)>& place_of);
std::string list_text(const SpecList& specs);

}  // namespace notape::verify
