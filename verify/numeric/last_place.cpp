#include "verify/numeric/last_place.h"

#include <quadmath.h>

#include <algorithm>
#include <cmath>

namespace notape::verify {
namespace {

struct Format {
  int bits, lowest;  ///< of the mantissa; the exponent of the least subnormal number
};
Format format_of(ScalarType dtype) {
  const ElementType& type = element_type(dtype);
  return {type.digits, type.lowest_exponent};
}

}  // namespace

double largest_of(ScalarType dtype) {
  const ElementType& type = element_type(dtype);
  return std::ldexp(2 - std::ldexp(1, 1 - type.digits), type.highest_exponent);
}

Wide last_place(Wide x, ScalarType dtype) {
  const Format format = format_of(dtype);
  int exponent = 0;
  frexpq(x, &exponent);
  return ldexpq(1, x == 0 ? format.lowest : std::max(exponent - format.bits, format.lowest));
}

double last_places_between(Wide exact, double got, ScalarType dtype) {
  if (std::isnan(got) || isnanq(exact)) return std::isnan(got) && isnanq(exact) ? 0 : HUGE_VAL;
  const Wide largest = largest_of(dtype);
  const bool beyond = magnitude(exact) > largest;
  if (beyond) exact = exact < 0 ? -largest : largest;
  if (std::isinf(got)) {
    // From half a unit below the end on, an infinity is the nearest there is.
    const bool near = magnitude(exact) + 8 * last_place(largest, dtype) > largest;
    return near && (got < 0) == (exact < 0) ? 0 : HUGE_VAL;
  }
  return static_cast<double>(magnitude(Wide(got) - exact) / last_place(exact, dtype));
}

}  // namespace notape::verify
