#include "verify/report/formats.h"

#include <fmt/format.h>

#include "autograd/interchange/markup.h"
#include "verify/report/summary.h"

namespace notape::verify {
namespace {

using interchange::escaped;

std::string property(const char* name, const std::string& value) {
  return fmt::format("        <property name=\"{}\" value=\"{}\"/>\n", name, escaped(value));
}

/// Nothing was judged: it crashed, hung or threw.
bool is_error(const Record& record) { return record.verdict == Verdict::Error; }

std::string test_case(const Record& record, Colour colour) {
  std::string text = fmt::format(
      "    <testcase classname=\"{}\" name=\"{}\" file=\"{}\" line=\"{}\" time=\"{:.6f}\">\n"
      "      <properties>\n",
      escaped(record.op), escaped(fmt::format("{}/{}", record.check, name_of(record.dtype))),
      escaped(record.file), record.line, record.seconds);
  text += property("verdict", std::string(name_of(record.verdict)));
  text += property("detectable", fmt::format("{:.3g}", record.detectable));
  text += property("cases", std::to_string(record.cases));
  text += property("comparisons", std::to_string(record.comparisons));
  text += property("seconds", fmt::format("{:.3g}", record.seconds));
  text += "      </properties>\n";
  if (colour == Colour::Red)  // lists of failures show the message: what went wrong, in words
    text += fmt::format("      <{0} type=\"{1}\" message=\"{2}\">{3}</{0}>\n",
                        is_error(record) ? "error" : "failure", name_of(record.verdict),
                        escaped(why_of(record)), escaped(failure_text(record)));
  else if (colour == Colour::Yellow)
    text += fmt::format("      <skipped message=\"{}: {}\"/>\n", name_of(record.verdict),
                        escaped(record.detail));
  return text + "    </testcase>\n";
}

}  // namespace

std::string junit_xml(const std::vector<Record>& records, const Gates& gates) {
  const std::string interruption = interruption_of(records);
  std::string text =
      fmt::format("<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<testsuites name=\"verify{}\">\n",
                  interruption.empty() ? "" : escaped(", interrupted by " + interruption));
  for (std::size_t begin = 0; begin < records.size();) {
    std::string cases;
    std::size_t end = begin, failures = 0, errors = 0, skipped = 0;
    double seconds = 0;
    for (; end < records.size() && records[end].op == records[begin].op; ++end) {
      const Colour colour = colour_of(records[end], gates);
      cases += test_case(records[end], colour);
      failures += colour == Colour::Red && !is_error(records[end]);
      errors += colour == Colour::Red && is_error(records[end]);
      skipped += colour == Colour::Yellow;
      seconds += records[end].seconds;
    }
    text += fmt::format(
        "  <testsuite name=\"{}\" tests=\"{}\" failures=\"{}\" errors=\"{}\" skipped=\"{}\" "
        "time=\"{:.6f}\">\n{}  </testsuite>\n",
        escaped(records[begin].op), end - begin, failures, errors, skipped, seconds, cases);
    begin = end;
  }
  return text + "</testsuites>\n";
}

}  // namespace notape::verify
