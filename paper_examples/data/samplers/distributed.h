// Samplers that share a data set out among several processes, each of which trains a replica.
// (LibTorch: torch::data::samplers)
#pragma once
#include "paper_examples/data/samplers/sampler.h"

namespace notape::data::samplers {

/// Base of both: the part of replica `rank` in an order of all indices, size / num_replicas long.
/// With duplicates allowed that is rounded up, and the order continues from its start; without, it
/// is rounded down and the rest is left out.
class DistributedSampler : public Sampler<> {
 public:
  /// Throws ValueError unless rank < num_replicas.
  explicit DistributedSampler(std::size_t size, std::size_t num_replicas = 1, std::size_t rank = 0,
                              bool allow_duplicates = true);

  /// The number of the pass, on which all replicas have to agree.
  void set_epoch(std::size_t epoch) { epoch_ = epoch; }
  std::size_t epoch() const { return epoch_; }
  void reset(std::optional<std::size_t> new_size = {}) override;
  std::optional<std::vector<std::size_t>> next(std::size_t batch_size) override;
  std::size_t index() const { return index_; }

 protected:
  /// All indices in the order of this pass, the same in every replica.
  virtual std::vector<std::size_t> order(std::size_t size) const = 0;

 private:
  std::size_t first() const { return rank_ * count(); }
  std::size_t count() const;

  std::size_t size_, num_replicas_, rank_;
  bool allow_duplicates_;
  std::size_t epoch_ = 0, index_ = 0;
  std::optional<std::vector<std::size_t>> order_;  // of the pass, once it has begun
};

/// Shuffled again in each epoch, by its number.
class DistributedRandomSampler : public DistributedSampler {
 public:
  using DistributedSampler::DistributedSampler;

 protected:
  std::vector<std::size_t> order(std::size_t size) const override;
};

/// In order.
class DistributedSequentialSampler : public DistributedSampler {
 public:
  using DistributedSampler::DistributedSampler;

 protected:
  std::vector<std::size_t> order(std::size_t size) const override;
};

}  // namespace notape::data::samplers
