// Points out to where numbers end: every binary exponent from the least subnormal number to the
// largest, both signs, and densely where operators saturate, overflow and underflow.
#pragma once
#include "verify/generate/drawn_case.h"

namespace notape::verify {

/// All of them, in an order that does not matter: some 10,000 in float64, 3,000 in float32.
Numbers all_tail_points(ScalarType dtype);
/// `count` of them, another choice for every key and stream.
Numbers some_tail_points(ScalarType dtype, uint32_t key, uint32_t stream, std::size_t count);

}  // namespace notape::verify
