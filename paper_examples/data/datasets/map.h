// MapDataset: a data set that applies a transform to its batches. (LibTorch: the same)
#pragma once
#include <utility>

#include "paper_examples/data/datasets/base.h"

namespace notape::data::datasets {

/// The transform has apply_batch(batch) and names its result's type, OutputBatchType. A source
/// without a size has batches that may be nullopt, which the transform does not see: that LibTorch
/// has, too, but no data set here.
template <typename Source, typename AppliedTransform>
class MapDataset : public BatchDataset<MapDataset<Source, AppliedTransform>,
                                       typename AppliedTransform::OutputBatchType,
                                       typename Source::BatchRequestType> {
 public:
  using DatasetType = Source;
  using TransformType = AppliedTransform;
  using OutputBatchType = typename TransformType::OutputBatchType;
  using BatchRequestType = typename Source::BatchRequestType;

  MapDataset(Source dataset, TransformType transform)
      : dataset_(std::move(dataset)), transform_(std::move(transform)) {}

  OutputBatchType get_batch(BatchRequestType request) override {
    return transform_.apply_batch(dataset_.get_batch(request));
  }
  std::optional<std::size_t> size() const override { return dataset_.size(); }

  const Source& dataset() const { return dataset_; }
  const TransformType& transform() const { return transform_; }

 private:
  Source dataset_;
  TransformType transform_;
};

}  // namespace notape::data::datasets
