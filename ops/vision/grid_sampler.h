// Sampling an image at places that a grid names: the choices, and random cases with their plain
// reference.
#pragma once
#include "ops/spec/op_spec.h"
#include "ops/vision.h"

namespace notape {

// In LibTorch's order, whose numbers they are.
enum class GridMode : uint8_t { Bilinear, Nearest, Bicubic };
enum class GridPadding : uint8_t { Zeros, Border, Reflection };

struct GridSampling {
  GridMode mode;
  GridPadding padding;
  bool align_corners;
};

/// Places lie between pixels and their edges, where the result is smooth.
OpCase draw_grid_sampling(Draw& draw);

}  // namespace notape
