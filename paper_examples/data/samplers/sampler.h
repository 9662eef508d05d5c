// Samplers: in which order a loader goes through a data set. (LibTorch: torch::data::samplers,
// without save() and load())
#pragma once
#include <cstddef>
#include <optional>
#include <vector>

#include "autograd/autograd.h"

namespace notape::data::samplers {

/// A loader calls reset() before each pass and next() on one thread.
template <typename BatchRequest = std::vector<std::size_t>>
class Sampler {
 public:
  using BatchRequestType = BatchRequest;

  virtual ~Sampler() = default;
  /// Begins a pass, over a data set of another size if one is given.
  virtual void reset(std::optional<std::size_t> new_size) = 0;
  /// The next `batch_size` indices, fewer at the end, then nullopt.
  virtual std::optional<BatchRequest> next(std::size_t batch_size) = 0;
};

/// 0, 1, 2, ...
class SequentialSampler : public Sampler<> {
 public:
  explicit SequentialSampler(std::size_t size) : size_(size) {}
  void reset(std::optional<std::size_t> new_size = {}) override;
  std::optional<std::vector<std::size_t>> next(std::size_t batch_size) override;
  std::size_t index() const { return index_; }

 private:
  std::size_t size_, index_ = 0;
};

/// Every index once, in an order that reset() draws from the default generator (manual_seed).
class RandomSampler : public Sampler<> {
 public:
  /// LibTorch's second argument, the dtype of its indices, changes nothing here.
  explicit RandomSampler(int64_t size, ScalarType index_dtype = kInt64);
  void reset(std::optional<std::size_t> new_size = {}) override;
  std::optional<std::vector<std::size_t>> next(std::size_t batch_size) override;
  std::size_t index() const { return index_; }

 private:
  std::vector<std::size_t> indices_;
  std::size_t index_ = 0;
};

}  // namespace notape::data::samplers
