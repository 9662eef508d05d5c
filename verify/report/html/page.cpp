#include "verify/report/formats.h"

#include <fmt/format.h>

#include <algorithm>
#include <set>

#include "autograd/interchange/markup.h"
#include "autograd/interchange/svg.h"
#include "autograd/interchange/zlib.h"
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
  return {Colour::Green, fmt::format("All {} checks are well", all)};
}

/// The same checks by colour and verdict, the worst first.
std::map<std::pair<Colour, Verdict>, int64_t, std::greater<>> pills_of(
    const std::vector<Record>& records, const Gates& gates) {
  std::map<std::pair<Colour, Verdict>, int64_t, std::greater<>> counts;
  for (const Record& record : records) ++counts[{colour_of(record, gates), record.verdict}];
  return counts;
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
  for (const auto& [which, count] : pills_of(records, gates)) {
    const auto [of, verdict] = which;
    const char* why = of == Colour::Red && !is_red(verdict)                    ? " that miss a gate"
                      : of == Colour::Yellow && verdict != Verdict::Unresolved ? " undeclared"
                                                                               : "";
    text += pill(of, fmt::format("{} {}{}", grouped(count), name_of(verdict), why));
  }
  const Record& first = records.front();
  return text + fmt::format(
                    "</p><p class=\"quiet\">seed {} · {} cases per operator and dtype · "
                    "{:.1f} s of checking · {}</p></header>\n",
                    first.seed, first.samples, seconds,
                    escaped(first.plugin
                                ? value_of(first.environment, kPlugin)
                                : "commit " + value_of(first.environment, "commit").substr(0, 12)));
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

/// What verdicts other than PASS mean, where they stand.
std::string explanations(const OperatorSummary& one) {
  std::map<Verdict, std::string> why;
  for (const Record* record : one.records)
    if (record->verdict != Verdict::Pass && !is_red(record->verdict) &&
        why[record->verdict].empty())
      why[record->verdict] = why_of(*record);
  std::string text;
  for (const auto& [verdict, detail] : why) {
    const bool singular =
        verdict == Verdict::Kink || verdict == Verdict::Jump || verdict == Verdict::Unbounded;
    text += fmt::format(
        "<p class=\"quiet\"><b>{}</b>: {}{}{}</p>", name_of(verdict), meaning_of(verdict),
        detail.empty() ? "" : " (" + escaped(detail) + ")",
        singular ? ", where there is more than one slope or none. The derivative there is "
                   "the one that the conventions of notape verify or the operator's row "
                   "name, and the slope beside the point is right."
                 : "");
  }
  return text;
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
        colour == Colour::Green
            ? "<i></i>"
            : fmt::format("<i class=\"{}\" title=\"{} {}: {}\"></i>", class_of(colour),
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
      "</summary><div class=\"inside\"></div></details>\n",
      class_of(one.colour), escaped(one.op), escaped(one.family), weakness(one), one.seconds,
      squares, good, one.records.size(), powers, power_svg(one));
}

/// What a row shows when it is opened.
std::string inside(const OperatorSummary& one, const Gates& gates) {
  return fmt::format("<p class=\"quiet\">{} · differentiable {}</p>{}{}{}",
                     escaped(fmt::format("{}:{}", one.file, one.line)),
                     one.records.front()->order == "any"
                         ? "any number of times"
                         : escaped(one.records.front()->order) + " times",
                     explanations(one), check_rows(one, gates), ladders(one, gates));
}

/// In letters that a page may hold, as a browser's atob() reads them.
std::string base64(std::string_view bytes) {
  constexpr const char* kLetters =
      "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
  std::string text;
  for (std::size_t i = 0; i < bytes.size(); i += 3) {
    uint32_t three = 0;
    for (std::size_t k = 0; k < 3; ++k)
      three = three << 8 | (i + k < bytes.size() ? static_cast<unsigned char>(bytes[i + k]) : 0);
    for (int k = 3; k >= 0; --k) text += kLetters[three >> 6 * k & 63];
  }
  if (const std::size_t rest = bytes.size() % 3; rest > 0)
    text.replace(text.size() - (3 - rest), 3 - rest, 3 - rest, '=');
  return text;
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
      "comparison stops to count. A square is a check: green, or yellow or red with its verdict "
      "under the "
      "pointer. Click a row for its checks and step ladders.</p>\n"
      "<div class=\"head\"><span>operator</span><span>family</span><span>checks</span><span></span>"
      "<span>float64</span><span>float32</span><span>" +
      power_axis_svg() + "</span><span>seconds</span></div>\n<div id=\"operators\">\n";
  std::string packed;
  for (const OperatorSummary& one : operators) {
    text += operator_row(one, gates);
    packed += inside(one, gates) + '\x1e';
  }
  const std::string_view parts[] = {packed};
  // A page of all operators is a seventh as large as it would be.
  return text +
         "</div><noscript>What a row has inside is shown by a script.</noscript></section>\n" +
         "<script type=\"text/plain\" id=\"inside\">" +
         base64(interchange::deflate(parts, interchange::Compressed::Gzip, 9)) + "</script>\n";
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
