// reflection_pad2d(x): the last two dimensions padded, mirrored at the first and last entry
// (pads.h); the derivative adds up.
#include "ops/vision/pads.h"

namespace notape {
namespace {

const RegisterOp reflection_pad2d_row(
    {.name = "reflection_pad2d",
     .family = "vision",
     .draw = [](Draw& draw) -> OpCase {
       return pad_case(
           draw, 2,
           [](const Tensor& x, IntArrayRef padding) { return reflection_pad2d(x, padding); },
           reflected, -1);
     },
     .traits = Trait::Gathers | Trait::Locates | Trait::Accumulates});

}  // namespace

Tensor reflection_pad2d(const Tensor& self, IntArrayRef padding, At at) {
  return pad_by_entries({"reflection_pad2d", at}, "ReflectionPad2DBackward0", self, padding, 2,
                        reflected);
}

}  // namespace notape
