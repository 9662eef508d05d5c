// What several reports say alike: a verdict in words, a record in one line, numbers over a run.
#pragma once
#include <map>

#include "verify/report/record.h"

namespace notape::verify {

/// What the check of bits in another process is called, which is none of a case and so not in
/// all_checks().
inline constexpr const char* kFreshProcess = "fresh-process";

/// "a value or derivative is wrong"
std::string_view meaning_of(Verdict verdict);
/// "FAIL: tanh/reverse in float64: ... (expected 1, got 2); replay: notape verify run ..."
std::string one_line(const Record& record);

/// "SIGINT after 3 of 88 operators" if the run did not come to its end; the environment keeps it.
inline constexpr const char* kInterruption = "interrupted";
/// What of the environment says which plugin it was.
inline constexpr const char* kPlugin = "plugin";
std::string interruption_of(const std::vector<Record>& records);

/// Whether a check says no number because it found nothing out about any entry, or could not
/// decide: that is no power, and least of all that of an exact comparison.
bool knows_nothing(Verdict verdict, const Undecided& undecided, double detectable);
bool knows_nothing(const Record& record);

/// Whether a check's power is the operator's: of `reverse` not where `exact-slope`, which is
/// sharper, has judged the same.
bool states_power(std::string_view check, bool has_exact_slope);

/// How far apart the numbers of an entry are: "4 units in the last place (1e-15 relative)".
std::string apart_text(const Guilty& guilty);

/// An operator's records together.
struct OperatorSummary {
  std::string op, family, file;
  int64_t line = 0, cases = 0;
  Colour colour = Colour::Green;
  Verdict worst = Verdict::Pass;
  double seconds = 0;
  std::map<ScalarType, double> detectable;  ///< in a derivative, per dtype
  std::vector<const Record*> records;
};
/// In the order of `records`, which must outlive it.
std::vector<OperatorSummary> by_operator(const std::vector<Record>& records, const Gates& gates);

std::map<Verdict, int64_t> counts_of(const std::vector<Record>& records);
/// "1,480 pass, 2 unresolved"
std::string counts_text(const std::map<Verdict, int64_t>& counts);

}  // namespace notape::verify
