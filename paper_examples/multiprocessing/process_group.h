// ProcessGroup: processes that compute together (c10d::ProcessGroup; 2019 paper, 5.4: they
// "synchronize gradients using all-reduce style primitives").
#pragma once
#include <atomic>
#include <chrono>
#include <memory>

#include "paper_examples/multiprocessing/shared_tensor.h"

namespace notape::multiprocessing {

/// Made before spawn(), in whose processes each rank makes the same calls in the same order, and
/// good for any number of these, one after the other, failed ones too.
class ProcessGroup {
 public:
  /// For tensors of up to `most_elements` each. Throws ValueError unless both are at least 1.
  ProcessGroup(int size, int64_t most_elements,
               std::chrono::milliseconds timeout = std::chrono::minutes(30));
  ~ProcessGroup();
  ProcessGroup(const ProcessGroup&) = delete;
  ProcessGroup& operator=(const ProcessGroup&) = delete;

  int size() const { return size_; }
  /// Waits until all ranks are here. Throws Error if one has ended, or none comes within the
  /// timeout; ValueError if spawn() started another number of ranks.
  void barrier() const;
  /// Makes `tensor`, floating and of the same size in every rank, the sum over all ranks.
  /// Terms are added in float64 by rank, so that all get the same bits, in every run. Recorded
  /// nowhere. Throws what barrier() throws, DtypeError, and ValueError for a rank or a size that
  /// does not fit those of the others.
  void all_reduce(int rank, const Tensor& tensor) const;

 private:
  friend class SpawnedRanks;
  struct Shared;
  int size_;
  std::chrono::milliseconds timeout_;
  SharedTensor terms_;  // (size, most_elements), float64: what each rank brings
  Shared* shared_;
};

/// What groups know of the processes of one spawn(), for which it is made; when it goes, they have.
class SpawnedRanks {
 public:
  SpawnedRanks();
  ~SpawnedRanks();
  SpawnedRanks(const SpawnedRanks&) = delete;
  SpawnedRanks& operator=(const SpawnedRanks&) = delete;

  /// In a new process.
  void begin_rank(int count) const;
  /// At the end of one: it comes to no barrier any more.
  void end_rank() const { ++*ended_; }

 private:
  std::atomic<int>* ended_;  // in memory that all of them see
};

}  // namespace notape::multiprocessing
