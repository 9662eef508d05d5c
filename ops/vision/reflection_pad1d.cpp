// reflection_pad1d(x): the last dimension padded, mirrored at the first and last entry (pads.h);
// the derivative adds up.
#include "ops/vision/pads.h"

namespace notape {
namespace {

const RegisterOp reflection_pad1d_row(
    {.name = "reflection_pad1d",
     .family = "vision",
     .draw = [](Draw& draw) -> OpCase {
       return pad_case(
           draw, 1,
           [](const Tensor& x, IntArrayRef padding) { return reflection_pad1d(x, padding); },
           reflected, -1);
     },
     .traits = Trait::Gathers | Trait::Locates | Trait::Accumulates});

}  // namespace

Tensor reflection_pad1d(const Tensor& self, IntArrayRef padding, At at) {
  return pad_by_entries({"reflection_pad1d", at}, "ReflectionPad1DBackward0", self, padding, 1,
                        reflected);
}

}  // namespace notape
