// Windows along one dimension.
#pragma once
#include <algorithm>
#include <span>

#include "autograd/observer.h"
#include "autograd/tensor/tensor.h"
#include "ops/core/window_count.h"

namespace notape {

/// From floor(i size / count) to ceil((i + 1) size / count).
struct AdaptiveWindow {
  int64_t begin, end;

  AdaptiveWindow(int64_t i, int64_t size, int64_t count)
      : begin(i / count * size + i % count * size / count),
        end(((i + 1) * size + count - 1) / count) {}
};

/// Throws ShapeError unless `self` is (N, C, ...) or (C, ...) with `dims` spatial dimensions, of
/// which only N, and C if `no_channels`, may be 0.
void check_image(const Operation& op, const Tensor& self, std::size_t dims, bool no_channels);
/// Throws ValueError for negative sizes, OutOfMemory for more windows than can be listed.
void check_output_size(const Operation& op, std::span<const int64_t> output_size);
/// Throws ValueError for a kernel, stride or padding that no pool has.
void check_windows(const Operation& op, const std::vector<int64_t>& kernel,
                   const std::vector<int64_t>& stride, const std::vector<int64_t>& padding);
/// Throws ShapeError for windows without number.
void check_count(const Operation& op, IntArrayRef sizes, const std::vector<int64_t>& counts);

/// A shape to pool: N maybe, C, and these spatial sizes.
template <typename SomeDraw>
std::vector<int64_t> draw_image(SomeDraw& draw, const std::vector<int64_t>& spatial,
                                int64_t least_channels = 1) {
  std::vector<int64_t> sizes;
  if (draw.boolean()) sizes.push_back(draw.integer(0, 2));
  sizes.push_back(draw.integer(least_channels, 2));
  sizes.insert(sizes.end(), spatial.begin(), spatial.end());
  return sizes;
}

}  // namespace notape
