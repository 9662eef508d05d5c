#pragma once

/// Namespace c10: errors, optionals and the check macro.

#include <optional>
#include <sstream>
#include <string>

#include "notape/compat/torch/print.h"
#include "notape/notape.h"

namespace c10 {
using namespace notape;

using std::make_optional;
using std::nullopt;
using std::nullopt_t;
using std::optional;

/// The parts one after the other.
template <typename... Parts>
std::string str(const Parts&... parts) {
  std::ostringstream text;
  ((text << parts), ...);
  return text.str();
}

/// Throws Error with the parts one after the other.
template <typename... Parts>
[[noreturn]] void check_failed(const char* condition, const Parts&... parts) {
  if constexpr (sizeof...(Parts) == 0)
    throw Error(str("Expected ", condition, " to be true, but got false."));
  else
    throw Error(str(parts...));
}
}  // namespace c10

/// Throws c10::Error unless `condition` holds; the other arguments, evaluated only then, are its
/// text.
#define TORCH_CHECK(condition, ...) \
  ((condition) ? void() : ::c10::check_failed(#condition __VA_OPT__(, ) __VA_ARGS__))
