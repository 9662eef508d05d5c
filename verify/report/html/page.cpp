#include "verify/report/formats.h"

#include <fmt/format.h>

#include <algorithm>
#include <set>

#include "autograd/interchange/markup.h"
#include "autograd/interchange/svg.h"
#include "verify/checks/check.h"
#include "verify/report/html/parts.h"
#include "verify/report/html/svg.h"

namespace notape::verify {

using interchange::escaped;

const char* class_of(Colour colour) {
  constexpr const char* names[] = {"green", "yellow", "red"};
  return names[static_cast<int>(colour)];
}

std::string pill(Colour colour, std::string_view text) {
  return fmt::format("<span class=\"pill {}\">{}</span>", class_of(colour), escaped(text));
}

std::string detectable_html(double detectable) {
  return detectable > 0 ? fmt::format("{:.1e}", detectable)
                        : std::string("<span class=\"quiet\">exact</span>");
}

namespace {

struct Worst {
  Colour colour = Colour::Green;
  std::string said;  ///< how many checks have that colour, by what they found
};

Worst worst_of(const std::vector<Record>& records, const Gates& gates) {
  int64_t failed = 0, missed = 0, undecided = 0, undeclared = 0;
  for (const Record& record : records) switch (colour_of(record, gates)) {
      case Colour::Red:
        ++(is_red(record.verdict) ? failed : missed);
        break;
      case Colour::Yellow:
        ++(record.verdict == Verdict::Unresolved ? undecided : undeclared);
        break;
      case Colour::Green:
        break;
    }
  std::string said;
  const std::string all = grouped(static_cast<int64_t>(records.size()));
  const auto say = [&](int64_t count, const char* what) {
    if (count == 0) return;
    said += said.empty() ? fmt::format("{} of {} checks {}", grouped(count), all, what)
                         : fmt::format(", {} {}", grouped(count), what);
  };
  say(failed, "fail");
  say(missed, "miss a gate");
  if (!said.empty()) return {Colour::Red, said};
  say(undecided, "could not decide");
  say(undeclared, "met a kink, a jump or an unbounded slope that is not declared");
  if (!said.empty()) return {Colour::Yellow, said};
  return {Colour::Green, fmt::format("All {} checks pass", all)};
}

std::string headline(const std::vector<Record>& records, const Gates& gates) {
  double seconds = 0;
  for (const Record& record : records) seconds += record.seconds;
  const std::string interruption = interruption_of(records);
  const Worst worst = worst_of(records, gates);
  const Colour colour =
      interruption.empty() ? worst.colour : std::max(worst.colour, Colour::Yellow);
  std::string text =
      fmt::format("<header class=\"top {}\"><p class=\"brand\">notape verify</p><h1>{}{}</h1><p>",
                  class_of(colour), worst.said,
                  interruption.empty() ? "" : escaped("; interrupted by " + interruption));
  for (const auto& [verdict, count] : counts_of(records))
    text +=
        pill(colour_of(verdict, "", gates), fmt::format("{} {}", grouped(count), name_of(verdict)));
  const Record& first = records.front();
  return text + fmt::format(
                    "</p><p class=\"quiet\">seed {} · {} cases per operator and dtype · "
                    "{:.1f} s of checking · commit {}</p></header>\n",
                    first.seed, first.samples, seconds,
                    escaped(value_of(first.environment, "commit").substr(0, 12)));
}

std::string failure_cards(const std::vector<Record>& records, const Gates& gates) {
  constexpr std::size_t kMost = 50;
  std::vector<const Record*> red;
  for (const Record& record : records)
    if (colour_of(record, gates) == Colour::Red) red.push_back(&record);
  if (red.empty()) return "";
  std::stable_sort(red.begin(), red.end(),
                   [](const Record* a, const Record* b) { return a->verdict > b->verdict; });
  std::string text =
      fmt::format("<section><h2>Failures <span class=\"quiet\">{}</span></h2>\n", red.size());
  for (std::size_t i = 0; i < std::min(red.size(), kMost); ++i)
    text += failure_card(*red[i], Colour::Red);
  if (red.size() > kMost)
    text += fmt::format("<p>and {} more, in the table below</p>", red.size() - kMost);
  return text + "</section>\n";
}

std::string filters(const std::vector<OperatorSummary>& operators) {
  std::set<std::string> families;
  for (const OperatorSummary& one : operators) families.insert(one.family);
  std::string options = "<option value=\"\">all families</option>";
  for (const std::string& family : families)
    options += fmt::format("<option>{}</option>", escaped(family));
  return "<form id=\"filters\" onsubmit=\"return false\">"
         "<input id=\"search\" type=\"search\" placeholder=\"Filter operators\" "
         "aria-label=\"Filter operators\">"
         "<select id=\"family\" aria-label=\"Family\">" +
         options +
         "</select><select id=\"colour\" aria-label=\"Verdict\"><option value=\"\">all "
         "verdicts</option><option value=\"red\">red</option><option "
         "value=\"yellow\">yellow</option><option value=\"green\">green</option></select>"
         "<select id=\"order\" aria-label=\"Order\"><option value=\"place\">failures "
         "first</option><option value=\"weak\">weakest first</option><option "
         "value=\"seconds\">slowest first</option><option value=\"name\">by name</option></select>"
         "<span id=\"shown\" class=\"quiet\"></span></form>\n";
}

std::string check_rows(const OperatorSummary& one, const Gates& gates) {
  std::string text =
      "<table class=\"checks\"><thead><tr><th>check</th><th>dtype</th><th>verdict</th>"
      "<th>comparisons</th><th>undecided</th><th>could miss</th><th>seconds</th></tr></thead>";
  for (const Record* record : one.records)
    text += fmt::format(
        "<tr><td>{}</td><td>{}</td><td>{}</td><td class=\"number\">{}</td><td "
        "class=\"number\">{}</td><td class=\"number\">{}</td><td class=\"number\">{:.3f}</td></tr>",
        escaped(record->check), name_of(record->dtype),
        pill(colour_of(*record, gates), name_of(record->verdict)), grouped(record->comparisons),
        grouped(record->unresolved),
        is_red(record->verdict) || knows_nothing(*record) ? ""
                                                          : detectable_html(record->detectable),
        record->seconds);
  return text + "</table>";
}

/// The cases of a row that have a ladder; failures are shown above already.
std::string ladders(const OperatorSummary& one, const Gates& gates) {
  std::string text;
  for (const Record* record : one.records)
    if (record->exhibit && record->exhibit->evidence &&
        check_has_trait(record->check, kStatesPower) && colour_of(*record, gates) != Colour::Red)
      text += fmt::format(
          "<h4>{} in {} <span class=\"quiet\">the weakest case: an error of {} "
          "could have passed</span></h4>{}",
          escaped(record->check), name_of(record->dtype), detectable_html(record->detectable),
          exhibit_html(*record));
  return text;
}

double weakness(const OperatorSummary& one) {
  double most = 0;
  for (const auto& [dtype, detectable] : one.detectable)
    most = std::max(most, detectable * (dtype != kFloat64 ? 0x1p-29 : 1));
  return most;
}

std::string operator_row(const OperatorSummary& one, const Gates& gates) {
  std::string squares, powers;
  std::size_t good = 0;
  for (const Record* record : one.records) {
    const Colour colour = colour_of(*record, gates);
    good += colour == Colour::Green;
    squares +=
        fmt::format("<i class=\"{}\" title=\"{} {}: {}\"></i>", class_of(colour),
                    escaped(record->check), name_of(record->dtype), name_of(record->verdict));
  }
  for (const ScalarType dtype : {kFloat64, kFloat32}) {
    const auto found = one.detectable.find(dtype);
    powers += fmt::format("<span class=\"number\">{}</span>",
                          found == one.detectable.end() ? "" : detectable_html(found->second));
  }
  return fmt::format(
      "<details class=\"op {0}\" data-name=\"{1}\" data-family=\"{2}\" data-colour=\"{0}\" "
      "data-weak=\"{3:.3e}\" data-seconds=\"{4:.4f}\"><summary><span class=\"name\">{1}</span>"
      "<span class=\"quiet family\">{2}</span><span class=\"squares\">{5}</span><span "
      "class=\"number\">{6}/{7}</span>{8}<span>{9}</span><span class=\"number\">{4:.2f}</span>"
      "</summary><div class=\"inside\"><p class=\"quiet\">{10} · differentiable {11}</p>{12}{13}"
      "</div></details>\n",
      class_of(one.colour), escaped(one.op), escaped(one.family), weakness(one), one.seconds,
      squares, good, one.records.size(), powers, power_svg(one),
      escaped(fmt::format("{}:{}", one.file, one.line)),
      one.records.front()->order == "any" ? "any number of times"
                                          : escaped(one.records.front()->order) + " times",
      check_rows(one, gates), ladders(one, gates));
}

std::string operators_section(const std::vector<Record>& records, const Gates& gates) {
  auto operators = by_operator(records, gates);
  std::stable_sort(operators.begin(), operators.end(),
                   [](const auto& a, const auto& b) { return a.colour > b.colour; });
  std::string text =
      fmt::format("<section><h2>Operators <span class=\"quiet\">{}</span></h2>\n",
                  operators.size()) +
      filters(operators) +
      "<p class=\"quiet\">Power is the largest relative error in a derivative that could have "
      "passed: <b class=\"f64\">float64</b> and <b class=\"f32\">float32</b>; ticks mark where a "
      "comparison stops to count. Click a row for its checks and step ladders.</p>\n"
      "<div class=\"head\"><span>operator</span><span>family</span><span>checks</span><span></span>"
      "<span>float64</span><span>float32</span><span>" +
      power_axis_svg() + "</span><span>seconds</span></div>\n<div id=\"operators\">\n";
  for (const OperatorSummary& one : operators) text += operator_row(one, gates);
  return text + "</div></section>\n";
}

std::string environment_section(const Record& record) {
  std::string text =
      "<section><details><summary><h2>Environment</h2></summary><table class=\"facts\">";
  for (const auto& [name, value] : record.environment)
    text +=
        fmt::format("<tr><th>{}</th><td><code>{}</code></td></tr>", escaped(name), escaped(value));
  return text + "</table></details></section>\n";
}

}  // namespace

std::string html_page(const std::vector<Record>& records, const Gates& gates) {
  std::string text =
      "<!doctype html>\n<html lang=\"en\"><head><meta charset=\"utf-8\">"
      "<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">"
      "<title>notape verify</title>\n<style>" +
      interchange::palette_css() + interchange::kSvgRules + kHtmlStyle + kPlotRules +
      "</style></head>\n<body><main>\n";
  if (records.empty())
    text += "<h1>Nothing was checked</h1>";
  else
    text += headline(records, gates) + failure_cards(records, gates) +
            operators_section(records, gates) + environment_section(records.front());
  return text + "</main>\n<script>" + kHtmlScript + "</script></body></html>\n";
}

}  // namespace notape::verify
