#include "autograd/warning.h"

#include <atomic>
#include <cstdio>
#include <mutex>
#include <set>
#include <string_view>
#include <utility>

namespace notape {
namespace {

/// Never destroyed: threads may still warn while the process ends.
struct Shared {
  // Recursive, because a handler may warn, or replace itself.
  std::recursive_mutex mutex;
  WarningHandler standard;
  WarningHandler* handler = nullptr;
  std::set<std::string, std::less<>> said;
};

Shared& shared() {
  static auto& one = *new Shared;
  return one;
}

std::atomic<bool> warns_always{false};

}  // namespace

void WarningHandler::process(const Warning& warning) {
  std::fprintf(stderr, "notape: warning%s: %s\n", at_place(warning.source_location()).c_str(),
               warning.msg().c_str());
}

WarningHandler* set_warning_handler(WarningHandler* handler) {
  const std::lock_guard lock(shared().mutex);
  return std::exchange(shared().handler, handler);
}

WarningHandler* get_warning_handler() {
  const std::lock_guard lock(shared().mutex);
  return shared().handler ? shared().handler : &shared().standard;
}

void set_warn_always(bool always) { warns_always.store(always, std::memory_order_relaxed); }
bool get_warn_always() { return warns_always.load(std::memory_order_relaxed); }

void warn(const std::string& message, const SourceLocation& at) {
  const std::lock_guard lock(shared().mutex);
  get_warning_handler()->process(Warning(message, at));
}

void warn_once(const char* what, const std::string& message, const SourceLocation& at) {
  const std::lock_guard lock(shared().mutex);
  const bool first = shared().said.emplace(what).second;
  if (first || get_warn_always()) warn(message, at);
}

}  // namespace notape
