#include "verify/numeric/direction.h"

#include <algorithm>
#include <cmath>

namespace notape::verify {

double power_of_two_below(double x) { return std::ldexp(1.0, std::ilogb(x)); }

double typical_size(const Numbers& values) {
  Numbers sizes;
  for (double value : values)
    if (value != 0) sizes.push_back(std::abs(value));
  if (sizes.empty()) return 1;
  const auto middle = sizes.begin() + static_cast<std::ptrdiff_t>(sizes.size() / 2);
  std::nth_element(sizes.begin(), middle, sizes.end());
  return *middle;
}

Direction make_direction(const DrawnCase& drawn, Scaling scaling, uint32_t stream, int only) {
  Direction direction = Direction::none(drawn);
  for (std::size_t a = 0; a < drawn.arguments.size(); ++a) {
    if (!drawn.arguments[a].is_real() || (only >= 0 && static_cast<std::size_t>(only) != a))
      continue;
    const Numbers& values = drawn.arguments[a].values;
    const double typical = power_of_two_below(typical_size(values));
    Numbers& part = direction.parts[a];
    for (std::size_t i = 0; i < values.size(); ++i) {
      const bool own = scaling == Scaling::Entry && values[i] != 0;
      const double size = own ? power_of_two_below(values[i]) : typical;
      const uint32_t bits = keyed_bits(drawn.key, stream * 64 + static_cast<uint32_t>(a), i);
      part.push_back(bits & 1 ? size : -size);
    }
  }
  return direction;
}

Direction one_hot(const DrawnCase& drawn, std::size_t argument, std::size_t entry) {
  Direction direction = Direction::none(drawn);
  const Numbers& values = drawn.arguments[argument].values;
  direction.parts[argument].assign(values.size(), 0);
  direction.parts[argument][entry] =
      power_of_two_below(values[entry] != 0 ? values[entry] : typical_size(values));
  return direction;
}

}  // namespace notape::verify
