#pragma once

/// torch::data. What LibTorch passes to get_batch() is its own list, c10::ArrayRef.

#include "notape/compat/torch/array_ref.h"
#include "notape/nn.h"

namespace torch::data {
using namespace notape::data;
namespace samplers = notape::data::samplers;
namespace transforms = notape::data::transforms;

namespace datasets {
using namespace notape::data::datasets;
template <typename Self, typename Batch = std::vector<Example<>>,
          typename BatchRequest = c10::ArrayRef<std::size_t>>
using BatchDataset = notape::data::datasets::BatchDataset<Self, Batch, BatchRequest>;
template <typename Self, typename SingleExample = Example<>>
using Dataset = notape::data::datasets::Dataset<Self, SingleExample, c10::ArrayRef<std::size_t>>;
}  // namespace datasets

using datasets::BatchDataset;
using datasets::Dataset;
}  // namespace torch::data
