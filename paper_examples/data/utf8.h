// Characters of texts in UTF-8. (RFC 3629)
#pragma once
#include <cstdint>
#include <string>
#include <string_view>

namespace notape::data {

/// How many bytes the character at that byte has. Throws ValueError, naming the byte, for what is
/// no UTF-8.
std::size_t utf8_length(std::string_view text, std::size_t at);
/// Its code point.
uint32_t utf8_code(std::string_view text, std::size_t at);
/// The bytes of a code point; none if there is no such character.
std::string utf8_of(uint32_t code);

}  // namespace notape::data
