// Text inside XML and HTML.
#pragma once
#include <string>
#include <string_view>

namespace notape::interchange {

/// What XML allows in an attribute or text: no markup, nothing that is not printable().
std::string escaped(std::string_view text);

}  // namespace notape::interchange
