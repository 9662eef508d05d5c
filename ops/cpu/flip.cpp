#include "ops/shape/flip.h"

#include <algorithm>

namespace notape {
namespace {

/// One slice after the other, of dimensions d, d + 1, ...: `result` moves on, `self` is where the
/// slice's first result comes from.
template <typename T>
struct Flipping {
  const std::vector<int64_t>& sizes;
  const std::vector<int64_t>& steps;  // of self, negative where reversed
  T* result;

  void run(std::size_t d, const T* self) {
    const int64_t size = sizes[d], step = steps[d];
    if (d + 1 < sizes.size()) {
      for (int64_t i = 0; i < size; ++i) run(d + 1, self + i * step);
      return;
    }
    if (step == 1)
      std::copy_n(self, size, result);
    else
      for (int64_t i = 0; i < size; ++i) result[i] = self[i * step];
    result += size;
  }
};

void flip_on_cpu(const Operation&, const Tensor& result, const Tensor& self,
                 const std::vector<bool>& reversed) {
  if (result.numel() == 0) return;
  // Neighbouring dimensions of one direction are one.
  std::vector<int64_t> sizes = {1}, steps;
  std::vector<bool> directions = {false};
  for (int64_t d = 0; d < self.dim(); ++d) {
    const int64_t size = self.size(d);
    const bool direction = reversed[static_cast<std::size_t>(d)];
    if (size == 1) continue;
    if (direction != directions.back()) {
      sizes.push_back(1);
      directions.push_back(direction);
    }
    sizes.back() *= size;
  }
  steps.resize(sizes.size());
  int64_t step = 1, first = 0;
  for (std::size_t d = sizes.size(); d-- > 0; step *= sizes[d]) {
    steps[d] = directions[d] ? -step : step;
    if (directions[d]) first += (sizes[d] - 1) * step;
  }
  visit_type(self.dtype(), [&]<typename T>() {
    Flipping<T>{sizes, steps, result.impl().data_as<T>()}.run(0, self.impl().data_as<T>() + first);
  });
}

}  // namespace

constinit FlipKernel flip_kernel(flip_on_cpu);

}  // namespace notape
