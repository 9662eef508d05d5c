#include "cuda/composed/max_pool2d.h"

#include <limits>

#include "autograd/modes/grad_mode.h"
#include "cuda/composed/windows.h"
#include "ops/arithmetic.h"
#include "ops/reduce/extremum.h"

namespace notape::cuda {
namespace {

Scalar smallest(ScalarType dtype) {
  if (is_floating_point(dtype)) return -std::numeric_limits<double>::infinity();
  return visit_type(dtype, []<typename T>() -> Scalar {
    if constexpr (is_floating_v<T>)
      return 0;
    else
      return static_cast<int64_t>(std::numeric_limits<T>::lowest());
  });
}

/// Where each pixel of each window is in its plane, (H' W', kH kW): padding counts as the first
/// pixel inside, and is -1 where there is none.
Tensor positions_in(const MaxPool2dProblem& p) {
  const int64_t pixels = p.kernel[0] * p.kernel[1];
  const Tensor result = empty({p.rows * p.columns, pixels}, kInt64);
  int64_t* position = result.impl().data_as<int64_t>();
  for (int64_t i = 0; i < p.rows; ++i)
    for (int64_t j = 0; j < p.columns; ++j, position += pixels) {
      int64_t first = -1;
      for (int64_t pixel = 0; pixel < pixels; ++pixel) {
        const int64_t h = i * p.stride[0] - p.padding[0] + pixel / p.kernel[1] * p.dilation[0];
        const int64_t w = j * p.stride[1] - p.padding[1] + pixel % p.kernel[1] * p.dilation[1];
        const bool is_inside = h >= 0 && h < p.height && w >= 0 && w < p.width;
        position[pixel] = is_inside ? h * p.width + w : -1;
        if (is_inside && first < 0) first = position[pixel];
      }
      for (int64_t pixel = 0; pixel < pixels; ++pixel)
        if (position[pixel] < 0) position[pixel] = first;
    }
  return result;
}

/// A row-major tensor outside any graph, a row for each plane.
Tensor rows_of_planes(const Tensor& tensor, const MaxPool2dProblem& p, int64_t length) {
  return seen_as(tensor, {p.planes, length}, {length, 1});
}

/// Of each window, where its plane begins.
Tensor rows_seen_from_windows(const Tensor& planes, const MaxPool2dProblem& p) {
  return seen_as(planes, {p.planes, p.rows * p.columns}, {p.height * p.width, 0});
}

}  // namespace

void pool_maxima(const Operation& op, const Tensor& result, const Tensor& indices,
                 const Tensor& image, const MaxPool2dProblem& p) {
  if (result.numel() == 0) return;
  const NoGradGuard no_grad;
  const WindowGrid grid{{p.height, p.width}, {p.kernel[0], p.kernel[1]},
                        {p.rows, p.columns}, p.stride,
                        p.padding,           p.dilation};
  const int64_t pixels = p.kernel[0] * p.kernel[1], windows = p.rows * p.columns;
  const Tensor planes =
      seen_as(image, {p.planes, 1, p.height, p.width}, {p.height * p.width, 0, p.width, 1});
  const Tensor padded = padded_with(number_like(image, smallest(image.dtype())), planes, grid);
  const Tensor rows =
      allocate(IntArrayRef({p.planes, windows, pixels}), image.dtype(), image.device());
  raw_copy(seen_as(rows, {1, 1, p.kernel[0], p.kernel[1], p.planes, p.rows, p.columns},
                   {0, 0, p.kernel[1], 1, windows * pixels, p.columns * pixels, pixels}),
           windows_of(padded, 1, grid));
  const Tensor which = allocate(IntArrayRef({p.planes, windows}), kInt64, image.device());
  extremum_kernel(op, image.dtype(), image.device(), rows_of_planes(result, p, windows), which,
                  rows, Slices({p.planes * windows, pixels}, 1), Extreme::Largest);
  const Tensor positions = positions_in(p).to(image.device());
  const Tensor begins = (arange(windows, kInt64) * pixels).to(image.device());
  const Tensor at = which + begins;
  raw_copy(indices,
           read_at(op, seen_as(positions, {p.planes, windows}, {0, 0}), at).view(indices.sizes()));
}

void gather_maxima(const Operation& op, const Tensor& result, const Tensor& image,
                   const Tensor& indices, const MaxPool2dProblem& p) {
  if (result.numel() == 0) return;
  const NoGradGuard no_grad;
  const Tensor at = rows_of_planes(indices, p, p.rows * p.columns);
  const Tensor values = read_at(op, rows_seen_from_windows(image, p), at.clamp_min(0));
  raw_copy(result, values.masked_fill(at.lt(0), 0).view(result.sizes()));
}

void scatter_maxima(const Operation& op, const Tensor& result, const Tensor& values,
                    const Tensor& indices, const MaxPool2dProblem& p) {
  if (result.numel() == 0) return;
  const NoGradGuard no_grad;
  const Tensor at = rows_of_planes(indices, p, p.rows * p.columns);
  const Tensor given = rows_of_planes(values, p, p.rows * p.columns).masked_fill(at.lt(0), 0);
  const Tensor sums = zeros({p.planes, p.height * p.width}, values.options());
  add_indirect_kernel(op, values.dtype(), values.device(),
                      {rows_seen_from_windows(sums, p), at.clamp_min(0), 1}, given);
  raw_copy(result, sums.view(result.sizes()));
}

}  // namespace notape::cuda
