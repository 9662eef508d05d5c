// Precision: noise that a subject's own runs cannot judge, seen through the same operator in the
// other dtype. Rounding errors are epsilon times the size of what a formula adds up and cancels,
// and that size both dtypes share.
// - float32 results may stand still: 1 - y is the same number for all y near enough to 1, and a
//   constant shows no noise. Float64 results move, and 2^29 times their noise is the float32 one.
// - float64 results may be noisy because a rule computes in float32, which must not excuse it. Good
//   excuses are that the derivative itself moves as much when its inputs do by a unit in the last
//   place, or that float32 runs are off by about 2^29 times as much.
#pragma once
#include "verify/checks/subject.h"

namespace notape::verify {

/// A number that an operator's derivatives give.
struct Measurement {
  std::function<Wide(const Subject&, const NoisePoint&)> native;
  /// The same from the reference, at arguments x and incoming gradient v; opaque subjects have
  /// none.
  std::function<Wide(const WideList& x, const Numbers& v)> numeric = {};
};

/// For a subject of fewer bits than float64: the noise that float64 runs predict; 0 if there are
/// none.
double foretold_noise(const Subject& subject, const Measurement& measure);
/// For a float64 subject: `noise`, or the part of it that is excused. `scale` is the sum of the
/// terms of the number.
double excused_noise(const Subject& subject, const Measurement& measure, double noise,
                     double scale);

/// The noise of a number at points `share` times as far away as those of noise_point().
double noise_nearby(const Subject& subject, const Measurement& measure, double share);

}  // namespace notape::verify
