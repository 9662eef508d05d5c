#include "verify/checks/outcome.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "verify/numeric/tolerance.h"

namespace notape::verify {

void Undecided::add(const Undecided& other) {
  if (other.entries > entries || of == 0) {
    entries = other.entries;
    of = other.of;
  }
  slope = std::max(slope, other.slope);
}

void NearZero::add(const NearZero& other) {
  if (other.entries > entries) *this = {other.entries, other.of, std::max(slope, other.slope)};
  slope = std::max(slope, other.slope);
}

std::string Undecided::text() const {
  if (entries == 0) return "";
  return fmt::format(
      "{} of {} entries undecided: values do not move there, or too little, and slopes up to "
      "{:.0e} would not have been seen",
      entries, of, slope);
}

std::string NearZero::text() const {
  if (entries == 0) return "";
  return fmt::format("{} of {} entries taken for 0: slopes up to {:.0e} would not have been seen",
                     entries, of, slope);
}

Guilty Guilty::of(std::string where, double expected, double got, ScalarType dtype) {
  return {std::move(where), expected, got, ulps_between(expected, got, dtype)};
}

double ulps_between(double expected, double got, ScalarType dtype) {
  if (expected == got) return 0;
  if (!std::isfinite(expected) || !std::isfinite(got)) return HUGE_VAL;
  const double size = std::max(std::abs(expected), smallest_of(dtype));
  return std::abs(got - expected) / std::ldexp(epsilon_of(dtype), std::ilogb(size));
}

}  // namespace notape::verify
