// Sweeps of an elementwise operator out to where its numbers end: its value and its derivatives in
// reverse and in forward mode at many points at once, against the exact ones in 113 bits.
#pragma once
#include "verify/checks/subject.h"
#include "verify/numeric/thresholds.h"

namespace notape::verify {

/// One number of a sweep: a value, or a derivative by one argument.
struct TailEntry {
  enum class Kind : uint8_t { Value, Reverse, Forward };
  Kind kind;
  std::size_t argument;  ///< of a derivative
  Numbers point;         ///< one number per argument
  double expected = 0, got = 0;
  double places = 0;   ///< how far apart they are, in units in the last place
  double excused = 0;  ///< as many the row declares to be lost
  bool is_right() const { return places <= kTailPlaces + excused; }
  std::string text(ScalarType dtype) const;
};

/// Whether a case can be swept: elementwise, with a reference that takes dual numbers.
bool has_tails(const OpCase& one);

/// The columns hold one number per point, for every argument.
std::vector<TailEntry> sweep(const Subject& subject, const std::vector<Numbers>& columns);
/// The same at `count` points chosen by the case's key.
std::vector<Numbers> some_columns(const Subject& subject, std::size_t count);
/// At all points there are; several arguments meet in `rounds` random ways.
std::vector<Numbers> all_columns(const Subject& subject, int rounds);

}  // namespace notape::verify
