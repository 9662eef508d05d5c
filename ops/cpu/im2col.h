// Unfolding: a convolution as a matrix product. Column (i, j) of the unfolded image holds the
// pixels that response position (i, j) sees, zero outside the image; rows are (c, p, q).
#pragma once
#include <algorithm>
#include <cstdint>
#include <cstring>

#include "ops/conv/conv2d.h"
#include "ops/core/wrapping.h"
#include "ops/parallel.h"

namespace notape {

/// Response rows [begin, end) of one image and group.
struct RowRange {
  int64_t begin, end;
};

namespace detail {

/// The part [begin, end) of a response row whose pixels for filter column q lie inside the image.
inline RowRange inside(const Conv2dProblem& p, int64_t q) {
  const int64_t shift = q * p.dilation[1] - p.padding[1], stride = p.stride[1];
  const int64_t columns = p.response[3], width = p.image[3];
  const int64_t begin = shift >= 0 ? 0 : (-shift + stride - 1) / stride;
  const int64_t end = width - shift <= 0 ? 0 : (width - shift - 1) / stride + 1;
  return {std::min(begin, columns), std::clamp(end, std::min(begin, columns), columns)};
}

/// Calls visit(image row or null, unfolded row part, range inside, first pixel of the range).
template <typename Pixel, typename Unfolded, typename Visit>
void for_each_run(const Conv2dProblem& p, Pixel* image, Unfolded* unfolded, RowRange rows,
                  Visit visit) {
  const int64_t height = p.image[2], width = p.image[3];
  const int64_t of_channel = p.filter[2] * p.filter[3] * (rows.end - rows.begin) * p.response[3];
  const auto visit_channel = [&](int64_t c) {
    Unfolded* part = unfolded + c * of_channel;
    for (int64_t k = 0; k < p.filter[2]; ++k)
      for (int64_t l = 0; l < p.filter[3]; ++l) {
        const RowRange range = inside(p, l);
        const int64_t first = range.begin * p.stride[1] - p.padding[1] + l * p.dilation[1];
        for (int64_t i = rows.begin; i < rows.end; ++i) {
          const int64_t h = i * p.stride[0] - p.padding[0] + k * p.dilation[0];
          Pixel* const line = h < 0 || h >= height ? nullptr : image + (c * height + h) * width;
          visit(line, part, range, first);
          part += p.response[3];
        }
      }
  };
  const int64_t grain = std::max<int64_t>(1, kParallelGrain / std::max<int64_t>(1, of_channel));
  parallel_for(0, p.filter[1], grain, [&](int64_t begin, int64_t end) {
    for (int64_t c = begin; c < end; ++c) visit_channel(c);
  });
}

}  // namespace detail

/// `image` (C / groups, H, W) -> `unfolded` (C / groups kH kW, rows W'), both row-major.
template <typename T>
void im2col(const Conv2dProblem& p, const T* image, T* unfolded, RowRange rows) {
  const int64_t columns = p.response[3], stride = p.stride[1];
  detail::for_each_run(p, image, unfolded, rows,
                       [=](const T* line, T* to, RowRange range, int64_t first) {
                         if (!line) return static_cast<void>(std::fill_n(to, columns, T(0)));
                         std::fill_n(to, range.begin, T(0));
                         const T* from = line + first;
                         if (stride == 1)
                           std::copy_n(from, range.end - range.begin, to + range.begin);
                         else
                           for (int64_t j = range.begin; j < range.end; ++j, from += stride)
                             to[j] = *from;
                         std::fill_n(to + range.end, columns - range.end, T(0));
                       });
}

/// The transposed map: adds `unfolded` to the pixels it came from.
template <typename T>
void add_col2im(const Conv2dProblem& p, const T* unfolded, T* image, RowRange rows) {
  const int64_t stride = p.stride[1];
  detail::for_each_run(
      p, image, unfolded, rows, [=](T* line, const T* from, RowRange range, int64_t first) {
        if (!line) return;
        T* to = line + first;
        for (int64_t j = range.begin; j < range.end; ++j, to += stride)
          *to = static_cast<T>(static_cast<Wrapping<T>>(*to) + static_cast<Wrapping<T>>(from[j]));
      });
}

}  // namespace notape
