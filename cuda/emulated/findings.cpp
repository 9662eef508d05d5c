#include "cuda/emulated/findings.h"

#include <dlfcn.h>

#include <algorithm>
#include <cstdio>
#include <map>
#include <mutex>
#include <utility>

#include "cuda/emulated/accesses.h"
#include "cuda/emulated/emulator.h"

namespace emulator {
namespace {

std::mutex lock;
std::vector<std::string> findings;
std::size_t told = 0;

std::string found_by_addr2line(const void* code) {
  Dl_info library;
  if (!::dladdr(code, &library)) return "?";
  // Of the call, which ends before `code`.
  const auto offset =
      static_cast<const char*>(code) - static_cast<const char*>(library.dli_fbase) - 1;
  char command[4096];
  std::snprintf(command, sizeof command, "addr2line -s -e '%s' %#tx 2>/dev/null", library.dli_fname,
                offset);
  std::string line;
  if (FILE* const pipe = ::popen(command, "r")) {
    char text[512] = "";
    if (std::fgets(text, sizeof text, pipe)) line = text;
    ::pclose(pipe);
  }
  line = line.substr(0, line.find_first_of("\n ("));
  return line.empty() ? "?" : line;
}

}  // namespace

void found(const std::string& text) {
  const std::lock_guard guard(lock);
  if (std::find(findings.begin(), findings.end(), text) != findings.end()) return;
  findings.push_back(text);
  std::fprintf(stderr, "notape: emulated GPU: %s\n", text.c_str());
}

std::string untold_findings() {
  const std::lock_guard guard(lock);
  const std::size_t first = std::exchange(told, findings.size());
  if (first == findings.size()) return "";
  const std::size_t others = findings.size() - first - 1;
  return findings[first] + (others > 0 ? " (and " + std::to_string(others) + " more)" : "");
}

std::vector<std::string> take_findings() {
  forget_pairs();
  const std::lock_guard guard(lock);
  told = 0;
  return std::exchange(findings, {});
}

std::string where(const void* code) {
  static std::mutex known_lock;
  static auto* const known = new std::map<const void*, std::string>;
  const std::lock_guard guard(known_lock);
  std::string& place = (*known)[code];
  if (place.empty()) place = found_by_addr2line(code);
  return place;
}

}  // namespace emulator
