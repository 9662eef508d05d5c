// Values for the arguments of a case: a mixture that is mostly ordinary numbers with full
// mantissas, and else what finds bugs: special points, their neighbours, small integers, repeats.
#pragma once
#include "verify/generate/layout.h"

namespace notape::verify {

/// Values for one argument, exact in `dtype` and inside its domain, `kink_distance` off its kinks.
/// Indices and bools are whole numbers.
Numbers draw_values(ChoiceDraw& draw, const Argument& argument, ScalarType dtype);
/// Values for all `distinct` arguments of a case together: no two entries are close, not even
/// across arguments. Others stay empty.
std::vector<Numbers> draw_distinct(ChoiceDraw& draw, const std::vector<Argument>& arguments,
                                   ScalarType dtype);

int64_t numel_of(const std::vector<int64_t>& sizes);

}  // namespace notape::verify
