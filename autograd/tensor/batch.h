// Batched tensors: what a function called by vmap computes with. A batched tensor looks like one
// sample: its geometry is that of a sample, over a storage that stands for the samples of all batch
// entries (Storage::batched). So whatever only looks at geometry, every view operator, the write
// log, the graph, works on batched tensors as it is; whatever touches values needs a batching rule,
// which works on a plain tensor with the batch as a leading dimension (peel, wrap in batching/).
// Being batched is a property of the storage, not of a scope: derivative rules compute with batched
// tensors also in a backward that runs after vmap has returned.
#pragma once
#include <initializer_list>
#include <vector>

#include "autograd/tensor/storage.h"

namespace notape {

class Tensor;
class TensorImpl;

/// One call of vmap that a tensor is batched by. Ids are unique in the process and grow, so an
/// inner call has the larger one.
struct BatchLevel {
  uint64_t id;
  int64_t size;
};
/// In ascending order of their ids.
using BatchLevels = std::vector<BatchLevel>;

/// The samples that a batched storage stands for. Samples of one level lie side by side and apart
/// from one another: sample i of a level starts `stride` bytes after sample i - 1.
struct Batch {
  struct Dim {
    BatchLevel level;
    int64_t stride;
  };
  Ref<Storage> samples;
  int64_t start;          // the byte of `samples` where sample 0 starts
  std::vector<Dim> dims;  // in ascending order of levels
};

/// The levels of one tensor; empty unless it is batched.
BatchLevels levels_of(const TensorImpl& tensor);
BatchLevels levels_of(const Tensor& tensor);
/// All levels of several tensors, undefined ones left out.
BatchLevels levels_of(std::initializer_list<const Tensor*> tensors);
/// Where the level stands, or is to be inserted.
BatchLevels::const_iterator place_in(const BatchLevels& levels, uint64_t id);
/// All levels of both.
BatchLevels joined(BatchLevels a, const BatchLevels& b);
/// Levels of `a` that `b` lacks.
BatchLevels without(const BatchLevels& a, const BatchLevels& b);

}  // namespace notape
