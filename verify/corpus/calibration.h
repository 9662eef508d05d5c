// Calibration: the verifier on the whole corpus, seed after seed. Is what it says of right and of
// wrong functions true?
#pragma once
#include "verify/corpus/trial.h"

namespace notape::verify::corpus {

/// An entry, and which of its functions are tried.
struct Chosen {
  const Entry* entry = nullptr;
  bool right = true;
  std::vector<const Mistake*> mistakes = {};
};

/// Entries by name, family or glob; "gelu_tanh/constant" is one mistake, "gelu_tanh/right" the
/// right function alone, "*/strided" a mistake wherever it is made. None: everything. Throws
/// UnknownOperator for a selector that matches nothing.
std::vector<Chosen> choose(const std::vector<Entry>& entries,
                           const std::vector<std::string>& selectors);

struct CalibrationOptions {
  uint64_t first_seed = 1;
  int seeds = 100;
  int jobs = 0;  ///< forked processes that share the work; 0: this process does it
  std::function<void(const std::string& entry)> progress = {};  ///< after every entry and seed
};

/// What happened to one mistake over all seeds.
struct MistakeTally {
  const Mistake* mistake = nullptr;
  int wrong = 0;  ///< trials in which its derivatives are not those of the right function
  int found = 0, harmless = 0, undecided = 0, small = 0, missed = 0;
  double least = 0, most = 0;  ///< how wrong it was, where it was wrong
};

struct EntryTally {
  const Entry* entry = nullptr;
  int trials = 0;  ///< of the right function
  int64_t checks = 0, unresolved = 0;
  int false_alarms = 0;
  double seconds = 0;
  std::vector<MistakeTally> mistakes = {};
};

/// A trial that is not as it should be.
struct Violation {
  enum class What : uint8_t { FalseAlarm, Missed, Contradicted, Proven, NeverFound, Crash };
  What what = What::FalseAlarm;
  const Entry* entry = nullptr;
  const Mistake* mistake = nullptr;  ///< null: the right function
  uint64_t seed = 0;
  std::string detail = {};
  std::string text = {};  ///< the verifier's words
};
std::string_view name_of(Violation::What what);

struct Calibration {
  CalibrationOptions options;
  std::vector<EntryTally> entries = {};
  std::vector<Violation> violations = {};
  double seconds = 0;
  std::string interrupted = {};  ///< "SIGINT after 100 of 5000 trials"; empty: it came to its end

  int count(Violation::What what) const;
  /// Of the checks of right functions.
  double unresolved_share() const;
  /// It came to its end without a violation, and at most 2 % of the checks of right functions are
  /// undecided.
  bool accepted() const;
};
inline constexpr double kMostUnresolved = 0.02;
/// A mistake that is further off somewhere must be found at some seed: to be undecided wherever one
/// is wrong is no answer, except for roundings to float32.
inline constexpr double kSeventhDigit = 1e-7;

Calibration calibrate(const std::vector<Chosen>& chosen, const CalibrationOptions& options);

}  // namespace notape::verify::corpus
