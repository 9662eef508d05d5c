#include "paper_examples/data/dataset.h"

#include "ops/ops.h"

namespace notape::data {

Dataset Dataset::at(const Tensor& indices) const {
  return {data.index_select(0, indices.to(data.device())),
          target.index_select(0, indices.to(target.device()))};
}

Dataset Dataset::to(Device device) const { return {data.to(device), target.to(device)}; }

std::pair<Dataset, Dataset> random_split(const Dataset& dataset, int64_t first_size) {
  const int64_t size = dataset.size();
  if (first_size < 0 || first_size > size)
    throw ValueError("random_split: a part of {} examples out of {}", first_size, size);
  const Tensor order = randperm(size);
  return {dataset.at(order.slice(0, 0, first_size)), dataset.at(order.slice(0, first_size))};
}

ShuffledBatches::ShuffledBatches(const Dataset& dataset, int64_t batch_size)
    : dataset_(dataset), batch_size_(batch_size), order_(randperm(dataset.size())) {
  if (batch_size <= 0) throw ValueError("ShuffledBatches: batch_size is {}", batch_size);
}

Dataset ShuffledBatches::batch(int64_t number) const {
  const int64_t first = number * batch_size_;
  return dataset_.at(order_.slice(0, first, first + batch_size_));
}

}  // namespace notape::data
