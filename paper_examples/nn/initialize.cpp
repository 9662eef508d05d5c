#include "paper_examples/nn/initialize.h"

#include <cmath>

#include "ops/ops.h"

namespace notape::nn {

Tensor uniform_by_fan_in(IntArrayRef size, int64_t fan_in) {
  const double bound = 1 / std::sqrt(static_cast<double>(fan_in));
  return rand(size) * (2 * bound) - bound;
}

}  // namespace notape::nn
