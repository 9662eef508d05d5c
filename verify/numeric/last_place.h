// Distances in units in the last place, in 113 bits: of float32 and float64 with their subnormal
// numbers.
#pragma once
#include "autograd/tensor/scalar_type.h"
#include "verify/numeric/wide_case.h"

namespace notape::verify {

/// The largest finite number of a floating dtype.
double largest_of(ScalarType dtype);
/// The distance of neighbouring numbers of `dtype` around x; x is finite.
Wide last_place(Wide x, ScalarType dtype);
/// |got - exact| in units in the last place of `exact`. Beyond the largest number there is only
/// infinity, and beside it the largest number is one unit away; infinite where one of them is NaN,
/// or an infinity that the other is not.
double last_places_between(Wide exact, double got, ScalarType dtype);

}  // namespace notape::verify
