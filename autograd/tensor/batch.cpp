#include "autograd/tensor/batch.h"

#include <algorithm>

#include "autograd/tensor/tensor.h"

namespace notape {

BatchLevels levels_of(const TensorImpl& tensor) {
  BatchLevels levels;
  if (const Batch* batch = tensor.storage()->batch())
    for (const Batch::Dim& dim : batch->dims) levels.push_back(dim.level);
  return levels;
}

BatchLevels levels_of(const Tensor& tensor) {
  return tensor.defined() ? levels_of(tensor.impl()) : BatchLevels();
}

BatchLevels::const_iterator place_in(const BatchLevels& levels, uint64_t id) {
  return std::lower_bound(
      levels.begin(), levels.end(), id,
      [](const BatchLevel& level, uint64_t wanted) { return level.id < wanted; });
}

namespace {

bool contains(const BatchLevels& levels, uint64_t id) {
  const auto at = place_in(levels, id);
  return at != levels.end() && at->id == id;
}

}  // namespace

BatchLevels levels_of(std::initializer_list<const Tensor*> tensors) {
  BatchLevels all;
  for (const Tensor* tensor : tensors) all = joined(std::move(all), levels_of(*tensor));
  return all;
}

BatchLevels joined(BatchLevels a, const BatchLevels& b) {
  for (const BatchLevel& level : b)
    if (!contains(a, level.id)) a.insert(place_in(a, level.id), level);
  return a;
}

BatchLevels without(const BatchLevels& a, const BatchLevels& b) {
  BatchLevels rest;
  for (const BatchLevel& level : a)
    if (!contains(b, level.id)) rest.push_back(level);
  return rest;
}

}  // namespace notape
