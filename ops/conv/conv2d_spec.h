// What the rows of the three convolution products share: random convolutions, and the plain list of
// all products that a convolution sums.
#pragma once
#include "ops/conv/conv2d.h"
#include "ops/spec/op_spec.h"

namespace notape {

Conv2dProblem draw_conv2d_problem(Draw& draw);
std::string conv2d_label(const Conv2dProblem& problem);

/// Calls visit(position in image, in filter, in response), row-major, for each product.
template <typename Visit>
void for_each_product(const Conv2dProblem& p, Visit visit) {
  const auto [N, C, H, W] = p.image;
  const auto [O, CG, KH, KW] = p.filter;
  const int64_t rows = p.response[2], columns = p.response[3], outputs = O / p.groups;
  for (int64_t n = 0; n < N; ++n)
    for (int64_t o = 0; o < O; ++o)
      for (int64_t i = 0; i < rows; ++i)
        for (int64_t j = 0; j < columns; ++j)
          for (int64_t c = 0; c < CG; ++c)
            for (int64_t k = 0; k < KH; ++k)
              for (int64_t l = 0; l < KW; ++l) {
                const int64_t h = i * p.stride[0] - p.padding[0] + k * p.dilation[0];
                const int64_t w = j * p.stride[1] - p.padding[1] + l * p.dilation[1];
                if (h < 0 || h >= H || w < 0 || w >= W) continue;
                const int64_t channel = o / outputs * CG + c;
                visit(static_cast<std::size_t>(((n * C + channel) * H + h) * W + w),
                      static_cast<std::size_t>(((o * CG + c) * KH + k) * KW + l),
                      static_cast<std::size_t>(((n * O + o) * rows + i) * columns + j));
              }
}

/// Where entry `flat` of images of `area` pixels is in volumes of `planes` such images, at `plane`.
inline std::size_t plane_in_volume(std::size_t flat, int64_t area, int64_t planes, int64_t plane) {
  const auto place = static_cast<int64_t>(flat);
  return static_cast<std::size_t>((place / area * planes + plane) * area + place % area);
}

}  // namespace notape
