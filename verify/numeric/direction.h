// Directions: a sign times a number of 20 bits per entry, so that steps along them by powers of two
// are exact in every dtype that is differenced, and do not fit into short periods. Another number
// for every entry, so that equal errors of two do not cancel.
// Signs of both kinds, so that a lone wrong entry cannot hide in the sum of the others.
#pragma once
#include "verify/generate/drawn_case.h"

namespace notape::verify {

/// One part per argument; an empty part stays where it is.
struct Direction {
  std::vector<Numbers> parts;

  static Direction none(const DrawnCase& drawn) {
    return {std::vector<Numbers>(drawn.arguments.size())};
  }
};

/// The size of a step in an entry: that of the entry itself, which resolves badly scaled inputs, or
/// that of the argument's median entry, which resolves points near zero.
enum class Scaling : uint8_t { Entry, Typical };

/// Random signs, for all real arguments or for `only` one. Infinite entries stay where they are.
Direction make_direction(const DrawnCase& drawn, Scaling scaling, uint32_t stream, int only = -1);
/// One entry of one argument.
Direction one_hot(const DrawnCase& drawn, std::size_t argument, std::size_t entry);

/// u in steps no longer than the entry itself, or 1 if that is more: beside entries of 1e8 a zero
/// moves by as much, and past all that its sigmoid does. None if no step is longer.
std::optional<Direction> within_own_size(const DrawnCase& drawn, Direction u);

/// The median size of the finite entries that are not zero, 1 if there are none.
double typical_size(const Numbers& values);
/// 2^floor(log2 |x|)
double power_of_two_below(double x);

}  // namespace notape::verify
