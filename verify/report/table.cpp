#include "verify/report/table.h"

#include <fmt/format.h>

#include <map>

#include "verify/checks/check.h"
#include "verify/report/summary.h"

namespace notape::verify {
namespace {

/// The largest relative error in a derivative that could have passed.
std::string detectable_text(const Part& part) {
  if (part.certificates.empty()) return "-";
  double worst = 0;
  if (part.cases == 0) return "-";
  const bool has_exact_slope =
      std::any_of(part.certificates.begin(), part.certificates.end(), [](const Certificate& one) {
        return std::string_view(one.check) == "exact-slope" && one.comparisons > 0;
      });
  const bool has_derivatives =
      std::any_of(part.certificates.begin(), part.certificates.end(),
                  [](const Certificate& one) { return check_has_trait(one.check, kStatesPower); });
  for (const Certificate& certificate : part.certificates) {
    const bool silent = certificate.comparisons == 0 && certificate.verdict == Verdict::Unresolved;
    if (is_red(certificate.verdict) || silent) return "-";
    if (has_derivatives && !states_power(certificate.check, has_exact_slope)) continue;
    if (knows_nothing(certificate.verdict, certificate.undecided, certificate.detectable))
      return "-";
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
  Undecided undecided;
  for (const Part& part : parts) {
    cases += part.cases;
    seconds += part.seconds;
    powers += fmt::format(" {:>8}", detectable_text(part));
    for (const Certificate& certificate : part.certificates) {
      const bool fine = certificate.verdict < Verdict::Unresolved;
      good += fine;
      ++all;
      if (certificate.verdict != Verdict::Pass) ++others[certificate.verdict];
      if (!is_red(certificate.verdict)) undecided.add(certificate.undecided);
    }
  }
  std::string line =
      fmt::format("{:<12} {:<24} {:>7} {:>6}{} {:>7.2f}", parts[0].spec->family,
                  parts[0].spec->name, fmt::format("{}/{}", good, all), cases, powers, seconds);
  for (const auto& [verdict, count] : others)
    line += fmt::format("  {}{}", name_of(verdict), count > 1 ? fmt::format(" x{}", count) : "");
  if (undecided.entries > 0)
    line += fmt::format("  {} of {} entries undecided", grouped(undecided.entries),
                        grouped(undecided.of));
  return line + "\n";
}

std::string failure_text(const Certificate& certificate) {
  return failure_text(record_of(certificate));
}

std::string summary_line(const std::vector<Certificate>& certificates, std::size_t operators,
                         int64_t cases, double seconds, uint64_t seed) {
  std::map<Verdict, int64_t> counts;
  int64_t elsewhere = 0;
  for (const Certificate& certificate : certificates) {
    ++counts[certificate.verdict];
    elsewhere += std::string_view(certificate.check) == kFreshProcess;
  }
  return fmt::format(
      "{}, {}{}: {}; {}, {:.1f} s, seed {}\n", counted(static_cast<int64_t>(operators), "operator"),
      counted(static_cast<int64_t>(certificates.size()), "check"),
      elsewhere > 0 ? fmt::format(" ({} of them in a new process, in no row)", grouped(elsewhere))
                    : "",
      counts_text(counts), counted(cases, "case"), seconds, seed);
}

std::string undecided_section(const std::vector<Certificate>& certificates) {
  std::string text;
  for (const Certificate& one : certificates)
    if (one.verdict == Verdict::Unresolved && one.detail.starts_with(kAllUndecided))
      text += fmt::format("  {}: {}\n", id_of(one), one.detail.substr(kAllUndecided.size()));
  return text.empty() ? "" : "\nundecided, and why\n" + text;
}

std::string missed_gates(const std::vector<Certificate>& certificates, const Gates& gates) {
  struct Missed {
    int64_t count = 0;
    const Certificate* worst = nullptr;
  };
  std::map<ScalarType, Missed> weak;
  Missed undecided, undeclared;
  for (const Certificate& one : certificates) {
    if (is_red(one.verdict)) continue;
    if (one.verdict != Verdict::Unresolved &&
        colour_of(one.verdict, one.detail, gates) == Colour::Red) {
      ++undeclared.count;
      if (!undeclared.worst) undeclared.worst = &one;
    }
    if (one.detectable > gates.power_gate(one.dtype)) {
      Missed& missed = weak[one.dtype];
      ++missed.count;
      if (!missed.worst || one.detectable > missed.worst->detectable) missed.worst = &one;
    } else if (one.verdict == Verdict::Unresolved && gates.require_power) {
      ++undecided.count;
      if (!undecided.worst) undecided.worst = &one;
    }
  }
  std::string text;
  for (const auto& [dtype, missed] : weak)
    text += fmt::format(
        "{} in {} could miss a relative error above the gate {:.3g} (--power); the weakest, "
        "{}, one of {:.3g}\n",
        counted(missed.count, "check"), name_of(dtype), gates.power_gate(dtype),
        id_of(*missed.worst), missed.worst->detectable);
  if (undecided.worst)
    text += fmt::format("{} could not decide (--require-power); the first is {}: {}\n",
                        counted(undecided.count, "check"), id_of(*undecided.worst),
                        undecided.worst->detail);
  if (undeclared.worst)
    text += fmt::format(
        "{} met a kink, a jump or an unbounded slope that is not declared "
        "(--strict); the first is {}: {}\n",
        counted(undeclared.count, "check"), id_of(*undeclared.worst),
        name_of(undeclared.worst->verdict));
  return text;
}

}  // namespace notape::verify
