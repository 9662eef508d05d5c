// Outcome: what a check found on one case, with the evidence.
#pragma once
#include <optional>
#include <string>

#include "verify/checks/evidence.h"
#include "verify/numeric/number_text.h"
#include "verify/verdict.h"

namespace notape::verify {

/// The entry that is wrong, or most wrong.
struct Guilty {
  std::string where;  ///< "output[0, 2]", "gradient of argument 1 at [3]"
  double expected = 0, got = 0;
  double ulps = 0;  ///< ulps_between() them

  static Guilty of(std::string where, double expected, double got, ScalarType dtype);
};

/// Entries of a gradient that nothing was found out about: their values do not move in any step, or
/// they are infinite.
struct Undecided {
  int64_t entries = 0, of = 0;
  double slope = 0;  ///< what could have been their slope unseen, by absolute size

  /// The worse of two cases.
  void add(const Undecided& other);
  /// "3 of 20 entries undecided: ..."; empty if there are none.
  std::string text() const;
};

/// Entries found to be 0 as far as differences go, where the gradient is something else: a point
/// that is stationary but for roundings, or a slope far below those of longer steps.
struct NearZero {
  int64_t entries = 0, of = 0;
  double slope = 0;  ///< theirs could have been as large as that

  /// The worse of two cases.
  void add(const NearZero& other);
  /// "2 of 20 entries taken for 0: ..."; empty if there are none.
  std::string text() const;
};

struct Outcome {
  Verdict verdict = Verdict::Pass;
  std::string reason = {};   ///< a word: "value", "shape", "detached", ...
  std::string message = {};  ///< one sentence
  std::string blame = {};    ///< who is guilty, as far as the legs can tell
  std::optional<Guilty> guilty = {};
  std::vector<Rung> rungs = {};  ///< the numeric leg of the answer

  int64_t comparisons = 0;
  int64_t unresolved = 0;  ///< of the comparisons
  /// The largest relative error that could have passed, over the resolved comparisons.
  double detectable = 0;
  Undecided undecided = {};
  NearZero near_zero = {};
  /// Which comparison of the check that was, or which one is wrong; -1 if it does not count them.
  int weakest = -1;

  static Outcome of(Verdict verdict, std::string reason, std::string message) {
    return {.verdict = verdict, .reason = std::move(reason), .message = std::move(message)};
  }
};

/// |got - expected| in units in the last place of `expected` in `dtype`.
double ulps_between(double expected, double got, ScalarType dtype);

}  // namespace notape::verify
