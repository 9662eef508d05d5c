#include <fmt/format.h>

#include <algorithm>

#include "trace/report/page.h"

namespace notape::trace {
namespace {

constexpr std::size_t kMostMarkdownRows = 12;

std::string table_markdown(const FigureTable& table) {
  std::string text = "\n" + markdown_text(table.title);
  if (!table.doubt.empty()) text += " (not reliable: " + markdown_text(table.doubt) + ")";
  text += ":\n\n|";
  std::string rule = "|";
  for (std::size_t i = 0; i < table.columns.size(); ++i) {
    text += " " + markdown_text(table.columns[i]) + " |";
    rule += !table.rows.empty() && table.rows.front()[i].is_number ? "--:|" : "---|";
  }
  text += "\n" + rule + "\n";
  const std::size_t shown = std::min(table.rows.size(), kMostMarkdownRows);
  for (std::size_t i = 0; i < shown; ++i) {
    text += "|";
    for (const Cell& cell : table.rows[i]) text += " " + cell.text.markdown() + " |";
    text += "\n";
  }
  if (shown < table.rows.size())
    text += fmt::format("\nand {} more rows\n", table.rows.size() - shown);
  return text;
}

}  // namespace

std::string page_markdown(const std::string& file, const std::vector<Section>& sections) {
  std::string text = "## notape trace report: " + markdown_code(file) + "\n";
  for (const Section& section : sections) {
    text += "\n### " + section.question + "\n\n";
    for (const Finding& finding : section.findings) {
      const char* mark = finding.tone == Tone::Bad       ? "**!** "
                         : finding.tone == Tone::Warning ? "**?** "
                                                         : "";
      text += fmt::format("- {}{}\n", mark, finding.line().markdown());
    }
    for (const FigureTable& table : section.tables) text += table_markdown(table);
  }
  return text;
}

}  // namespace notape::trace
