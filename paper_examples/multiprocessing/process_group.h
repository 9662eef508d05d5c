// ProcessGroup: processes that compute together (c10d::ProcessGroup; 2019 paper, 5.4: they
// "synchronize gradients using all-reduce style primitives").
#pragma once
#include <memory>

#include "paper_examples/multiprocessing/shared_tensor.h"

namespace notape::multiprocessing {

/// Made before spawn(), in whose processes each rank makes the same calls in the same order. A rank
/// that does not come makes the others wait: spawn() ends them if it has died.
class ProcessGroup {
 public:
  /// For tensors of up to `most_elements` each. Throws ValueError unless both are at least 1.
  ProcessGroup(int size, int64_t most_elements);
  ~ProcessGroup();
  ProcessGroup(const ProcessGroup&) = delete;
  ProcessGroup& operator=(const ProcessGroup&) = delete;

  int size() const { return size_; }
  /// Waits until all ranks are here.
  void barrier() const;
  /// Makes `tensor`, floating and of the same size in every rank, the sum over all ranks.
  /// Terms are added in float64 by rank, so that all get the same bits, in every run. Recorded
  /// nowhere. Throws ValueError and DtypeError, in which case no rank may go on.
  void all_reduce(int rank, const Tensor& tensor) const;

 private:
  struct Barrier;
  int size_;
  SharedTensor terms_;  // (size, most_elements), float64: what each rank brings
  Barrier* barrier_;
};

}  // namespace notape::multiprocessing
