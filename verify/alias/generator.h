// Random programs: mostly legal, full of aliases, with about one statement in twenty deliberately
// against the rules.
#pragma once
#include "verify/alias/trial.h"

namespace notape::verify::alias {

/// SplitMix64: a program's seed is all there is to it.
class Random {
 public:
  explicit Random(uint64_t seed) : state_(seed) {}
  uint64_t next();
  /// Uniform in [0, bound).
  int below(int bound) {
    return static_cast<int>((next() >> 32) * static_cast<uint64_t>(bound) >> 32);
  }
  bool percent(int chance) { return below(100) < chance; }

 private:
  uint64_t state_;
};

/// Writes a program and runs it as it goes, because what makes sense next depends on what there is.
/// The same program gives the same result through Trial::run.
class Generator {
 public:
  explicit Generator(Trial& trial) : trial_(trial) {}
  /// Returns the trial's result; the program is in `program`.
  const TrialResult& run(uint64_t seed, Program& program);
  /// The same with what the executable model of the rules knows, and no more.
  const TrialResult& run_plain(uint64_t seed, Program& program);

 private:
  const Oracle& oracle() const { return trial_.oracle(); }
  bool add(const Statement& s, bool may_be_illegal = false);
  void add_tensor(Code code, int shape);
  void add_random();
  void add_gradient();
  void fill_table();
  Statement propose();
  Statement propose_view();
  Statement propose_index(Code code);
  uint8_t any_slot();
  /// Mostly one that may be written.
  uint8_t slot_to_write();
  uint8_t slot_for_result();
  /// A defined slot whose shape fits that of `a`, if one is found quickly.
  uint8_t partner_of(uint8_t a);

  Trial& trial_;
  Random random_{0};
  Program* program_ = nullptr;
  bool illegal_ = false;  ///< this statement may break the rules
};

}  // namespace notape::verify::alias
