#include "verify/report/junit.h"

#include <fmt/format.h>

#include "verify/report/table.h"

namespace notape::verify {
namespace {

/// What XML allows in an attribute or text: no markup, no control characters.
std::string escaped(std::string_view text) {
  std::string result;
  for (char c : text) {
    switch (c) {
      case '&':
        result += "&amp;";
        break;
      case '<':
        result += "&lt;";
        break;
      case '>':
        result += "&gt;";
        break;
      case '"':
        result += "&quot;";
        break;
      default:
        result += static_cast<unsigned char>(c) < 0x20 && c != '\n' && c != '\t' ? '?' : c;
    }
  }
  return result;
}

std::string test_case(const Certificate& certificate) {
  std::string text = fmt::format(
      "    <testcase classname=\"{}\" name=\"{}\" time=\"{:.6f}\">\n"
      "      <properties>\n"
      "        <property name=\"verdict\" value=\"{}\"/>\n"
      "        <property name=\"detectable\" value=\"{:.3g}\"/>\n"
      "        <property name=\"comparisons\" value=\"{}\"/>\n"
      "      </properties>\n",
      escaped(certificate.spec->name),
      escaped(fmt::format("{}/{}", certificate.check, name_of(certificate.dtype))),
      certificate.seconds, name_of(certificate.verdict), certificate.detectable,
      certificate.comparisons);
  if (is_red(certificate.verdict))
    text += fmt::format("      <failure type=\"{}\" message=\"{}\">{}</failure>\n",
                        name_of(certificate.verdict), escaped(certificate.detail),
                        escaped(failure_text(certificate)));
  else if (certificate.verdict == Verdict::Unresolved)
    text += fmt::format("      <skipped message=\"{}\"/>\n", escaped(certificate.detail));
  return text + "    </testcase>\n";
}

}  // namespace

std::string junit_xml(const std::vector<Certificate>& certificates) {
  std::string text = "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<testsuites name=\"verify\">\n";
  for (std::size_t begin = 0; begin < certificates.size();) {
    const OpSpec* spec = certificates[begin].spec;
    std::string cases;
    std::size_t end = begin, failures = 0, skipped = 0;
    double seconds = 0;
    for (; end < certificates.size() && certificates[end].spec == spec; ++end) {
      cases += test_case(certificates[end]);
      failures += is_red(certificates[end].verdict);
      skipped += certificates[end].verdict == Verdict::Unresolved;
      seconds += certificates[end].seconds;
    }
    text += fmt::format(
        "  <testsuite name=\"{}\" tests=\"{}\" failures=\"{}\" errors=\"0\" skipped=\"{}\" "
        "time=\"{:.6f}\">\n{}  </testsuite>\n",
        escaped(spec->name), end - begin, failures, skipped, seconds, cases);
    begin = end;
  }
  return text + "</testsuites>\n";
}

}  // namespace notape::verify
