#include "cuda/kernels/depthwise.h"

#include <algorithm>

#include "cuda/kernels/launch_slices.h"
#include "ops/core/divisor.h"

namespace notape::cuda {
namespace {

/// (N, C, H, W) in memory.
template <typename T>
struct Images {
  T* data;
  int64_t stride[4];

  explicit Images(const Tensor& tensor)
      : data(tensor.impl().data_as<std::remove_const_t<T>>()),
        stride{tensor.stride(0), tensor.stride(1), tensor.stride(2), tensor.stride(3)} {}
  __device__ T& at(int64_t n, int64_t c, int64_t h, int64_t w) const {
    return data[n * stride[0] + c * stride[1] + h * stride[2] + w * stride[3]];
  }
};

/// A place of a row-major (N, C, H, W).
struct Pixel {
  int n, c, h, w;
};
struct Pixels {
  Divisor channels, rows, columns;

  /// Where a size is 0, no place is asked for.
  explicit Pixels(const std::array<int64_t, 4>& sizes)
      : channels(std::max<int64_t>(1, sizes[1])),
        rows(std::max<int64_t>(1, sizes[2])),
        columns(std::max<int64_t>(1, sizes[3])) {}
  __device__ Pixel at(int64_t i) const {
    const auto place = static_cast<uint32_t>(i);
    const uint32_t row = columns.quotient(place), channel = rows.quotient(row),
                   n = channels.quotient(channel);
    return {static_cast<int>(n), static_cast<int>(channel - n * channels.value()),
            static_cast<int>(row - channel * rows.value()),
            static_cast<int>(place - row * columns.value())};
  }
};

struct Sizes2d {
  int height, width, kernel[2], rows, columns, stride[2], padding[2], dilation[2], multiplier;

  explicit Sizes2d(const Conv2dProblem& p)
      : height(static_cast<int>(p.image[2])),
        width(static_cast<int>(p.image[3])),
        kernel{static_cast<int>(p.filter[2]), static_cast<int>(p.filter[3])},
        rows(static_cast<int>(p.response[2])),
        columns(static_cast<int>(p.response[3])),
        multiplier(static_cast<int>(p.filter[0] / p.groups)) {
    for (std::size_t d = 0; d < 2; ++d) {
      stride[d] = static_cast<int>(p.stride[d]);
      padding[d] = static_cast<int>(p.padding[d]);
      dilation[d] = static_cast<int>(p.dilation[d]);
    }
  }
  /// The image's row or column that position i sees through pixel k of the filter.
  __device__ int64_t seen(int d, int64_t i, int k) const {
    return i * stride[d] - padding[d] + int64_t{k} * dilation[d];
  }
  /// The position that sees row or column x through pixel k; -1 if none does.
  __device__ int64_t position(int d, int x, int k) const {
    const int64_t far = int64_t{x} + padding[d] - int64_t{k} * dilation[d];
    return far < 0 || far % stride[d] != 0 || far / stride[d] >= (d == 0 ? rows : columns)
               ? -1
               : far / stride[d];
  }
};

template <typename T>
struct DepthwiseResponse {
  Sizes2d sizes;
  Pixels pixels;
  Images<const T> image, filter;
  const T* bias;
  int64_t bias_step;
  T* result;

  __device__ void operator()(int64_t i, const LoneThread&) const {
    const Pixel at = pixels.at(i);
    T sum = bias ? bias[at.c * bias_step] : T(0);
    for (int p = 0; p < sizes.kernel[0]; ++p) {
      const int64_t h = sizes.seen(0, at.h, p);
      if (h < 0 || h >= sizes.height) continue;
      for (int q = 0; q < sizes.kernel[1]; ++q) {
        const int64_t w = sizes.seen(1, at.w, q);
        if (w < 0 || w >= sizes.width) continue;
        sum += image.at(at.n, at.c / sizes.multiplier, h, w) * filter.at(at.c, 0, p, q);
      }
    }
    result[i] = sum;
  }
};

template <typename T>
struct DepthwiseImage {
  Sizes2d sizes;
  Pixels pixels;
  Images<const T> response, filter;
  T* result;

