#include "verify/report/formats.h"

#include <fmt/format.h>

#include <algorithm>

#include "autograd/printable.h"
#include "verify/report/summary.h"

namespace notape::verify {
namespace {

constexpr std::size_t kMostShown = 10;

/// Inside a cell of a table.
std::string cell(std::string_view text) {
  std::string result;
  for (const char c : printable_lines(text)) {
    if (c == '|' || c == '<' || c == '*' || c == '_' || c == '`') result += '\\';
    result += static_cast<unsigned char>(c) < 0x20 ? ' ' : c;
  }
  return result;
}

/// The same as code, in which only these two characters mean something.
std::string code_cell(std::string_view text) {
  std::string result = "`";
  for (const char c : printable(text)) {
    if (c == '|') result += '\\';
    result += c == '`' ? '\'' : c;
  }
  return result + "`";
}

std::string power_text(const OperatorSummary& one, ScalarType dtype) {
  const auto found = one.detectable.find(dtype);
  if (found == one.detectable.end()) return "";
  return found->second > 0 ? fmt::format("{:.1e}", found->second) : "exact";
}

std::string failures(const std::vector<Record>& records, const Gates& gates) {
  std::string text;
  std::size_t count = 0;
  for (const Record& record : records) {
    if (colour_of(record, gates) != Colour::Red || ++count > kMostShown) continue;
    text += fmt::format("| {} | {} | {} | {} | {} |\n", name_of(record.verdict),
                        cell(title_of(record)), cell(why_of(record)), cell(place_of(record)),
                        record.replay.empty() ? "" : code_cell(record.replay));
  }
  if (count == 0) return "";
  if (count > kMostShown) text += fmt::format("| ... | and {} more | | | |\n", count - kMostShown);
  return "\n### Failures\n\n| verdict | check | why | where | replay |\n|---|---|---|---|---|\n" +
         text;
}

std::string undecided(const std::vector<Record>& records) {
  std::string text;
  for (const Record& record : records)
    if (record.verdict == Verdict::Unresolved && why_of(record).starts_with(kAllUndecided))
      text += fmt::format("| {} | {} |\n", cell(title_of(record)),
                          cell(why_of(record).substr(kAllUndecided.size())));
  return text.empty() ? "" : "\n### Undecided, and why\n\n| check | why |\n|---|---|\n" + text;
}

std::string power_table(std::vector<OperatorSummary> operators) {
  std::string text =
      "\n### Power\n\nThe largest relative error in a derivative that could have passed, weakest "
      "first.\n\n| operator | float64 | float32 |\n|---|---|---|\n";
  const auto weakness = [](const OperatorSummary& one) {
    double most = 0;
    for (const auto& [dtype, detectable] : one.detectable)
      most = std::max(most, detectable / (dtype != kFloat64 ? 0x1p29 : 1));
    return most;
  };
  std::stable_sort(operators.begin(), operators.end(),
                   [&](const auto& a, const auto& b) { return weakness(a) > weakness(b); });
  for (const OperatorSummary& one : operators)
    if (!one.detectable.empty())
      text += fmt::format("| {} | {} | {} |\n", cell(one.op), power_text(one, kFloat64),
                          power_text(one, kFloat32));
  return text;
}

std::string slowest(std::vector<OperatorSummary> operators) {
  std::stable_sort(operators.begin(), operators.end(),
                   [](const auto& a, const auto& b) { return a.seconds > b.seconds; });
  operators.resize(std::min(operators.size(), kMostShown));
  std::string text = "\n### Slowest\n\n| operator | seconds |\n|---|---|\n";
  for (const OperatorSummary& one : operators)
    text += fmt::format("| {} | {:.2f} |\n", cell(one.op), one.seconds);
  return text;
}

std::string interruption_line(const std::vector<Record>& records) {
  const std::string interruption = interruption_of(records);
  return interruption.empty() ? "" : "\n**Interrupted by " + cell(interruption) + ".**\n";
}

}  // namespace

std::string markdown(const std::vector<Record>& records, const Gates& gates) {
  const auto operators = by_operator(records, gates);
  return fmt::format("## Gradient verification\n\n{}, {}: {}.\n",
                     counted(static_cast<int64_t>(operators.size()), "operator"),
                     counted(static_cast<int64_t>(records.size()), "check"),
                     counts_text(counts_of(records))) +
         interruption_line(records) + failures(records, gates) + undecided(records) +
         power_table(operators) + slowest(operators);
}

}  // namespace notape::verify
