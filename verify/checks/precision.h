// Precision: noise seen through the same operator in the other dtype. Rounding errors are epsilon
// times the size of what a formula adds up and cancels, and that size both dtypes share. So each
// foretells the other's noise, where its own samples mislead:
// - float32 results may stand still: 1 - y is the same number for all y near enough to 1, and a
//   constant shows no noise. Float64 results move, and 2^29 times their noise is the float32 one.
// - float64 results may be noisy because a rule computes in float32, and their noise must not
//   excuse them. If cancellation were the reason, float32 runs would be off by 2^29 times as much.
#pragma once
#include "verify/checks/subject.h"

namespace notape::verify {

/// A number that a subject's operator gives at a point.
using Measurement = std::function<Wide(const Subject&, const NoisePoint&)>;

/// For a float32 subject: the noise that float64 runs foretell; 0 if there are none.
double foretold_noise(const Subject& subject, const Measurement& measure);
/// For a float64 subject: `noise`, or as much of it as float32 runs confirm. `scale` is the sum of
/// terms behind the number.
double confirmed_noise(const Subject& subject, const Measurement& measure, double noise,
                       double scale);

}  // namespace notape::verify
