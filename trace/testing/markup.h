// Whether a page holds together.
#pragma once
#include <string>
#include <string_view>
#include <vector>

namespace notape::trace::testing {

/// What is wrong with the tags of HTML or SVG, in words; empty if each that opens is closed.
std::string unbalanced_tag(std::string_view text);
/// The values of an attribute, in order.
std::vector<std::string> attribute_values(std::string_view text, std::string_view attribute);

}  // namespace notape::trace::testing
