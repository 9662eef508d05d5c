#pragma once
#include <optional>

#include "ops/reduce/reduction.h"

namespace notape {

/// A row-major tensor whose reduced dimensions are neighbours, as (outer, size, inner) around them;
/// nothing if it is another.
std::optional<Slices> as_slices(const Tensor& self, const ReducedDims& dims);

}  // namespace notape
