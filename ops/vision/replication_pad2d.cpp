// replication_pad2d(x): the last two dimensions padded, its first and last entry repeated (pads.h);
// the derivative adds up.
#include "ops/vision/pads.h"

namespace notape {
namespace {

const RegisterOp replication_pad2d_row(
    {.name = "replication_pad2d",
     .family = "vision",
     .draw = [](Draw& draw) -> OpCase {
       return pad_case(
           draw, 2,
           [](const Tensor& x, IntArrayRef padding) { return replication_pad2d(x, padding); },
           replicated, 3);
     },
     .traits = Trait::Gathers | Trait::Locates | Trait::Accumulates});

}  // namespace

Tensor replication_pad2d(const Tensor& self, IntArrayRef padding, At at) {
  return pad_by_entries({"replication_pad2d", at}, "ReplicationPad2DBackward0", self, padding, 2,
                        replicated);
}

}  // namespace notape
