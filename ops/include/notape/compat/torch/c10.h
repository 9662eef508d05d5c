#pragma once

/// Namespace c10: errors, optionals and the check macro.

#include <optional>
#include <sstream>

#include "notape/notape.h"

namespace c10 {
using namespace notape;

using std::make_optional;
using std::nullopt;
using std::nullopt_t;
using std::optional;

/// Throws Error with the parts one after the other.
template <typename... Parts>
[[noreturn]] void check_failed(const char* condition, const Parts&... parts) {
  std::ostringstream text;
  if constexpr (sizeof...(Parts) == 0)
    text << "Expected " << condition << " to be true, but got false.";
  else
    (text << ... << parts);
  throw Error(text.str());
}
}  // namespace c10

/// Throws c10::Error unless `condition` holds; the other arguments, evaluated only then, are its
/// text.
#define TORCH_CHECK(condition, ...) \
  ((condition) ? void() : ::c10::check_failed(#condition __VA_OPT__(, ) __VA_ARGS__))
