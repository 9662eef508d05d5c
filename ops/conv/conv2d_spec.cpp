#include "ops/conv/conv2d_spec.h"

namespace notape {
namespace {

/// Calls visit(position in image, in filter, in response), row-major, for each product of planes.
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
std::size_t plane_in_volume(std::size_t flat, int64_t area, int64_t planes, int64_t plane) {
  const auto place = static_cast<int64_t>(flat);
  return static_cast<std::size_t>((place / area * planes + plane) * area + place % area);
}

/// The same for volumes.
template <typename Visit>
void for_each_product(const PlainConvolution& p, Visit visit) {
  const auto area = [](const std::array<int64_t, 4>& sizes) { return sizes[2] * sizes[3]; };
  for (int64_t z = 0; z < p.response_depth; ++z)
    for (int64_t k = 0; k < p.kernel; ++k) {
      const int64_t from = z * p.stride - p.padding + k * p.dilation;
      if (from < 0 || from >= p.image_depth) continue;
      for_each_product(p.planes, [&](std::size_t image, std::size_t filter, std::size_t response) {
        visit(plane_in_volume(image, area(p.planes.image), p.image_depth, from),
              plane_in_volume(filter, area(p.planes.filter), p.kernel, k),
              plane_in_volume(response, area(p.planes.response), p.response_depth, z));
      });
    }
}

/// (N, C, D, H, W), without those that the convolution has not.
std::vector<int64_t> sizes_of(const PlainConvolution& p, ConvolutionPart part) {
  const auto [sizes, depth] =
      part == ConvolutionPart::Image    ? std::pair(p.planes.image, p.image_depth)
      : part == ConvolutionPart::Filter ? std::pair(p.planes.filter, p.kernel)
                                        : std::pair(p.planes.response, p.response_depth);
  if (p.dims == 1) return {sizes[0], sizes[1], sizes[3]};
  if (p.dims == 2) return {sizes.begin(), sizes.end()};
  return {sizes[0], sizes[1], depth, sizes[2], sizes[3]};
}

}  // namespace

Conv2dProblem draw_conv2d_problem(Draw& draw) {
  const int64_t groups = draw.integer(1, 2);
  const Pair stride(draw.integer(1, 2), draw.integer(1, 2));
  const Pair padding(draw.integer(0, 2), draw.integer(0, 1));
  const Pair dilation(draw.integer(1, 2), draw.integer(1, 2));
  const std::vector<int64_t> filter = {groups * draw.integer(1, 2), draw.integer(0, 2),
                                       draw.integer(1, 3), draw.integer(1, 3)};
  std::vector<int64_t> image = {draw.integer(0, 2), groups * filter[1], 0, 0};
  for (std::size_t d = 0; d < 2; ++d) {
    const int64_t reach = dilation[d] * (filter[2 + d] - 1) + 1;
    image[2 + d] = std::max<int64_t>(reach - 2 * padding[d], 1) + draw.integer(0, 3);
  }
  const Operation op("conv2d", SourceLocation::current());
  return conv2d_problem(op, image, filter, stride, padding, dilation, groups);
}

std::string conv2d_label(const Conv2dProblem& p) {
  return format_message("stride={}x{}, padding={}x{}, dilation={}x{}, groups={}",
                        {p.stride[0], p.stride[1], p.padding[0], p.padding[1], p.dilation[0],
                         p.dilation[1], p.groups});
}

OpCase convolution_case(
    const PlainConvolution& p, ConvolutionPart wanted, bool biased, const std::string& label,
    std::function<Tensor(const Tensor&, const Tensor&, const Tensor& bias)> call) {
  using enum ConvolutionPart;
  const ConvolutionPart first = wanted == Response ? Image : Response;
  const ConvolutionPart second = wanted == Filter ? Image : Filter;
  const std::vector<int64_t> result_sizes = sizes_of(p, wanted);
  OpCase one;
  one.label = conv2d_label(p.planes) + label;
  one.arguments = {{.sizes = sizes_of(p, first)}, {.sizes = sizes_of(p, second)}};
  if (biased) one.arguments.push_back({.sizes = {result_sizes[1]}});
  one.call = [=](const variable_list& x) { return call(x[0], x[1], biased ? x[2] : Tensor()); };
  one.reference = [=]<typename T>(const PlainList<T>& x) {
    PlainTensor<T> result(result_sizes);
    for (int64_t i = 0; biased && i < result.numel(); ++i) {
      const int64_t channel = i / (result.numel() / (result_sizes[0] * result_sizes[1]));
      result.values[static_cast<std::size_t>(i)] =
          x[2].values[static_cast<std::size_t>(channel % result_sizes[1])];
    }
    for_each_product(p, [&](std::size_t image, std::size_t filter, std::size_t response) {
      const std::size_t at[] = {image, filter, response};
      const auto of = [&](ConvolutionPart part) { return at[static_cast<std::size_t>(part)]; };
      result.values[of(wanted)] += x[0].values[of(first)] * x[1].values[of(second)];
    });
    return result;
  };
  return one;
}

}  // namespace notape
