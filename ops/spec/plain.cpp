#include "ops/spec/plain.h"

#include <algorithm>

namespace notape {

std::vector<int64_t> plain_broadcast(
    std::initializer_list<const std::vector<int64_t>*> operand_sizes) {
  std::vector<int64_t> sizes;
  for (const std::vector<int64_t>* operand : operand_sizes) {
    const auto& own = *operand;
    if (own.size() > sizes.size()) sizes.insert(sizes.begin(), own.size() - sizes.size(), 1);
    for (std::size_t i = 0; i < own.size(); ++i) {
      int64_t& size = sizes[sizes.size() - own.size() + i];
      if (size == 1) size = own[i];
    }
  }
  return sizes;
}

int64_t plain_position(const std::vector<int64_t>& operand_sizes, const std::vector<int64_t>& sizes,
                       int64_t index) {
  int64_t position = 0, step = 1;
  for (std::size_t back = 0; back < sizes.size(); ++back) {
    const int64_t size = sizes[sizes.size() - 1 - back];
    const int64_t at = index % size;
    index /= size;
    if (back >= operand_sizes.size()) continue;
    const int64_t own = operand_sizes[operand_sizes.size() - 1 - back];
    if (own != 1) position += at * step;
    step *= own;
  }
  return position;
}

PlainSlices::PlainSlices(const std::vector<int64_t>& sizes, int64_t dim) {
  const auto rank = static_cast<int64_t>(sizes.size());
  if (rank == 0) return;
  const int64_t middle = dim < 0 ? dim + rank : dim;
  for (int64_t d = 0; d < rank; ++d) {
    const int64_t extent = sizes[static_cast<std::size_t>(d)];
    (d < middle ? outer : d > middle ? inner : size) *= extent;
  }
}

std::vector<int64_t> plain_reduced(std::vector<int64_t> sizes, int64_t dim, bool keepdim) {
  if (sizes.empty()) return sizes;
  const auto at = sizes.begin() + (dim < 0 ? dim + static_cast<int64_t>(sizes.size()) : dim);
  if (keepdim) {
    *at = 1;
  } else {
    sizes.erase(at);
  }
  return sizes;
}

}  // namespace notape
