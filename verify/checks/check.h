// Check: one question asked of every case of every operator. A new one is a file with a function
// `Outcome check_NAME(const Subject&)`, and its declaration and row in check.cpp.
#pragma once
#include <span>

#include "verify/checks/subject.h"

namespace notape::verify {

// Traits, which the row alone says of a check.

/// Also judged in 16 bits, where at most a few roundings explain a difference. In derivatives
/// of derivatives, kinks and tails the roundings of the formulas themselves would be the larger
/// part of every difference.
inline constexpr unsigned kInBFloat16 = 1u << 0, kInFloat16 = 1u << 1,
                          kIn16Bits = kInBFloat16 | kInFloat16;
/// If inputs are given, one case is enough.
inline constexpr unsigned kOnce = 1u << 2;
// Only of cases that are differentiable, of operators that have a reference, have none, are built
// in, are a user's, of results that have entries.
inline constexpr unsigned kDifferentiable = 1u << 3, kReferenced = 1u << 4, kOpaque = 1u << 5,
                          kBuiltIn = 1u << 6, kOfUsers = 1u << 7, kNotEmpty = 1u << 8;
/// Tables state the largest error in a derivative that these could have missed.
inline constexpr unsigned kStatesPower = 1u << 9;
/// Judged all the same where these checks are red.
inline constexpr unsigned kDespiteRepeat = 1u << 10, kDespiteKept = 1u << 11,
                          kDespiteConcurrent = 1u << 12;
/// Holds the gradient against the slope of the value, which a declared surrogate is not.
inline constexpr unsigned kOfSlope = 1u << 16;
/// Explains what others find if bits are unequal, and not by another verdict.
inline constexpr unsigned kExplainsUnequalBits = 1u << 13;
/// What `sizes` asks of longer cases: not judged there where it is red for short ones.
inline constexpr unsigned kOfShortCases = 1u << 14, kOfLongerCases = 1u << 15;

/// What few rows say.
struct CheckDetails {
  static constexpr unsigned kExplainsNothing = ~0u;

  /// Expensive checks look at a share of the cases, chosen by their key; the simplest one has key
  /// 0.
  uint32_t one_in = 1;
  /// Of the derivative that it judges: says nothing where one of a lower order is wrong.
  int order = 0;
  /// Where this is red, other checks without one of these traits would say what follows from it.
  unsigned explains_all_but = kExplainsNothing;
  /// The full story of comparison Outcome::weakest, for checks that have directions.
  Evidence (*evidence)(const Subject& subject, int which) = nullptr;
};

struct Check {
  const char* name;
  const char* question;
  Outcome (*run)(const Subject& subject);
  unsigned traits = 0;
  /// What else must hold of a case; null: nothing.
  bool (*applies)(const Subject& subject) = nullptr;
  CheckDetails details = {};
};

/// Whether it is asked of this case at all.
bool is_asked(const Check& check, const Subject& subject);
/// All checks, in the order in which a case goes through them.
std::span<const Check> all_checks();
/// The check of this name, null if there is none.
const Check* find_check(std::string_view name);
/// Whether the check of this name, if there is one, has the trait.
bool check_has_trait(std::string_view name, unsigned trait);
/// Whether the row is of one of the library's families. Functions of users' may be compositions,
/// for which mixing types rounds on the way, and may have no forward mode.
bool is_built_in(const OpSpec& spec);
/// `check` on `subject`; what is thrown becomes a verdict.
Outcome run_check(const Check& check, const Subject& subject);
/// The verdict on the exception being handled.
Outcome outcome_of_exception(const OpSpec& spec);

}  // namespace notape::verify
