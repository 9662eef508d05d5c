#include "trace/report/page.h"

#include <fmt/format.h>

#include <algorithm>

#include "autograd/interchange/markup.h"
#include "autograd/interchange/svg.h"
#include "trace/report/chart.h"
#include "trace/report/paper_figures.h"
#include "trace/report/style.h"

namespace notape::trace {

using interchange::escaped;

namespace {

/// What matters most of each section, with a link to it.
std::string page_head(const std::string& file, const std::vector<Section>& sections) {
  std::string list;
  Tone worst = Tone::Good;
  for (const Section& section : sections) {
    if (section.findings.empty()) continue;
    list += fmt::format("<li><a href=\"#{}\">{}</a><span>{}</span></li>\n", section.id,
                        escaped(section.question), section.findings.front().line().html());
    if (section.id == "trust") worst = section.findings.front().tone;
  }
  return fmt::format(
      "<header class=\"top {}\"><p class=\"brand\">notape trace report</p><h1>{}</h1>\n"
      "<ul class=\"short\">\n{}</ul></header>\n",
      tone_name(worst), escaped(file), list);
}

std::string doubt_html(const std::string& doubt) {
  return doubt.empty() ? "" : " <span class=\"doubt\">not reliable: " + escaped(doubt) + "</span>";
}

std::string caption(const std::string& title, const std::string& definition,
                    const std::string& doubt) {
  return "<figcaption><h3>" + escaped(title) + "</h3>" + doubt_html(doubt) +
         fmt::format("<a href=\"#{}\">how this is computed</a></figcaption>\n", definition);
}

std::string legend_html(const std::vector<LegendEntry>& legend) {
  if (legend.empty()) return "";
  std::string text = "<ul class=\"legend\">";
  for (const LegendEntry& entry : legend)
    text += fmt::format(
        "<li><svg viewBox=\"0 0 14 12\" aria-hidden=\"true\"><rect width=\"14\" height=\"12\" "
        "rx=\"2\" class=\"{}\"/></svg>{}</li>",
        entry.classes, escaped(entry.label));
  return text + "</ul>\n";
}

std::string figure_html(const Figure& figure) {
  return fmt::format("<figure id=\"{}\">{}<div class=\"picture\">{}</div>\n{}</figure>\n",
                     figure.id, caption(figure.title, figure.definition, figure.doubt), figure.svg,
                     legend_html(figure.legend));
}

std::string table_html(const FigureTable& table) {
  std::string head;
  for (std::size_t i = 0; i < table.columns.size(); ++i) {
    const bool is_number = !table.rows.empty() && table.rows.front()[i].is_number;
    head += fmt::format("<th{}>{}</th>", is_number ? " class=\"number\"" : "",
                        escaped(table.columns[i]));
  }
  std::string rows;
  for (const std::vector<Cell>& row : table.rows) {
    rows += "<tr>";
    for (const Cell& cell : row) {
      rows += cell.is_number ? "<td class=\"number\">" : "<td>";
      rows += cell.text.html();
      if (cell.bar >= 0)
        rows += fmt::format("<span class=\"bar\" style=\"width:{:.1f}%\"></span>",
                            100 * std::min(1.0, cell.bar));
      rows += "</td>";
    }
    rows += "</tr>\n";
  }
  return fmt::format(
      "<figure id=\"{}\">{}<div class=\"wide\"><table{}><thead><tr>{}</tr></thead>\n<tbody>\n{}"
      "</tbody></table></div></figure>\n",
      table.id, caption(table.title, table.definition, table.doubt),
      table.columns.size() <= 2 ? " class=\"narrow\"" : "", head, rows);
}

std::string section_html(const Section& section) {
  std::string text =
      fmt::format("<section id=\"{}\"><h2>{}</h2>\n<table class=\"findings narrow\"><tbody>\n",
                  section.id, escaped(section.question));
  for (const Finding& one : section.findings) {
    text += fmt::format("<tr class=\"{}\">", tone_name(one.tone));
    text += one.label.empty() ? fmt::format("<td colspan=\"3\">{}</td>", one.value.html())
                              : fmt::format("<td>{}</td><td class=\"number\">{}</td><td>{}{}</td>",
                                            escaped(one.label), one.value.html(),
                                            escaped(one.meaning), doubt_html(one.doubt));
    text += "</tr>\n";
  }
  text += "</tbody></table>\n";
  for (const Figure& figure : section.figures) text += figure_html(figure);
  for (const FigureTable& table : section.tables) text += table_html(table);
  return text + "</section>\n";
}

std::string definitions_html(const std::vector<Section>& sections) {
  std::string text =
      "<section id=\"definitions\"><h2>How the figures are computed</h2>\n<p class=\"quiet\">Times "
      "are whole ns until they are shown. A quantile q of n sorted values is the one at index "
      "min(n - 1, floor(q n)), medians included.</p>\n<dl>\n";
  for (const Section& section : sections)
    for (const Definition& one : section.definitions)
      text += fmt::format("<dt id=\"{}\">{}</dt><dd>{}</dd>\n", one.id, escaped(one.title),
                          escaped(one.text));
  return text + "</dl></section>\n";
}

}  // namespace

std::string page_html(const std::string& file, const std::vector<Section>& sections) {
  std::string text =
      "<!doctype html>\n<html lang=\"en\"><head><meta charset=\"utf-8\">\n"
      "<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n<title>" +
      escaped(file) + " - notape trace report</title>\n<style>" + interchange::palette_css() +
      interchange::kSvgRules + kReportStyle + kChartRules + kPaperRules +
      "</style></head>\n<body><main>\n" + page_head(file, sections);
  for (const Section& section : sections) text += section_html(section);
  return text + definitions_html(sections) + "</main></body></html>\n";
}

}  // namespace notape::trace
