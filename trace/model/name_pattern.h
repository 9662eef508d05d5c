// NamePattern: a regular expression that users give for names of ops and ranges.
#pragma once
#include <memory>
#include <string>
#include <string_view>

namespace notape::trace {

class NamePattern {
 public:
  /// In ECMAScript's notation; an empty one is found everywhere. Throws ValueError if it is none.
  explicit NamePattern(const std::string& expression);
  ~NamePattern();

  /// Whether it is found in the name, of which the first 1,000 letters count: the library's search
  /// needs stack for each letter.
  bool is_in(std::string_view name) const;

 private:
  struct Compiled;
  std::unique_ptr<Compiled> compiled_;
};

}  // namespace notape::trace
