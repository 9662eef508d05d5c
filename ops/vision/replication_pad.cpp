// replication_pad1d(x), replication_pad2d(x), replication_pad3d(x): the last dimensions padded,
// their first and last entry repeated (pads.h); the derivative adds up.
#include "ops/vision/pads.h"

namespace notape {
namespace {

const RegisterOp replication_pad1d_row(pad_spec("replication_pad1d", 1, replication_pad1d,
                                                replicated, 3));
const RegisterOp replication_pad2d_row(pad_spec("replication_pad2d", 2, replication_pad2d,
                                                replicated, 3));
const RegisterOp replication_pad3d_row(pad_spec("replication_pad3d", 3, replication_pad3d,
                                                replicated, 3));

}  // namespace

Tensor replication_pad1d(const Tensor& self, IntArrayRef padding, At at) {
  return pad_by_entries({"replication_pad1d", at}, "ReplicationPad1DBackward0", self, padding, 1,
                        replicated);
}
Tensor replication_pad2d(const Tensor& self, IntArrayRef padding, At at) {
  return pad_by_entries({"replication_pad2d", at}, "ReplicationPad2DBackward0", self, padding, 2,
                        replicated);
}
Tensor replication_pad3d(const Tensor& self, IntArrayRef padding, At at) {
  return pad_by_entries({"replication_pad3d", at}, "ReplicationPad3DBackward0", self, padding, 3,
                        replicated);
}

}  // namespace notape
