#include "paper_examples/data/samplers/distributed.h"

#include <algorithm>
#include <numeric>

#include "paper_examples/data/samplers/random_order.h"

namespace notape::data::samplers {

DistributedSampler::DistributedSampler(std::size_t size, std::size_t num_replicas, std::size_t rank,
                                       bool allow_duplicates)
    : size_(size), num_replicas_(num_replicas), rank_(rank), allow_duplicates_(allow_duplicates) {
  if (rank >= num_replicas)
    throw ValueError("DistributedSampler: rank {} of {} replicas", rank, num_replicas);
}

std::size_t DistributedSampler::count() const {
  return (size_ + (allow_duplicates_ ? num_replicas_ - 1 : 0)) / num_replicas_;
}

void DistributedSampler::reset(std::optional<std::size_t> new_size) {
  size_ = new_size.value_or(size_);
  index_ = 0;
  order_.reset();
}

std::optional<std::vector<std::size_t>> DistributedSampler::next(std::size_t batch_size) {
  if (!order_) order_ = order(size_);
  if (index_ >= count()) return {};
  std::vector<std::size_t> indices(std::min(batch_size, count() - index_));
  for (std::size_t& each : indices) each = (*order_)[(first() + index_++) % size_];
  return indices;
}

std::vector<std::size_t> DistributedRandomSampler::order(std::size_t size) const {
  return random_order(size, Generator(epoch()));
}

std::vector<std::size_t> DistributedSequentialSampler::order(std::size_t size) const {
  std::vector<std::size_t> indices(size);
  std::iota(indices.begin(), indices.end(), std::size_t{0});
  return indices;
}

}  // namespace notape::data::samplers
