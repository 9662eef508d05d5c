// Random programs: mostly legal, full of aliases, with about one statement in twenty deliberately
// against the rules.
#pragma once
#include <optional>

#include "verify/alias/draws.h"
#include "verify/alias/trial.h"

namespace notape::verify::alias {

/// Writes a program and runs it as it goes, because what makes sense next depends on what there is.
/// The same program gives the same result through Trial::run.
class Generator {
 public:
  explicit Generator(Trial& trial) : trial_(trial), draws_(trial.oracle()) {}
  /// Returns the trial's result; the program is in `program`.
  const TrialResult& run(uint64_t seed, Program& program);
  /// The same with what the executable model of the rules knows, and no more.
  const TrialResult& run_plain(uint64_t seed, Program& program);

 private:
  const Oracle& oracle() const { return trial_.oracle(); }
  void begin(uint64_t seed, Program& program);
  bool add(const Statement& s, bool may_be_illegal = false);
  bool add(const Kind& what) { return add(Statement{what}); }
  void add_tensors();
  void add_random();
  void add_gradient();
  void fill_table();
  Statement propose();
  std::optional<Kind> propose_plain();
  Kind propose_plain_slice(Slot a);
  std::optional<Kind> propose_plain_write(Slot a);

  Trial& trial_;
  Draws draws_;
  Program* program_ = nullptr;
};

}  // namespace notape::verify::alias
