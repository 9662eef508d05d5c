// Check: one question asked of every case of every operator.
#pragma once
#include <span>

#include "verify/checks/subject.h"

namespace notape::verify {

/// Also judged in 16 bits, where at most a few roundings explain a difference. In derivatives of
/// derivatives, kinks and tails the roundings of the formulas themselves would be the larger part
/// of every difference.
inline constexpr unsigned kIn16Bits = 1;
/// If inputs are given, one case is enough.
inline constexpr unsigned kOnce = 2;

struct Check {
  const char* name;
  const char* question;
  bool (*applies)(const Subject& subject);
  Outcome (*run)(const Subject& subject);
  unsigned traits = 0;
  /// The full story of comparison Outcome::weakest, for checks that have directions.
  Evidence (*evidence)(const Subject& subject, int which) = nullptr;
};

/// Whether it is asked of this case at all.
bool is_asked(const Check& check, const Subject& subject);
/// All checks, in the order in which a case goes through them.
std::span<const Check> all_checks();
/// The check of this name, null if there is none.
const Check* find_check(std::string_view name);
/// Whether the row is of one of the library's families. Functions of users' may be compositions,
/// for which mixing types rounds on the way, and may have no forward mode.
bool is_built_in(const OpSpec& spec);
/// `check` on `subject`; what is thrown becomes a verdict.
Outcome run_check(const Check& check, const Subject& subject);
/// The verdict on the exception being handled.
Outcome outcome_of_exception(const OpSpec& spec);

}  // namespace notape::verify
