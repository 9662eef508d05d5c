#pragma once

/// Warnings under LibTorch's names. c10::Warning, c10::WarningHandler and their guard are notape's;
/// the handler is that of the process (LibTorch: of the thread).

#include <atomic>

#include "notape/compat/torch/c10.h"
#include "notape/notape.h"

namespace c10 {

namespace WarningUtils {

inline void set_warning_handler(notape::WarningHandler* handler) {
  notape::set_warning_handler(handler);
}
inline notape::WarningHandler* get_warning_handler() { return notape::get_warning_handler(); }
inline void set_warnAlways(bool always) { notape::set_warn_always(always); }
inline bool get_warnAlways() { return notape::get_warn_always(); }

using notape::WarnAlways;
using notape::WarningHandlerGuard;

}  // namespace WarningUtils

/// LibTorch: c10::warn(Warning).
inline void warn(const notape::Warning& warning) {
  notape::warn(warning.msg(), warning.source_location());
}

}  // namespace c10

/// Warns with the parts one after the other; TORCH_WARN_ONCE: the first time that this place is
/// come by, or always (set_warnAlways).
#define TORCH_WARN(...) ::notape::warn(::c10::str(__VA_ARGS__), ::notape::SourceLocation::current())
#define TORCH_WARN_ONCE(...)                                                          \
  [&] {                                                                               \
    static std::atomic<bool> said{false};                                             \
    if (!said.exchange(true) || ::notape::get_warn_always()) TORCH_WARN(__VA_ARGS__); \
  }()
