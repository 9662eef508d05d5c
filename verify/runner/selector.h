// Selectors: which operators a command is about. A name, a glob such as '*mm', or 'all'.
#pragma once
#include <string>

#include "verify/runner/runner.h"

namespace notape::verify {

/// The operators of `from` that some selector matches, in the order of `from`; all if there is no
/// selector. Throws UnknownOperator, with a suggestion, for a selector that matches none.
SpecList select(const SpecList& from, const std::vector<std::string>& selectors);

/// The name in `from` that is nearest to `name` in keystrokes, empty if none is near.
std::string nearest_name(const SpecList& from, std::string_view name);

}  // namespace notape::verify
