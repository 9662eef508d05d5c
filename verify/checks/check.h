// Check: one question asked of every case of every operator.
#pragma once
#include <span>

#include "verify/checks/subject.h"

namespace notape::verify {

struct Check {
  const char* name;
  const char* question;
  bool (*applies)(const Subject& subject);
  Outcome (*run)(const Subject& subject);
  /// The full story of comparison Outcome::weakest, for checks that have directions.
  Evidence (*evidence)(const Subject& subject, int which) = nullptr;
};

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

// Each is defined in the file of its name.
Outcome check_value(const Subject& subject);
Outcome check_reverse(const Subject& subject);
Evidence reverse_evidence(const Subject& subject, int which);
Outcome check_forward_mode(const Subject& subject);
Evidence forward_mode_evidence(const Subject& subject, int which);
Outcome check_second_order(const Subject& subject);
Evidence second_order_evidence(const Subject& subject, int which);
Outcome check_layouts(const Subject& subject);
Outcome check_subsets(const Subject& subject);
Outcome check_repeat(const Subject& subject);
Outcome check_in_place(const Subject& subject);
Outcome check_no_grad(const Subject& subject);

}  // namespace notape::verify
