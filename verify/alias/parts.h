// What all kinds of statements are made of: slots for tensors, and small numbers.
#pragma once
#include <array>
#include <cstdint>

namespace notape::verify::alias {

using Slot = uint8_t;

inline constexpr int kSlots = 20;
inline constexpr Slot kNoSlot = 255;

using Numbers = std::array<int8_t, 6>;

/// The fields of a statement by what they are.
struct Parts {
  Slot* out = nullptr;
  /// Operands; and where a view's second result goes, since what was there is let go.
  std::array<Slot*, 2> operands{};
  Slot* second_out = nullptr;  ///< of a Call
  std::array<int8_t*, 6> numbers{};
};

/// What a program needs from its first statement on.
struct Features {
  bool tangents = false;  ///< forward mode: a level is open
  bool second = false;    ///< second derivatives are asked for

  bool curves() const { return tangents || second; }
};

}  // namespace notape::verify::alias
