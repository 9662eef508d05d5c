// Which operators' files changed, according to git.
#pragma once
#include <optional>
#include <string>
#include <vector>

#include "verify/runner/runner.h"

namespace notape::verify {

/// Whether git knows a working tree here.
bool is_in_repository();
/// Files that differ from those of a commit, untracked ones included, from the root of the
/// repository here. None if there is no repository or git knows no such commit.
std::optional<std::vector<std::string>> changed_files(const std::string& commit);
/// Whether the operator's own file is among them, or one of its name elsewhere: its header, its
/// kernel in ops/cpu/.
bool is_changed(const OpSpec& spec, const std::vector<std::string>& files);

}  // namespace notape::verify
