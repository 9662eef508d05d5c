#include "verify/report/summary.h"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <cmath>
#include <set>

#include "verify/checks/check.h"

namespace notape::verify {
namespace {
constexpr std::string_view kExactSlope = "exact-slope";
}  // namespace

std::string_view meaning_of(Verdict verdict) {
  switch (verdict) {
    case Verdict::Pass:
      return "every number is inside its radius";
    case Verdict::Limit:
      return "the operator declares that it can be differentiated no further";
    case Verdict::Kink:
      return "the point is on a kink";
    case Verdict::Jump:
      return "the value jumps at the point";
    case Verdict::Unbounded:
      return "the slope grows without bound at the point";
    case Verdict::Unresolved:
      return "the numbers cannot decide";
    case Verdict::Vacuous:
      return "nothing was compared";
    case Verdict::Nondeterministic:
      return "equal calls give different bits";
    case Verdict::Fail:
      return "a value or derivative is wrong";
    case Verdict::Rejected:
      return "an error was raised instead of an answer";
    case Verdict::Nonfinite:
      return "a derivative is NaN or infinite where the value is smooth";
    case Verdict::Error:
      return "a crash or an unnamed exception";
  }
  return "";
}

std::string one_line(const Record& record) {
  std::string text = fmt::format("{}: {}: ", name_of(record.verdict), title_of(record));
  const std::string why = why_of(record);
  text += why.empty() ? meaning_of(record.verdict) : why;
  for (char& letter : text)  // of an exception, perhaps
    if (static_cast<unsigned char>(letter) < 0x20) letter = ' ';
  if (!record.is_failure()) return text;
  const Outcome& outcome = record.exhibit->outcome;
  if (outcome.guilty)
    text += fmt::format("; {}: expected {}, got {}", outcome.guilty->where,
                        number_text(outcome.guilty->expected, record.dtype),
                        number_text(outcome.guilty->got, record.dtype));
  if (!outcome.blame.empty()) text += "; blame: " + outcome.blame;
  return record.replay.empty() ? text : text + "; replay: " + record.replay;
}

std::string interruption_of(const std::vector<Record>& records) {
  if (records.empty()) return "";
  for (const auto& [name, value] : records.front().environment)
    if (name == kInterruption) return value;
  return "";
}

std::string apart_text(const Guilty& guilty) {
  const double apart = std::fabs(guilty.got - guilty.expected);
  if (!std::isfinite(apart)) return "further than numbers go";
  if (guilty.expected == 0) return fmt::format("{:.3g}, where 0 is expected", apart);
  return fmt::format("{:.3g} units in the last place ({:.2g} relative)", guilty.ulps,
                     apart / std::fabs(guilty.expected));
}

bool knows_nothing(Verdict verdict, const Undecided& undecided, double detectable) {
  const bool nothing = undecided.of > 0 && undecided.entries >= undecided.of;
  return detectable == 0 && (nothing || verdict == Verdict::Unresolved);
}

bool knows_nothing(const Record& record) {
  return knows_nothing(record.verdict, record.undecided.value_or(Undecided()), record.detectable);
}

bool states_power(std::string_view check, bool has_exact_slope) {
  if (check == kExactSlope) return true;
  return check_has_trait(check, kStatesPower) && !(has_exact_slope && check == "reverse");
}

std::vector<OperatorSummary> by_operator(const std::vector<Record>& records, const Gates& gates) {
  // A check that failed, or was not reached, has no power to speak of.
  const auto is_judged = [](const Record& record) {
    return !is_red(record.verdict) && record.comparisons > 0 && !knows_nothing(record);
  };
  std::set<std::pair<std::string_view, ScalarType>> exact;
  for (const Record& record : records)
    if (record.check == kExactSlope && is_judged(record)) exact.emplace(record.op, record.dtype);
  std::vector<OperatorSummary> all;
  for (const Record& record : records) {
    auto one = std::find_if(all.begin(), all.end(),
                            [&](const OperatorSummary& other) { return other.op == record.op; });
    if (one == all.end()) {
      OperatorSummary fresh;
      fresh.op = record.op;
      fresh.family = record.family;
      fresh.file = record.file;
      fresh.line = record.line;
      one = all.insert(all.end(), std::move(fresh));
    }
    one->cases = std::max(one->cases, record.cases);
    one->seconds += record.seconds;
    one->colour = std::max(one->colour, colour_of(record, gates));
    one->worst = std::max(one->worst, record.verdict);
    if (is_judged(record) &&
        states_power(record.check, exact.contains({record.op, record.dtype}))) {
      double& detectable = one->detectable[record.dtype];
      detectable = std::max(detectable, record.detectable);
    }
    one->records.push_back(&record);
  }
  return all;
}

std::map<Verdict, int64_t> counts_of(const std::vector<Record>& records) {
  std::map<Verdict, int64_t> counts;
  for (const Record& record : records) ++counts[record.verdict];
  return counts;
}

std::string counts_text(const std::map<Verdict, int64_t>& counts) {
  std::string text;
  for (const auto& [verdict, count] : counts) {
    std::string name(name_of(verdict));
    for (char& letter : name) letter = static_cast<char>(std::tolower(letter));
    text += fmt::format("{}{} {}", text.empty() ? "" : ", ", grouped(count), name);
  }
  return text.empty() ? "none" : text;
}

}  // namespace notape::verify
