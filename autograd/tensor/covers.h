// Whether one tensor shows all memory cells that another one does.
#pragma once
#include "autograd/tensor/geometry.h"

namespace notape {

/// Of two geometries over one storage; linear in their elements where `base` has gaps.
bool covers(const Geometry& base, const Geometry& view);

}  // namespace notape
