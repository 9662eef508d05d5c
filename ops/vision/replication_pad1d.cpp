// replication_pad1d(x): the last dimension padded, its first and last entry repeated (pads.h); the
// derivative adds up.
#include "ops/vision/pads.h"

namespace notape {
namespace {

const RegisterOp replication_pad1d_row(
    {.name = "replication_pad1d",
     .family = "vision",
     .draw = [](Draw& draw) -> OpCase {
       return pad_case(
           draw, 1,
           [](const Tensor& x, IntArrayRef padding) { return replication_pad1d(x, padding); },
           replicated, 3);
     },
     .traits = Trait::Gathers | Trait::Locates | Trait::Accumulates});

}  // namespace

Tensor replication_pad1d(const Tensor& self, IntArrayRef padding, At at) {
  return pad_by_entries({"replication_pad1d", at}, "ReplicationPad1DBackward0", self, padding, 1,
                        replicated);
}

}  // namespace notape
