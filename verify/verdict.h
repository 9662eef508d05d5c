// Verdict: what one check says about one operator. Never a bool: a check that could not decide, or
// compared nothing, must not look like one that passed.
#pragma once
#include <cstdint>
#include <string_view>

namespace notape::verify {

/// Ordered by severity, so that the worst of several is their maximum.
enum class Verdict : uint8_t {
  Pass,        ///< every number inside its radius, which is small enough to be worth something
  Limit,       ///< the operator declares that it goes no further, and said so
  Kink,        ///< the point is on a kink and the derivative follows the convention
  Jump,        ///< the value is discontinuous there, as declared
  Unbounded,   ///< the slope grows without bound there, as declared
  Unresolved,  ///< the numbers cannot decide
  Vacuous,     ///< nothing was compared
  Nondeterministic,  ///< equal inputs, unequal bits
  Fail,              ///< outside the radius, or a gradient of wrong shape, dtype or definedness
  Rejected,          ///< the library raised a named error instead of an answer
  Nonfinite,         ///< a derivative is NaN or infinite where the value is smooth
  Error,             ///< a crash or an unnamed exception
};

/// "PASS"
std::string_view name_of(Verdict verdict);
/// Whether the verdict means that something is wrong.
bool is_red(Verdict verdict);

}  // namespace notape::verify
