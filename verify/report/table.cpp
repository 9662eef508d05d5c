#include "verify/report/table.h"

#include <fmt/format.h>

#include <map>

#include "verify/report/location.h"

namespace notape::verify {
namespace {

/// 1234567 -> "1,234,567"
std::string grouped(int64_t number) {
  std::string text = std::to_string(number);
  for (auto at = static_cast<std::ptrdiff_t>(text.size()) - 3; at > 0; at -= 3)
    text.insert(static_cast<std::size_t>(at), ",");
  return text;
}

/// The largest relative error in a derivative that could have passed.
std::string detectable_text(const Part& part) {
  double worst = 0;
  for (const Certificate& certificate : part.certificates) {
    const std::string_view check = certificate.check;
    if (is_red(certificate.verdict)) return "-";
    if (check == "reverse" || check == "second-order")
      worst = std::max(worst, certificate.detectable);
  }
  return worst > 0 ? fmt::format("{:.0e}", worst) : "exact";
}

}  // namespace

std::string table_header(const std::vector<ScalarType>& dtypes) {
  std::string line =
      fmt::format("{:<12} {:<24} {:>7} {:>6}", "family", "operator", "checks", "cases");
  for (ScalarType dtype : dtypes) line += fmt::format(" {:>8}", name_of(dtype));
  return line + fmt::format(" {:>7}\n", "seconds");
}

std::string table_row(const std::vector<Part>& parts) {
  std::size_t good = 0, all = 0;
  int64_t cases = 0;
  double seconds = 0;
  std::string powers;
  std::map<Verdict, int> others;
  for (const Part& part : parts) {
    cases += part.cases;
    seconds += part.seconds;
    powers += fmt::format(" {:>8}", detectable_text(part));
    for (const Certificate& certificate : part.certificates) {
      const bool fine = certificate.verdict == Verdict::Pass;
      good += fine;
      ++all;
      if (!fine) ++others[certificate.verdict];
    }
  }
  std::string line =
      fmt::format("{:<12} {:<24} {:>7} {:>6}{} {:>7.2f}", parts[0].spec->family,
                  parts[0].spec->name, fmt::format("{}/{}", good, all), cases, powers, seconds);
  for (const auto& [verdict, count] : others)
    line += fmt::format("  {}{}", name_of(verdict), count > 1 ? fmt::format(" x{}", count) : "");
  return line + "\n";
}

std::string failure_text(const Certificate& certificate) {
  std::string text =
      fmt::format("\n{}: {}/{} in {}\n", name_of(certificate.verdict), certificate.spec->name,
                  certificate.check, name_of(certificate.dtype));
  const auto line = [&](const char* title, const std::string& value) {
    if (!value.empty()) text += fmt::format("  {:<10} {}\n", title, value);
  };
  if (!certificate.failure) {
    line("why", certificate.detail);
  } else {
    const Failure& failure = *certificate.failure;
    line("why", failure.outcome.message);
    line("case", failure.label);
    for (std::size_t a = 0; a < failure.inputs.size(); ++a)
      line(fmt::format("input {}", a).c_str(), failure.inputs[a]);
    line("incoming", failure.incoming);
    if (const auto& guilty = failure.outcome.guilty) {
      line("where", guilty->where);
      line("expected", number_text(guilty->expected, certificate.dtype));
      line("got", number_text(guilty->got, certificate.dtype));
      line("apart", fmt::format("{:.3g} units in the last place", guilty->ulps));
    }
    line("blame", failure.outcome.blame);
    line("replay", replay_command(certificate, failure.code));
  }
  line("rule", location_text(certificate.spec->at));
  return text;
}

std::string summary_line(const std::vector<Certificate>& certificates, std::size_t operators,
                         int64_t cases, double seconds, uint64_t seed) {
  std::map<Verdict, int64_t> counts;
  for (const Certificate& certificate : certificates) ++counts[certificate.verdict];
  std::string verdicts;
  for (const auto& [verdict, count] : counts) {
    std::string name(name_of(verdict));
    for (char& letter : name) letter = static_cast<char>(std::tolower(letter));
    verdicts += fmt::format("{}{} {}", verdicts.empty() ? "" : ", ", grouped(count), name);
  }
  return fmt::format("{} operators, {} checks: {}; {} cases, {:.1f} s, seed {}\n", operators,
                     grouped(static_cast<int64_t>(certificates.size())),
                     verdicts.empty() ? "none" : verdicts, grouped(cases), seconds, seed);
}

}  // namespace notape::verify
