// replication_pad3d(x): the last three dimensions padded, its first and last entry repeated
// (pads.h); the derivative adds up.
#include "ops/vision/pads.h"

namespace notape {
namespace {

const RegisterOp replication_pad3d_row(
    {.name = "replication_pad3d",
     .family = "vision",
     .draw = [](Draw& draw) -> OpCase {
       return pad_case(
           draw, 3,
           [](const Tensor& x, IntArrayRef padding) { return replication_pad3d(x, padding); },
           replicated, 3);
     },
     .traits = Trait::Gathers | Trait::Locates | Trait::Accumulates});

}  // namespace

Tensor replication_pad3d(const Tensor& self, IntArrayRef padding, At at) {
  return pad_by_entries({"replication_pad3d", at}, "ReplicationPad3DBackward0", self, padding, 3,
                        replicated);
}

}  // namespace notape
