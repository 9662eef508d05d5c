#include "paper_examples/data/tokens.h"

#include "paper_examples/data/utf8.h"

namespace notape::data {
namespace {

bool is_between(uint32_t code, uint32_t first, uint32_t last) {
  return code >= first && code <= last;
}

bool is_letter(uint32_t code) {
  constexpr uint32_t kTimes = 0xd7, kDivide = 0xf7;
  return is_between(code, 'a', 'z') || is_between(code, 'A', 'Z') ||
         (is_between(code, 0xc0, 0xff) && code != kTimes && code != kDivide);
}

uint32_t lower(uint32_t letter) {
  return is_between(letter, 'A', 'Z') || is_between(letter, 0xc0, 0xde) ? letter + 0x20 : letter;
}

}  // namespace

std::vector<std::string> tokens_of(std::string_view text) {
  std::vector<std::string> tokens;
  bool in_word = false;
  for (std::size_t at = 0; at < text.size(); at += utf8_length(text, at)) {
    const uint32_t code = utf8_code(text, at);
    if (is_letter(code)) {
      if (!in_word) tokens.emplace_back();
      tokens.back() += utf8_of(lower(code));
    } else if (code != ' ' && !is_between(code, '\t', '\r')) {
      tokens.emplace_back(text.substr(at, utf8_length(text, at)));
    }
    in_word = is_letter(code);
  }
  return tokens;
}

}  // namespace notape::data
