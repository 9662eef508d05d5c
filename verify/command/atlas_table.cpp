#include "verify/command/atlas_table.h"

#include <fmt/format.h>

#include <cmath>
#include <cstring>
#include <nlohmann/json.hpp>

#include "verify/numeric/number_text.h"
#include "verify/report/environment.h"
#include "verify/report/row_json.h"

namespace notape::verify::atlas {
namespace {

using Json = nlohmann::ordered_json;

/// The signs of zero and of NaN say nothing here.
std::string number(double x) {
  return std::isnan(x) ? "nan" : fmt::format("{:.6g}", x == 0 ? 0.0 : x);
}

std::string list(const Numbers& numbers) {
  std::string text;
  for (double x : numbers) text += (text.empty() ? "" : ", ") + number(x);
  return text;
}

/// One line of the table: a point of a function.
struct Line {
  std::string at, value, reverse, forward, second;
};

std::vector<Line> lines_of(const Row& row, const Evaluation& found) {
  const auto order = [&](std::size_t k) {
    return k < found.derivatives.size() ? found.derivatives[k] : Numbers();
  };
  if (row.kind == Kind::OfVector)
    return {{"(" + list(row.x) + ")", list(found.value), list(order(0)), list(found.forward),
             list(order(1))}};
  std::vector<Line> lines;
  for (std::size_t i = 0; i < row.x.size(); ++i) {
    const auto at = [i](const Numbers& numbers) {
      return i < numbers.size() ? number(numbers[i]) : std::string();
    };
    const bool negative_zero = row.x[i] == 0 && std::signbit(row.x[i]);
    lines.push_back({negative_zero ? "-0" : number(row.x[i]), at(found.value), at(order(0)),
                     at(found.forward), at(order(1))});
  }
  return lines;
}

std::string spellings_of(const Row& row) {
  std::string text;
  for (const Spelling& spelling : row.spellings)
    text += (text.empty() ? "" : ", ") + std::string(spelling.name);
  return text;
}

std::string rule_of(const Row& row) { return fmt::format("R{}", static_cast<int>(row.rule)); }

Json numbers_json(const Numbers& numbers) {
  Json result = Json::array();
  for (double x : numbers)
    if (std::isfinite(x))
      result.push_back(x);
    else
      result.push_back(std::isnan(x) ? "nan" : x > 0 ? "inf" : "-inf");
  return result;
}

/// `|` would end a cell.
std::string cell(std::string text) {
  for (std::size_t at = 0; (at = text.find('|', at)) != std::string::npos; at += 2)
    text.insert(at, "\\");
  return text;
}

std::string findings_text(const Report& report) {
  std::string text;
  for (const Finding& finding : report.findings)
    text += fmt::format("DISAGREEMENT: {}, {}: {}\n", finding.row->family, finding.row->function,
                        finding.text);
  for (const std::string& op : report.missing)
    text += fmt::format("NO ROW: {} declares a kink or ties\n", op);
  return text;
}

std::string interruption_text(const Report& report) {
  return report.interrupted.empty() ? "" : "interrupted by " + report.interrupted + "\n";
}

std::string summary(const Report& report) {
  std::size_t points = 0, spellings = 0;
  for (const auto& [row, found] : report.table) {
    points += row->kind == Kind::Pointwise ? row->x.size() : 1;
    spellings += row->spellings.size();
  }
  const auto count = [](std::size_t number, const char* noun) {
    return counted(static_cast<int64_t>(number), noun);
  };
  return fmt::format("{} in {} at {}, {} comparisons: {}, {} without a row\n",
                     count(report.table.size(), "function"), count(spellings, "spelling"),
                     count(points, "point"), report.comparisons,
                     count(report.findings.size(), "disagreement"),
                     count(report.missing.size(), "kink"));
}

}  // namespace

std::string as_text(const Report& report) {
  std::string text;
  const char* family = "";
  for (const auto& [row, found] : report.table) {
    if (std::strcmp(family, row->family) != 0)
      text += fmt::format("\n{}\n  {:<30} {:<18} {:<4} {:<14} {:<18} {:<18} {:<14} {}\n",
                          row->family, "function", "at", "rule", "value", "reverse", "forward",
                          "second order", "LibTorch 2.7");
    family = row->family;
    const char* name = row->function;
    for (const Line& line : lines_of(*row, found)) {
      std::string printed = fmt::format("  {:<30} {:<18} {:<4} {:<14} {:<18} {:<18} {:<14} {}",
                                        name, line.at, rule_of(*row), line.value, line.reverse,
                                        line.forward, line.second, *name ? row->libtorch : "");
      printed.erase(printed.find_last_not_of(' ') + 1);
      text += printed + "\n";
      name = "";
    }
    text += fmt::format("    = {}\n", spellings_of(*row));
    if (*row->note) text += fmt::format("    {}\n", row->note);
  }
  return text + "\n" + findings_text(report) + interruption_text(report) + summary(report);
}

std::string as_markdown(const Report& report) {
  std::string text = "# Singularity atlas\n";
  const char* family = "";
  for (const auto& [row, found] : report.table) {
    if (std::strcmp(family, row->family) != 0)
      text += fmt::format(
          "\n## {}\n\n| function | at | rule | value | reverse | forward | second order | "
          "LibTorch 2.7 | spellings | cases | note "
          "|\n|---|---|---|---|---|---|---|---|---|---|---|\n",
          row->family);
    family = row->family;
    for (const Line& line : lines_of(*row, found))
      text += fmt::format("| {} | {} | {} | {} | {} | {} | {} | {} | {} | {} | {} |\n",
                          cell(row->function), line.at, rule_of(*row), line.value, line.reverse,
                          line.forward, line.second, row->libtorch, cell(spellings_of(*row)),
                          row->cases, row->note);
  }
  const std::string findings = findings_text(report);
  if (!findings.empty()) text += "\n```\n" + findings + "```\n";
  return text + "\n" + interruption_text(report) + summary(report);
}

std::string as_json(const Report& report) {
  Json rows = Json::array();
  for (const auto& [row, found] : report.table) {
    Json spellings = Json::array(), derivatives = Json::array(), problems = Json::array();
    for (const Spelling& spelling : row->spellings)
      spellings.push_back({{"text", spelling.name}, {"operator", spelling.op}});
    const auto points = [row = row](Numbers numbers) {
      if (row->kind == Kind::Pointwise) numbers.resize(row->x.size());
      return numbers_json(numbers);
    };
    for (const Numbers& derivative : found.derivatives) derivatives.push_back(points(derivative));
    for (const Finding& finding : report.findings)
      if (finding.row == row) problems.push_back(finding.text);
    rows.push_back({{"family", row->family},
                    {"function", row->function},
                    {"rule", rule_of(*row)},
                    {"x", numbers_json(row->x)},
                    {"value", points(found.value)},
                    {"reverse", derivatives},
                    {"forward", points(found.forward)},
                    {"libtorch", row->libtorch},
                    {"spellings", spellings},
                    {"cases", row->cases},
                    {"note", row->note},
                    {"disagreements", problems}});
  }
  std::string line = summary(report);
  line.pop_back();
  Json json = {
      {"schema", "notape.atlas/1"}, {"cpu", value_of(environment(), "cpu")}, {"summary", line}};
  if (!report.interrupted.empty()) json["interrupted"] = report.interrupted;
  json["missing"] = report.missing;
  json["rows"] = rows;
  return row_json(json);
}

}  // namespace notape::verify::atlas
