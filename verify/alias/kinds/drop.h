// Tensors that go out of scope.
#pragma once
#include "verify/alias/kinds/kind.h"

namespace notape::verify::alias {

/// a goes out of scope
struct Drop {
  static constexpr bool kIgnoresGradMode = true, kIsNoUse = true;
  Slot a = kNoSlot;

  static Drop propose(Draws&, Slot a) { return {a}; }
  Expectation expect(const Oracle&, bool) const { return {}; }
  void apply(Oracle& oracle, bool) const { oracle.set(a, Alias()); }
  void run(Executor& executor) const { executor.held(a).reset(); }
  std::string text() const { return fmt::format("t{}.reset();", a); }
  Parts parts() { return {nullptr, {&a}, {}, {}}; }
  bool operator==(const Drop&) const = default;
};

}  // namespace notape::verify::alias