  __device__ void operator()(int64_t i, const LoneThread&) const {
    const Pixel at = pixels.at(i);
    T sum = 0;
    for (int p = 0; p < sizes.kernel[0]; ++p) {
      const int64_t row = sizes.position(0, at.h, p);
      if (row < 0) continue;
      for (int q = 0; q < sizes.kernel[1]; ++q) {
        const int64_t column = sizes.position(1, at.w, q);
        if (column < 0) continue;
        for (int o = at.c * sizes.multiplier; o < (at.c + 1) * sizes.multiplier; ++o)
          sum += response.at(at.n, o, row, column) * filter.at(o, 0, p, q);
      }
    }
    result[i] = sum;
  }
};

/// A team at each number of the filter.
template <typename T>
struct DepthwiseFilter {
  Sizes2d sizes;
  Pixels pixels, positions;  ///< of the filter; of the responses of one channel
  int64_t count;             ///< of these
  Images<const T> response, image;
  T* result;

  int folds() const { return 1; }
  template <typename Team>
  __device__ void operator()(int64_t i, const Team& team) const {
    const Pixel at = pixels.at(i);
    const SharedRow<T, Team> row(nullptr, count, 1, team);
    const double sum = sum_row<double>(row, [&](int64_t k) {
      const Pixel from = positions.at(k);
      const int64_t h = sizes.seen(0, from.h, at.h), w = sizes.seen(1, from.w, at.w);
      if (h < 0 || h >= sizes.height || w < 0 || w >= sizes.width) return 0.0;
      return static_cast<double>(response.at(from.n, at.n, from.h, from.w)) *
             static_cast<double>(image.at(from.n, at.n / sizes.multiplier, h, w));
    });
    if (team.rank() == 0) result[i] = static_cast<T>(sum);
  }
};

}  // namespace

bool is_depthwise(const Conv2dProblem& p) {
  const auto is_small = [](const std::array<int64_t, 4>& sizes) {
    int64_t numel = 1;
    for (const int64_t size : sizes) numel *= size;
    return numel <= Divisor::kLargest;
  };
  const auto fits = [](const Pair& pair) {
    return pair[0] <= Divisor::kLargest && pair[1] <= Divisor::kLargest;
  };
  return p.groups > 1 && p.filter[1] == 1 && is_small(p.image) && is_small(p.filter) &&
         is_small(p.response) && fits(p.stride) && fits(p.padding) && fits(p.dilation);
}

void depthwise(const Operation&, const Tensor& result, const Tensor& image, const Tensor& filter,
               const Tensor& bias, const Conv2dProblem& p) {
  if (result.numel() == 0) return;
  visit_floating(result.dtype(), [&]<typename T>() {
    const DepthwiseResponse<T> work{Sizes2d(p),
                                    Pixels(p.response),
                                    Images<const T>(image),
                                    Images<const T>(filter),
                                    data_or_null<T>(bias),
                                    bias.defined() ? bias.stride(0) : 0,
                                    result.impl().data_as<T>()};
    detail::launch_by_threads(work, result.numel(), stream_of(result));
  });
}

void depthwise_backward_input(const Operation&, const Tensor& result, const Tensor& response,
                              const Tensor& filter, const Conv2dProblem& p) {
  if (result.numel() == 0) return;
  visit_floating(result.dtype(), [&]<typename T>() {
    const DepthwiseImage<T> work{Sizes2d(p), Pixels(p.image), Images<const T>(response),
                                 Images<const T>(filter), result.impl().data_as<T>()};
    detail::launch_by_threads(work, result.numel(), stream_of(result));
  });
}

void depthwise_backward_weight(const Operation&, const Tensor& result, const Tensor& response,
                               const Tensor& image, const Conv2dProblem& p) {
  if (result.numel() == 0) return;
  visit_floating(result.dtype(), [&]<typename T>() {
    const int64_t count = p.response[0] * p.positions();
    const DepthwiseFilter<T> work{Sizes2d(p),
                                  Pixels(p.filter),
                                  Pixels({p.response[0], 1, p.response[2], p.response[3]}),
                                  count,
                                  Images<const T>(response),
                                  Images<const T>(image),
                                  result.impl().data_as<T>()};
    launch_teams(work, result.numel(), count, count >= detail::kLongRow, result);
  });
}

}  // namespace notape::cuda
