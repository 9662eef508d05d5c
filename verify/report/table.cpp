#include "verify/report/table.h"

#include <fmt/format.h>

#include <map>

#include "verify/report/summary.h"

namespace notape::verify {
namespace {

/// The largest relative error in a derivative that could have passed.
std::string detectable_text(const Part& part) {
  if (part.certificates.empty()) return "-";
  double worst = 0;
  if (part.cases == 0) return "-";
  for (const Certificate& certificate : part.certificates) {
    const std::string_view check = certificate.check;
    const bool silent = certificate.comparisons == 0 && certificate.verdict == Verdict::Unresolved;
    if (is_red(certificate.verdict) || silent) return "-";
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
      const bool fine = certificate.verdict < Verdict::Unresolved;
      good += fine;
      ++all;
      if (certificate.verdict != Verdict::Pass) ++others[certificate.verdict];
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
  return failure_text(record_of(certificate));
}

std::string summary_line(const std::vector<Certificate>& certificates, std::size_t operators,
                         int64_t cases, double seconds, uint64_t seed) {
  std::map<Verdict, int64_t> counts;
  for (const Certificate& certificate : certificates) ++counts[certificate.verdict];
  return fmt::format("{} operators, {} checks: {}; {} cases, {:.1f} s, seed {}\n", operators,
                     grouped(static_cast<int64_t>(certificates.size())), counts_text(counts),
                     grouped(cases), seconds, seed);
}

}  // namespace notape::verify
