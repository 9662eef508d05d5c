#include "verify/checks/sides.h"

#include <algorithm>

#include "verify/checks/opaque_reference.h"
#include "verify/numeric/tolerance.h"

namespace notape::verify {

std::optional<Sides> sides_of(const Subject& subject, const Direction& u, const Numbers& v,
                              Wide claimed, ScalarType dtype) {
  const Ladder ladder = opaque_ladder(subject, u, v);
  const Wide size = is_finite(claimed) ? magnitude(claimed) : Wide(0);
  const LocalView view = look(ladder.samples, is_finite(claimed) ? claimed : Wide(0));
  const bool smooth = view.shape == LocalShape::Smooth && ladder.slope.finite;
  if (view.shape != LocalShape::Kink && !smooth) return {};
  Sides sides;
  sides.kink = !smooth;
  sides.below = smooth ? ladder.slope.value : view.below;
  sides.above = smooth ? ladder.slope.value : view.above;
  sides.margin = (smooth ? Wide(kLadderFactor) * ladder.slope.error : view.widening) +
                 Wide(rounding_factor(dtype) * epsilon_of(dtype)) *
                     std::max({size, magnitude(sides.below), magnitude(sides.above)});
  return sides;
}

}  // namespace notape::verify
