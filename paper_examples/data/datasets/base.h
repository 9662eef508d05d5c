// What a data set is to a loader: something that gives the batch of some indices, or just the
// example of one. Its own class is the first argument (LibTorch's torch::data::datasets):
//
//   struct Squares : data::datasets::Dataset<Squares> {
//     data::Example<> get(std::size_t i) override { return {full({1}, i), full({1}, i * i)}; }
//     std::optional<std::size_t> size() const override { return 100; }
//   };
#pragma once
#include <cstddef>
#include <optional>
#include <span>
#include <vector>

#include "paper_examples/data/example.h"

namespace notape::data::datasets {

template <typename Source, typename Transform>
class MapDataset;

/// Which of a data set's examples is being made on this thread: for the message if that fails.
inline thread_local std::optional<std::size_t> example_being_made;

/// A data set that makes whole batches. Each worker thread of a loader has a copy of it.
template <typename Self, typename Batch = std::vector<Example<>>,
          typename BatchRequest = std::span<const std::size_t>>
class BatchDataset {
 public:
  using SelfType = Self;
  using BatchType = Batch;
  using BatchRequestType = BatchRequest;

  virtual ~BatchDataset() = default;
  virtual Batch get_batch(BatchRequest request) = 0;
  /// The number of examples; nullopt if it is not known.
  virtual std::optional<std::size_t> size() const = 0;

  /// This data set with a transform of its batches: see transforms/.
  template <typename Transform>
  MapDataset<Self, Transform> map(Transform transform) & {
    return {static_cast<Self&>(*this), std::move(transform)};
  }
  template <typename Transform>
  MapDataset<Self, Transform> map(Transform transform) && {
    return {std::move(static_cast<Self&>(*this)), std::move(transform)};
  }
};

/// A data set that makes one example at a time.
template <typename Self, typename SingleExample = Example<>,
          typename BatchRequest = std::span<const std::size_t>>
class Dataset : public BatchDataset<Self, std::vector<SingleExample>, BatchRequest> {
 public:
  using ExampleType = SingleExample;

  virtual ExampleType get(std::size_t index) = 0;

  std::vector<ExampleType> get_batch(BatchRequest indices) override {
    std::vector<ExampleType> batch;
    batch.reserve(indices.size());
    for (const std::size_t index : indices) {
      example_being_made = index;
      batch.push_back(get(index));
    }
    example_being_made.reset();
    return batch;
  }
};

}  // namespace notape::data::datasets

#include "paper_examples/data/datasets/map.h"  // what map() returns
