// A walk: every number of a type, or every so many, through a unary elementwise operator, and its
// value, slope and second derivative beside the exact ones. Or every pair of numbers of 16 bits
// through a binary one, and its value and two slopes.
#pragma once
#include <string>
#include <vector>

#include "verify/exhaustive/exact.h"

namespace notape::verify::exhaustive {

/// The largest error of a kind, in units in the last place, and where it is.
struct Worst {
  double places = 0, at = 0, got = 0, exact = 0;
  double other = 0;  ///< the second number of a pair
};

/// Of one quantity; that of the slope by the second number of a pair stands where a second
/// derivative would.
struct Finding {
  bool is_there = false;
  Worst worst;
  /// The same in last places of the terms, where these cancel, and beyond what the row declares to
  /// be lost in its result (ops/spec/known_by_result.h): what is judged.
  Worst judged;
  uint64_t odd = 0;  ///< NaN or infinite where the exact one is not, or the other way round
  Worst odd_first;
  uint64_t unknown = 0;  ///< not judged: on kinks, and where the reference gives none
  uint64_t zeros = 0;    ///< zeros of another sign than the number that was rounded to them
};

struct Findings {
  uint64_t numbers = 0, exact = 0, by_float64 = 0;  ///< in 113 bits; by the operator in float64
  std::array<Finding, kQuantities> of;
  uint64_t misplaced = 0;  ///< other bits in another loop
  double misplaced_at = 0;
  std::size_t misplaced_way = 0;  ///< way_name()

  void add(const Findings& other);
};

struct Range {
  uint64_t first = 0, stride = 1, count = 0;  ///< of bit patterns
};
/// How many bit patterns the type has.
uint64_t patterns_of(ScalarType dtype);
/// The number that has these bits.
double number_of_bits(uint64_t bits, ScalarType dtype);
uint64_t bits_of_number(double x, ScalarType dtype);

/// A row's cases of one floating argument that are elementwise: that of the lowest choices first,
/// then up to `others` with other labels. None for a row of another kind.
std::vector<OpCase> unary_cases(const OpSpec& spec, std::size_t others);

/// The same of two arguments: one case, or none.
std::vector<OpCase> binary_cases(const OpSpec& spec);

/// `range`: of the patterns of a pair, 32 bits of which the first number has the upper half. Of
/// more than four million, every 64th is judged in 113 bits, the others beside the same operator in
/// float64.
Findings walk_pairs(const OpSpec& spec, const OpCase& one, ScalarType dtype, const Range& range);

/// The first of every eight batches goes all ways.
Findings walk(const OpSpec& spec, const OpCase& one, ScalarType dtype, const Range& range);

}  // namespace notape::verify::exhaustive
