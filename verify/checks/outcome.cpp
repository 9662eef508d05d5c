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

double ulps_between(double expected, double got, ScalarType dtype) {
  if (expected == got) return 0;
  if (!std::isfinite(expected) || !std::isfinite(got)) return HUGE_VAL;
  const double size = std::max(std::abs(expected), smallest_of(dtype));
  return std::abs(got - expected) / std::ldexp(epsilon_of(dtype), std::ilogb(size));
}

std::string coordinates(const std::vector<int64_t>& sizes, std::size_t position) {
  std::vector<int64_t> index(sizes.size());
  auto rest = static_cast<int64_t>(position);
  for (std::size_t d = sizes.size(); d-- > 0;) {
    index[d] = rest % sizes[d];
    rest /= sizes[d];
  }
  return to_string(index);
}

std::string number_text(double value, ScalarType dtype) {
  return fmt::format("{:.{}g}", value, dtype == kFloat32 ? 9 : 17);
}

}  // namespace notape::verify
