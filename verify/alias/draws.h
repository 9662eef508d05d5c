// Draws: random choices about the tensors that a program has so far.
#pragma once
#include "verify/alias/oracle.h"

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

/// A number as statements have it.
constexpr int8_t small(int value) { return static_cast<int8_t>(value); }

class Draws {
 public:
  explicit Draws(const Oracle& oracle) : oracle_(oracle) {}
  void begin(uint64_t seed) { random_ = Random(seed); }

  int below(int bound) { return random_.below(bound); }
  bool percent(int chance) { return random_.percent(chance); }
  template <typename Rows>
  uint8_t row_of(const Rows& rows) {
    return static_cast<uint8_t>(below(static_cast<int>(rows.size())));
  }
  Slot any_slot();
  /// Mostly one that may be written.
  Slot slot_to_write();
  Slot slot_for_result();
  /// A defined slot whose shape fits that of `a`, if one is found quickly.
  Slot partner_of(Slot a);
  /// -1 to 1.
  int8_t dimension() { return small(below(3) - 1); }
  int8_t pattern() { return small(below(11)); }

  const Window& window_of(Slot a) const { return oracle_.alias(a).window; }
  const Oracle& oracle() const { return oracle_; }

  bool breaks_rules = false;  ///< this statement may

 private:
  const Oracle& oracle_;
  Random random_{0};
};

}  // namespace notape::verify::alias
