#include "verify/report/row_json.h"

#include <algorithm>
#include <nlohmann/json.hpp>

namespace notape::verify {
namespace {

using RowJson = nlohmann::ordered_json;

std::string in_a_line(const RowJson& json) {
  return json.dump(-1, ' ', false, RowJson::error_handler_t::replace);
}

bool has_rows(const RowJson& json) {
  const auto is_row = [](const RowJson& one) { return one.is_object(); };
  return json.is_structured() && !json.empty() && std::all_of(json.begin(), json.end(), is_row);
}

std::string in_lines(const RowJson& json, bool is_whole) {
  if (!is_whole && !has_rows(json)) return in_a_line(json);
  const auto [open, close] = json.is_object() ? std::pair("{", "}") : std::pair("[", "]");
  const char *margin = is_whole ? " " : "  ", *margin_of_close = is_whole ? "" : " ";
  std::string text = open;
  for (const auto& [key, value] : json.items()) {
    text += std::string(text.size() > 1 ? ",\n" : "\n") + margin;
    if (json.is_object()) text += in_a_line(key) + ": ";
    text += is_whole ? in_lines(value, false) : in_a_line(value);
  }
  return text + "\n" + margin_of_close + close;
}

}  // namespace

std::string row_json(const RowJson& results) { return in_lines(results, true) + "\n"; }

}  // namespace notape::verify
