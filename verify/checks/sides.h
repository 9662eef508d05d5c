// Sides: the slopes on both sides of a point, between which a derivative on a kink must lie where
// nobody says which of them it should be.
#pragma once
#include "verify/checks/subject.h"

namespace notape::verify {

struct Sides {
  Wide below = 0, above = 0;
  Wide margin = 0;    ///< how far off they, and the derivative, may be
  bool kink = false;  ///< false: both are the slope of a smooth function

  Wide low() const { return below < above ? below : above; }
  Wide high() const { return below < above ? above : below; }
  bool hold(Wide derivative) const {
    return derivative >= low() - margin && derivative <= high() + margin;
  }
  Wide nearest(Wide derivative) const { return derivative > high() ? high() : low(); }
};

/// Of <v, f> along u, from the operator's own values in float64, for a derivative in `dtype` that
/// is claimed to be `claimed`; none where the sides cannot be measured.
std::optional<Sides> sides_of(const Subject& subject, const Direction& u, const Numbers& v,
                              Wide claimed, ScalarType dtype);

}  // namespace notape::verify
