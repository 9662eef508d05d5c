// Words and punctuation of a text in a Western European language.
#pragma once
#include <string>
#include <string_view>
#include <vector>

namespace notape::data {

/// The text in lower case, cut: a run of letters, which are ASCII's and those of U+00C0 to U+00FF,
/// is one token, and so is any other character but white space. Throws ValueError, naming the byte,
/// for what is no UTF-8.
std::vector<std::string> tokens_of(std::string_view text);

}  // namespace notape::data
