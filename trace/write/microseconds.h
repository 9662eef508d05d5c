// "12.345": ns as us with all digits, as they stand in files.
#pragma once
#include <fmt/format.h>

#include <cstdint>

namespace notape::trace {

struct Microseconds {
  int64_t ns;
};

}  // namespace notape::trace

template <>
struct fmt::formatter<notape::trace::Microseconds> {
  constexpr auto parse(fmt::format_parse_context& context) { return context.begin(); }
  template <typename Context>
  auto format(notape::trace::Microseconds time, Context& context) const {
    // In unsigned arithmetic: the smallest number has no opposite.
    const auto ns = static_cast<uint64_t>(time.ns), size = time.ns < 0 ? 0 - ns : ns;
    return fmt::format_to(context.out(), "{}{}.{:03}", time.ns < 0 ? "-" : "", size / 1000,
                          size % 1000);
  }
};
