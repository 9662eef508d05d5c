// Local shape: what a function of one variable is like at one point (smooth, a kink, a jump, an
// unbounded slope), found from values alone. The one-sided slopes at falling steps h decide:
//   D+ = (phi(h) - phi(0)) / h,  D- = (phi(0) - phi(-h)) / h.
// At a jump one grows like 1/h, at a cusp like h^-q; at a kink |D+ - D-| stays, where smooth
// functions have it go to zero like h.
#pragma once
#include <algorithm>
#include <functional>
#include <vector>

#include "verify/numeric/wide_case.h"

namespace notape::verify {

enum class LocalShape : uint8_t { Smooth, Kink, Jump, Unbounded, Undecided };

std::string_view name_of(LocalShape shape);

/// Values around a point; those of computations in double are as exact here.
struct Samples {
  struct Level {
    int exponent;  ///< h = 2^-exponent
    Wide below, above;
    Wide inner = 0;    ///< how far roundings inside the function move these two
    Wide doubted = 0;  ///< how far other modes do, where that is not believed of roundings
  };
  std::vector<Level> levels;  ///< from the largest step to the smallest
  Wide here = 0;
  Wide noise = 0;  ///< how far rounding errors scatter values, at least
  Wide stair =
      0;  ///< of a staircase that is no rounding of float64: the height of its lowest stair
  bool probed = false;  ///< whether `inner` has been measured
  Wide epsilon = 0;     ///< the unit of the arithmetic behind them
  Wide largest = 0;     ///< |phi|

  /// The largest finite one-sided slope.
  Wide steepest() const;
  /// The same of steps that move values by more than noise, as that of a jump.
  Wide steepest_seen() const;
  /// Of values at that level.
  Wide noise_at(const Level& level) const;
  /// At the level of this exponent, or the nearest.
  Wide noise_at(int exponent) const;
  /// Every value is the same.
  bool constant() const;
  /// Those at the smallest step are the same as at the point, as after a rounding.
  bool stand_still() const { return levels.back().above == here && levels.back().below == here; }
};

struct LocalView {
  LocalShape shape = LocalShape::Undecided;
  Wide below = 0, above = 0;                  ///< D- and D+ at the finest step free of noise
  double growth_below = 0, growth_above = 0;  ///< q
  bool has_below = false, has_above = false;  ///< whether that side is in the domain
  Wide widening = 0;                          ///< how far noise may have moved D- and D+
};

/// Nothing says otherwise.
inline bool is_smooth(const LocalView& view) {
  return view.shape == LocalShape::Smooth || view.shape == LocalShape::Undecided;
}

/// Judges the finest eight steps at which noise cannot pretend anything; at least five, else
/// Undecided. `claimed` is the derivative in question: it says which slopes are small.
LocalView look(const Samples& samples, Wide claimed);

/// The index of the first level, counted from the coarsest, whose step and all smaller ones do not
/// reach over a kink or jump nearby.
std::size_t first_uncrossed(const Samples& samples);

/// Whether D+ and D- tend to each other as steps fall, at the rate at which a smooth function has
/// them: a kink that the curvature of other entries hides at these steps leaves a difference.
bool slopes_meet(const Samples& samples);

/// The least-norm element of [D-, D+]: 0 if the signs differ, else the smaller slope.
Wide least_norm(Wide below, Wide above);

}  // namespace notape::verify
