// Text that came from outside (a file, a plugin, a command line), made fit to be shown.
#pragma once
#include <cstddef>
#include <string>
#include <string_view>

namespace notape {

/// One line that changes nothing on a terminal but the characters it shows: control characters and
/// bytes that are not UTF-8 become "\x1b"; characters that cannot be seen but turn the reading
/// direction or end a line become "\u{202e}".
std::string printable(std::string_view text);
/// The same for text of several lines: line ends and tabs stay.
std::string printable_lines(std::string_view text);
/// The beginning of a long text, with the length of the whole: "aaaa... (100000 bytes)".
std::string shortened(std::string_view text, std::size_t most = 60);

bool is_utf8(std::string_view text);

}  // namespace notape
