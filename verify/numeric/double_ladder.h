// The step ladder for functions that are only there in double: opaque ones, of which nothing is
// known but values. Steps are powers of two, so that x + h u is exact; the noise of the values is
// measured; steps that reach over a kink nearby are left out.
#pragma once
#include "verify/numeric/ladder.h"
#include "verify/numeric/local_shape.h"

namespace notape::verify {

struct DoublePath {
  std::function<Wide(double t)> at;  ///< phi(t); as exact as sums of doubles are
  /// How far the points at +-h are from where they should be, relative to h; empty: nowhere.
  std::function<double(double h)> deviation = {};
  /// What the slopes of single entries add up to, whatever cancels: those deviate one by one.
  double slopes = 0;
  /// What rounding moves phi by, at least, in units of 2^-52: of a sum, the root of the sum of its
  /// terms' squares. Where terms cancel, phi itself does not tell. Asked when phi is known at all
  /// steps; empty: nothing.
  std::function<double()> terms = {};
  /// What slope its terms may have that stand still, because they are large beside what they move
  /// by; the same.
  std::function<double()> hidden = {};
  /// Whether nothing is known of what is computed on the way: terms far larger than the values may
  /// cancel.
  bool opaque = false;
  /// How far the roundings inside the function move phi(t), measured; empty if that cannot be.
  std::function<double(double t)> inner = {};
  /// Steps are so small that all may be on one stair of what roundings inside make, where
  /// neighbours do not scatter: `inner` is believed all the same.
  bool fine = false;
  /// Whether all that phi is a sum of moves with the smallest steps; empty if nobody knows.
  std::function<bool()> moves = {};
};

/// x with its last mantissa bit cleared, so that steps up to its own size are exact.
double without_last_bit(double x);
/// t -> f(x + t u), for an x as above and a power of two u.
DoublePath line(std::function<double(double)> f, double x, double u);

/// Everything a ladder knows about a derivative.
struct Ladder {
  Samples samples;
  Slope slope;
  bool converged = false;  ///< the best rung agrees with its neighbours
  bool one_sided = false;  ///< the other side is outside the domain
  bool opaque = false;     ///< as of the path
  bool fine = false;       ///< the same
  double hidden = 0;       ///< the same
  /// All that the values are a sum of moves with the smallest steps: nothing inside, of whatever
  /// size, rounds such slopes away. (Only asked where slopes are tiny.)
  bool moves = false;
};

/// Steps 2^-3 ... 2^-32; noise from nine neighbouring points on each side (J. More, S. Wild:
/// "Estimating computational noise", SIAM J. Sci. Comput. 33, 2011).
Ladder climb(const DoublePath& phi);
/// Steps 2^-4 ... 2^-12, a third of the values: enough for a PASS where slopes_meet(). Any other
/// answer takes the whole ladder.
Ladder climb_quickly(const DoublePath& phi);
/// The second derivative along a ladder's path, from the same values.
Slope curvature(const Samples& samples);
/// The same in 113 bits, steps 2^-3 ... 2^-40.
Ladder climb(const Path& phi);

}  // namespace notape::verify
