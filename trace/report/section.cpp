#include "trace/report/section.h"

namespace notape::trace {

const char* tone_name(Tone tone) {
  constexpr const char* kNames[] = {"good", "plain", "warning", "bad"};
  return kNames[static_cast<std::size_t>(tone)];
}

Cell text_cell(Sentence text) { return {std::move(text), false, -1}; }

Cell name_cell(std::string_view name) { return {Sentence().name(name), false, -1}; }

Cell number_cell(std::string text, double bar) { return {Sentence(std::move(text)), true, bar}; }

std::string doubt_words(const std::string& reason) {
  return reason.empty() ? "" : " (not reliable: " + reason + ")";
}

}  // namespace notape::trace
