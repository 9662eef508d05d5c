// Calls of user functions.
#pragma once
#include "verify/alias/kinds/kind.h"

namespace notape::verify::alias {

/// A call of a user function, with up to two results beside what it writes.
struct Call {
  Slot out = kNoSlot, second_out = 0, a = kNoSlot, b = kNoSlot;
  uint8_t function = 0;  ///< in function_kinds()

  static Call propose(Draws& draws, Slot a);
  Expectation expect(const Oracle& oracle, bool no_grad) const;
  void apply(Oracle& oracle, bool no_grad) const;
  /// It was refused, but had written already.
  void apply_refused(Oracle& oracle) const;
  void run(Executor& executor) const;
  std::string text() const;
  Parts parts();
  std::vector<Call> simpler() const;
  bool operator==(const Call&) const = default;
};

}  // namespace notape::verify::alias
