// Selectors: which operators a command is about. A name, a glob such as '*mm', 'changed:COMMIT' for
// those whose files differ from the commit's, or 'all'.
#pragma once
#include <string>

#include "verify/runner/runner.h"

namespace notape::verify {

/// 'changed:' with what is no commit.
struct UnknownCommit : ErrorOf<"UnknownCommit"> {
  using ErrorOf::ErrorOf;
};

/// The operators of `from` that some selector matches, in the order of `from`; all if there is no
/// selector. Throws UnknownOperator for a selector that matches none, with a suggestion and with
/// `where_listed`, which says how to see all: by default "`notape verify list` shows all 88".
SpecList select(const SpecList& from, const std::vector<std::string>& words,
                const std::string& where_listed = "");

/// The name among `names` that is nearest to `name` in keystrokes, empty if none is near.
std::string nearest_name(const std::vector<std::string>& names, std::string_view name);
std::string nearest_name(const SpecList& from, std::string_view name);

}  // namespace notape::verify
