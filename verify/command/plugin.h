// `plugin:FILE.so` on the command line of `notape verify`: the operators are those of a shared
// library.
#pragma once
#include <string>
#include <vector>

#include "verify/command/session.h"
#include "verify/processes/child.h"
#include "verify/report/record.h"

namespace notape::verify {

/// Takes `plugin:FILE` out of the selectors; those that are left choose among its operators. Empty
/// if there is none. Throws UsageError for two, or one without a file.
std::string take_plugin(std::vector<std::string>& selectors);
/// Throws UsageError if a selector is a plugin's, for a command about built-in operators alone.
void refuse_plugin(const std::vector<std::string>& selectors, const char* command);
/// "`notape verify list` shows all 88", or the same for a plugin.
std::string where_listed(const std::string& plugin, std::size_t count);
/// From the texts of --timeout and --memory, which may be empty. Throws UsageError.
ChildLimits limits_of(const std::string& seconds, const std::string& mebibytes);

/// What an operator without a reference does without, if there are such.
std::string note_of_missing_references(const std::vector<Certificate>& certificates);

/// `notape verify list plugin:FILE`
std::string list_plugin(const std::string& file, const ChildLimits& limits,
                        const std::vector<std::string>& selectors);

/// The plugin that a case or certificate remembers, or, if one is given, where it is now. Throws
/// PluginError, which says what to do, if the remembered one is gone.
std::string plugin_now(const std::string& remembered, const std::string& given);

/// `notape verify replay` for an operator of the plugin `file`: prints what was compared and
/// returns the verdict.
Verdict replay_in_plugin(const Record& record, const std::string& file, const std::string& leg,
                         bool trace, const ChildLimits& limits, const Session& session);

}  // namespace notape::verify
