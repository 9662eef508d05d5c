// JsonCursor: a place in JSON text that lies in memory and may end anywhere.
//
// It hands out views of the text and copies nothing. What is skipped is checked for matching
// brackets and for letters that JSON has not, no further. Lenient where profilers are careless:
// NaN and Infinity, a comma before a closing bracket, bytes in strings that are not UTF-8.
#pragma once
#include <cstddef>
#include <string>
#include <string_view>

namespace notape::trace {

class JsonCursor {
 public:
  /// The text ends inside a value. With more of it the same call may succeed.
  struct OutOfText {};
  /// No text that follows could make it JSON.
  struct Malformed {
    std::size_t offset;  ///< from the beginning of the text
    std::string what;
  };
  struct String {
    std::string_view text;  ///< between the quotes, as written
    bool has_escapes;
  };

  static constexpr std::size_t kDeepest = 512;

  explicit JsonCursor(std::string_view text)
      : begin_(text.data()), at_(begin_), end_(begin_ + text.size()) {}

  std::size_t offset() const { return static_cast<std::size_t>(at_ - begin_); }

  /// The next letter that is no blank, which stays. Here and below: throws OutOfText, Malformed.
  char peek();
  /// Takes `letter`, which must come next.
  void take(char letter);
  /// Takes `letter` if it comes next.
  bool take_if(char letter);
  String string();
  /// A number, true, false, null, NaN or Infinity, as written.
  std::string_view scalar();
  /// Any value, as written.
  std::string_view value();

  /// Calls `member(key)` for each member of the object that comes next; that takes the value.
  template <typename Member>
  void members(Member member) {
    take('{');
    while (!take_if('}')) {
      const String key = string();
      take(':');
      member(key.text);
      if (peek() != '}') take(',');
    }
  }

  [[noreturn]] void refuse(std::string what) const;

 private:
  std::string_view since(const char* start) const {
    return {start, static_cast<std::size_t>(at_ - start)};
  }
  void skip_nested();

  const char *begin_, *at_, *end_;
};

/// What a string with escapes denotes. Broken escapes stay as they are written.
std::string unescaped(std::string_view text);

}  // namespace notape::trace
