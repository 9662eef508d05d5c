#include "paper_examples/data/osis.h"

#include <charconv>

#include "autograd/error.h"
#include "paper_examples/data/utf8.h"

namespace notape::data {
namespace {

bool is_space(char c) { return c == ' ' || (c >= '\t' && c <= '\r'); }

/// "note" of "<note type='x'>" and of "</note>".
std::string_view name_of(std::string_view tag) {
  tag.remove_prefix(tag.starts_with("</") ? 2 : 1);
  return tag.substr(0, tag.find_first_of(" \t\r\n/>"));
}

bool is_dropped(std::string_view name) { return name == "note" || name == "title"; }

/// The character of "&amp;" or "&#182;", in UTF-8; nothing if there is no such entity.
std::string decoded(std::string_view entity) {
  const std::string_view name = entity.substr(1, entity.size() - 2);
  constexpr std::pair<std::string_view, const char*> kNamed[] = {
      {"amp", "&"}, {"lt", "<"}, {"gt", ">"}, {"quot", "\""}, {"apos", "'"}};
  for (const auto& [known, text] : kNamed)
    if (name == known) return text;
  if (!name.starts_with('#')) return "";
  const bool is_hex = name.starts_with("#x");
  const std::string_view digits = name.substr(is_hex ? 2 : 1);
  uint32_t code = 0;
  const auto [stop, error] =
      std::from_chars(digits.data(), digits.data() + digits.size(), code, is_hex ? 16 : 10);
  if (error != std::errc() || stop != digits.data() + digits.size()) return "";
  return utf8_of(code);
}

}  // namespace

std::string plain_osis(std::string_view markup) {
  std::string text;
  int dropping = 0;  // how many notes and titles are open
  const auto put = [&](std::string_view part) {
    if (dropping > 0 || part == "\u00b6") return;
    if (!is_space(part[0]))
      text += part;
    else if (!text.empty() && text.back() != ' ')
      text += ' ';
  };
  for (std::size_t at = 0; at < markup.size();) {
    const char c = markup[at];
    std::size_t end = at + 1;
    if (c == '<') {
      end = markup.find('>', at);
      if (end == markup.npos) throw ValueError("OSIS: byte {}: a tag without an end", at);
      const std::string_view tag = markup.substr(at, ++end - at);
      const bool is_empty = tag.ends_with("/>");
      if (is_dropped(name_of(tag)) && !is_empty) dropping += tag.starts_with("</") ? -1 : 1;
      if (dropping < 0) throw ValueError("OSIS: byte {}: the end of what was not begun", at);
    } else if (c == '&') {
      end = markup.find(';', at);
      const std::string character =
          end == markup.npos ? "" : decoded(markup.substr(at, end + 1 - at));
      if (character.empty()) throw ValueError("OSIS: byte {}: no entity", at);
      put(character);
      ++end;
    } else {
      end = at + utf8_length(markup, at);
      put(markup.substr(at, end - at));
    }
    at = end;
  }
  if (dropping > 0)
    throw ValueError("OSIS: byte {}: the end of a note or title is missing", markup.size());
  if (text.ends_with(' ')) text.pop_back();
  return text;
}

}  // namespace notape::data
