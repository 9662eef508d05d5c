#include "trace/testing/trace_files.h"

#include <zlib.h>

#include <cstdlib>
#include <filesystem>

namespace notape::trace::testing {

TextFile::TextFile(std::string_view text, std::string_view ending) : file_(ending) {
  // Not an OutputFile, which waits for the disk: some tests write thousands.
  const gzFile out = gzopen(path().c_str(), ending.ends_with(".gz") ? "wb6" : "wbT");
  if (!text.empty()) gzwrite(out, text.data(), static_cast<unsigned>(text.size()));
  gzclose(out);
}

std::string trace_of(std::string_view events) {
  return "{\"traceEvents\":[" + std::string(events) + "]}";
}

std::string public_trace(const std::string& name) {
  const char* folder = std::getenv("NOTAPE_TRACE_DIR");
  const std::filesystem::path path =
      std::filesystem::path(folder && *folder ? folder : "../shared/traces") / (name + ".json.gz");
  return std::filesystem::exists(path) ? path.string() : "";
}

std::string no_public_trace(const std::string& name) {
  return name + ".json.gz is neither in NOTAPE_TRACE_DIR nor in ../shared/traces";
}

}  // namespace notape::trace::testing
