#include "paper_examples/data/samplers/sampler.h"

#include <algorithm>

#include "paper_examples/data/samplers/random_order.h"

namespace notape::data::samplers {

void SequentialSampler::reset(std::optional<std::size_t> new_size) {
  size_ = new_size.value_or(size_);
  index_ = 0;
}

std::optional<std::vector<std::size_t>> SequentialSampler::next(std::size_t batch_size) {
  if (index_ >= size_) return {};
  std::vector<std::size_t> indices(std::min(batch_size, size_ - index_));
  for (std::size_t& each : indices) each = index_++;
  return indices;
}

RandomSampler::RandomSampler(int64_t size, ScalarType) {
  if (size < 0) throw ValueError("RandomSampler: a data set of {} examples", size);
  indices_.resize(static_cast<std::size_t>(size));
  reset();
}

void RandomSampler::reset(std::optional<std::size_t> new_size) {
  indices_ = random_order(new_size.value_or(indices_.size()), default_generator());
  index_ = 0;
}

std::optional<std::vector<std::size_t>> RandomSampler::next(std::size_t batch_size) {
  if (index_ >= indices_.size()) return {};
  const auto first = indices_.begin() + static_cast<std::ptrdiff_t>(index_);
  const std::size_t count = std::min(batch_size, indices_.size() - index_);
  index_ += count;
  return std::vector(first, first + static_cast<std::ptrdiff_t>(count));
}

}  // namespace notape::data::samplers
