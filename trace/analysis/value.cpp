#include "trace/analysis/value.h"

#include <fmt/format.h>

#include <cmath>
#include <limits>

#include "autograd/error.h"
#include "autograd/printable.h"
#include "trace/write/microseconds.h"

namespace notape::trace {
namespace {

template <typename... Cases>
struct Overloaded : Cases... {
  using Cases::operator()...;
};
template <typename... Cases>
Overloaded(Cases...) -> Overloaded<Cases...>;

std::string microseconds(int64_t ns) { return fmt::format("{}", Microseconds{ns}); }

}  // namespace

double Value::number() const {
  return std::visit(
      Overloaded{[](Nanoseconds time) { return static_cast<double>(time.ns) / 1000; },
                 [](int64_t count) { return static_cast<double>(count); },
                 [](double ratio) { return ratio; },
                 [](const auto&) { return std::numeric_limits<double>::quiet_NaN(); }},
      value_);
}

std::string Value::shown() const {
  return std::visit(Overloaded{[](std::monostate) { return std::string("-"); },
                               [](Nanoseconds time) { return microseconds(time.ns); },
                               [](int64_t count) { return std::to_string(count); },
                               [](double ratio) { return fmt::format("{:.4f}", ratio); },
                               [](const std::string& text) { return printable(text); }},
                    value_);
}

std::string Value::json() const {
  return std::visit(Overloaded{[](std::monostate) { return std::string("null"); },
                               [](Nanoseconds time) { return microseconds(time.ns); },
                               [](int64_t count) { return std::to_string(count); },
                               [](double ratio) {
                                 return std::isfinite(ratio) ? fmt::format("{}", ratio)
                                                             : std::string("null");
                               },
                               [](const std::string& text) { return json_quote(text); }},
                    value_);
}

}  // namespace notape::trace
