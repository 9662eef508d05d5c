// In-place writes: validate everything, run the kernel, then commit, which cannot fail.
// 2017 paper, 3.1: "Supporting in-place operations".
#pragma once
#include <initializer_list>

#include "autograd/graph/history.h"

namespace notape {

struct WritePlan {
  bool records = false;         // the write becomes part of the target's history
  bool makes_volatile = false;  // a volatile operand reaches a target without history
};

/// Throws, before anything has changed, if `target` must not be written by `op` now:
/// UndefinedTensor, ReadOnlyWrite, AliasedInPlace, AmbiguousViewWrite, FunctionViewWrite,
/// LeafInPlace, VolatileConflict, MemoryOverlap. `operands` are the tensors the operation reads.
WritePlan check_write(const Operation& op, const Tensor& target,
                      std::initializer_list<const Tensor*> operands);

/// The write has happened: advances the version, logs the region, and with a node rebases the
/// family's history. `overwritten`: which of the node's inputs is the target's old value, or -1.
void commit_write(const Operation& op, const Tensor& target, const WritePlan& plan, NodeRef node,
                  int overwritten);

/// A copy of the value that an in-place operation is about to overwrite and whose derivative needs
/// it. Throws OverwrittenInput under Paper2017.
Tensor copy_overwritten(const Operation& op, const Tensor& target);

}  // namespace notape
