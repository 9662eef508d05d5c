// reflection_pad3d(x): the last three dimensions padded, mirrored at the first and last entry
// (pads.h); the derivative adds up.
#include "ops/vision/pads.h"

namespace notape {
namespace {

const RegisterOp reflection_pad3d_row(
    {.name = "reflection_pad3d",
     .family = "vision",
     .draw = [](Draw& draw) -> OpCase {
       return pad_case(
           draw, 3,
           [](const Tensor& x, IntArrayRef padding) { return reflection_pad3d(x, padding); },
           reflected, -1);
     },
     .traits = Trait::Gathers | Trait::Locates | Trait::Accumulates});

}  // namespace

Tensor reflection_pad3d(const Tensor& self, IntArrayRef padding, At at) {
  return pad_by_entries({"reflection_pad3d", at}, "ReflectionPad3DBackward0", self, padding, 3,
                        reflected);
}

}  // namespace notape
