// Value: a figure as an analysis knows it: times in whole ns, counts, ratios, names, or nothing.
#pragma once
#include <cstdint>
#include <string>
#include <utility>
#include <variant>

namespace notape::trace {

/// A time; shown in us with all its digits.
struct Nanoseconds {
  int64_t ns = 0;
  bool operator==(const Nanoseconds&) const = default;
};

class Value {
 public:
  Value() = default;
  Value(Nanoseconds time) : value_(time) {}
  Value(int64_t count) : value_(count) {}
  Value(int count) : value_(int64_t{count}) {}
  Value(uint64_t count) : value_(static_cast<int64_t>(count)) {}
  Value(double ratio) : value_(ratio) {}
  Value(std::string text) : value_(std::move(text)) {}
  Value(const char* text) : value_(std::string(text)) {}

  bool is_nothing() const { return std::holds_alternative<std::monostate>(value_); }
  bool is_text() const { return std::holds_alternative<std::string>(value_); }
  bool is_time() const { return std::holds_alternative<Nanoseconds>(value_); }
  bool is_count() const { return std::holds_alternative<int64_t>(value_); }
  /// Of a time; throws std::bad_variant_access for other values, like the next two.
  int64_t ns() const { return std::get<Nanoseconds>(value_).ns; }
  int64_t count() const { return std::get<int64_t>(value_); }
  const std::string& text() const { return std::get<std::string>(value_); }
  /// As a number, times in us; NaN if it is none.
  double number() const;

  /// "12.345", "7", "2.8918", "name", "-".
  std::string shown() const;
  /// The same as JSON, with all digits.
  std::string json() const;

  bool operator==(const Value&) const = default;

 private:
  std::variant<std::monostate, Nanoseconds, int64_t, double, std::string> value_;
};

}  // namespace notape::trace
