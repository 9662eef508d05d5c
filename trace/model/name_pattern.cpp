#include "trace/model/name_pattern.h"

#include <regex>

#include "autograd/error.h"

namespace notape::trace {

struct NamePattern::Compiled {
  std::regex regex;
};

NamePattern::NamePattern(const std::string& expression) {
  try {
    compiled_ = std::make_unique<Compiled>(
        Compiled{std::regex(expression, std::regex::ECMAScript | std::regex::optimize)});
  } catch (const std::regex_error&) {
    throw ValueError("'{}' is no regular expression", expression);
  }
}

NamePattern::~NamePattern() = default;

bool NamePattern::is_in(std::string_view name) const {
  name = name.substr(0, 1'000);
  return std::regex_search(name.begin(), name.end(), compiled_->regex);
}

}  // namespace notape::trace
