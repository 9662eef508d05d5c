// reflection_pad1d(x), reflection_pad2d(x), reflection_pad3d(x): the last dimensions padded,
// mirrored at the first and last entry (pads.h); the derivative adds up.
#include "ops/vision/pads.h"

namespace notape {
namespace {

const RegisterOp reflection_pad1d_row(pad_spec("reflection_pad1d", 1, reflection_pad1d, reflected,
                                               -1));
const RegisterOp reflection_pad2d_row(pad_spec("reflection_pad2d", 2, reflection_pad2d, reflected,
                                               -1));
const RegisterOp reflection_pad3d_row(pad_spec("reflection_pad3d", 3, reflection_pad3d, reflected,
                                               -1));

}  // namespace

Tensor reflection_pad1d(const Tensor& self, IntArrayRef padding, At at) {
  return pad_by_entries({"reflection_pad1d", at}, "ReflectionPad1DBackward0", self, padding, 1,
                        reflected);
}
Tensor reflection_pad2d(const Tensor& self, IntArrayRef padding, At at) {
  return pad_by_entries({"reflection_pad2d", at}, "ReflectionPad2DBackward0", self, padding, 2,
                        reflected);
}
Tensor reflection_pad3d(const Tensor& self, IntArrayRef padding, At at) {
  return pad_by_entries({"reflection_pad3d", at}, "ReflectionPad3DBackward0", self, padding, 3,
                        reflected);
}

}  // namespace notape
