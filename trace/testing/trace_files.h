// Trace files for tests: written from text, or the public ones beside the project.
#pragma once
#include <string>
#include <string_view>

#include "trace/testing/recordings.h"

namespace notape::trace::testing {

/// A temporary file with this text; compressed if `ending` says so.
class TextFile {
 public:
  explicit TextFile(std::string_view text, std::string_view ending = ".json");
  const std::string& path() const { return file_.path(); }

 private:
  TemporaryFile file_;
};

/// {"traceEvents":[events]}
std::string trace_of(std::string_view events);

/// The path of a public trace (shared/traces/README.md), without ".json.gz"; empty if the file is
/// in neither NOTAPE_TRACE_DIR nor ../shared/traces.
std::string public_trace(const std::string& name);
/// Why a test is skipped: names the file and the variable.
std::string no_public_trace(const std::string& name);

}  // namespace notape::trace::testing
