// A random order of indices.
#pragma once
#include <cstddef>
#include <vector>

#include "autograd/tensor/generator.h"

namespace notape::data::samplers {

/// 0 to size - 1, shuffled. (Fisher and Yates; Durstenfeld 1964)
inline std::vector<std::size_t> random_order(std::size_t size, Generator generator) {
  std::vector<std::size_t> order(size);
  for (std::size_t i = 0; i < size; ++i) {
    const std::size_t j = generator.below(i + 1);
    order[i] = order[j];
    order[j] = i;
  }
  return order;
}

}  // namespace notape::data::samplers
