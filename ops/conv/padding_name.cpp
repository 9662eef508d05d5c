// conv1d, conv2d and conv3d with padding by name. "same" is dilation (kernel - 1) zeros along each
// dimension, half of them in front, so that with stride 1 the result is as large as the input; the
// odd one goes behind, where constant_pad_nd puts it.
#include "ops/conv.h"
#include "ops/conv/conv2d_spec.h"
#include "ops/core/composite.h"
#include "ops/core/promotion.h"
#include "ops/core/sizes.h"
#include "ops/vision.h"

namespace notape {
namespace {

/// How often a convolution pads by itself, equally at both ends, and what it then looks at.
template <std::size_t dims>
struct NamedPadding {
  std::array<int64_t, dims> both{};
  Tensor input;
};

/// What does not fit together otherwise is left to the convolution to refuse.
template <std::size_t dims>
NamedPadding<dims> padding_of(const Operation& op, const Tensor& input, const Tensor& weight,
                              const std::array<int64_t, dims>& stride, PaddingName padding,
                              const std::array<int64_t, dims>& dilation) {
  check_operands(op, {&input, &weight});
  NamedPadding<dims> result{{}, input};
  if (padding.name != "same" && padding.name != "valid")
    op.fail<ValueError>("invalid padding string: '{}'", std::string(padding.name));
  if (padding.name == "valid") return result;
  for (const int64_t one : stride)
    if (one != 1) op.fail<ValueError>("padding='same' is not supported for strided convolutions");
  const auto rank = static_cast<int64_t>(dims);
  if (weight.dim() != rank + 2 || (input.dim() != rank + 1 && input.dim() != rank + 2))
    return result;
  std::vector<int64_t> behind(2 * dims);  // the last dimension first, each with front and end
  for (std::size_t d = 0; d < dims; ++d) {
    const int64_t kernel = weight.sizes()[2 + d];
    if (kernel < 1 || dilation[d] < 1 || dilation[d] > std::numeric_limits<int32_t>::max())
      return result;
    const int64_t all = size_product(op, {dilation[d], kernel - 1});
    result.both[d] = all / 2;
    behind[2 * (dims - 1 - d) + 1] = all % 2;
  }
  if (std::count(behind.begin(), behind.end(), 1) > 0)
    result.input = constant_pad_nd(input, behind, 0, op.at);
  return result;
}

/// A convolution without stride of what `drawn` convolves, and its response.
Conv2dProblem named_problem(const Conv2dProblem& drawn, bool same, int64_t most) {
  Conv2dProblem p = drawn;
  p.stride = 1;
  p.padding = 0;
  for (std::size_t d = 0; d < 2; ++d) {
    int64_t &size = p.image[2 + d], all = p.dilation[d] * (p.filter[2 + d] - 1);
    size = std::max(std::min(size, most), same ? 1 : all + 1);
    if (same) p.padding[d] = all / 2;
    p.response[2 + d] = same ? size : size - all;
  }
  return p;
}

template <std::size_t dims>
OpCase draw_padding_name(Draw& draw) {
  const bool same = draw.boolean(), biased = draw.boolean();
  Conv2dProblem drawn = draw_conv2d_problem(draw);
  if (dims == 1) {
    drawn.image[0] = drawn.response[0] = draw.integer(0, 3);
    drawn.image[2] = drawn.filter[2] = drawn.dilation[0] = 1;
  }
  const Conv2dProblem p = named_problem(drawn, same, dims == 1 ? 8 : 3);
  const int64_t kernel = dims == 3 ? draw.integer(1, 2) : 1, dilation = draw.integer(1, 2);
  const int64_t all = dilation * (kernel - 1);
  const int64_t depth = dims == 3 ? draw.integer(same ? 1 : all + 1, all + 1) : 1;
  const PlainConvolution plain{.dims = dims,
                               .planes = p,
                               .kernel = kernel,
                               .padding = same ? all / 2 : 0,
                               .dilation = dilation,
                               .image_depth = depth,
                               .response_depth = same ? depth : depth - all};
  const std::string label = same ? ", same" : ", valid";
  return convolution_case(
      plain, ConvolutionPart::Response, biased,
      dims == 3 ? label + format_message(", depth: kernel={}, dilation={}", {kernel, dilation})
                : label,
      [=](const Tensor& x, const Tensor& w, const Tensor& bias) {
        const PaddingName name(same ? "same" : "valid");
        if constexpr (dims == 1) return conv1d(x, w, bias, 1, name, p.dilation[1], p.groups);
        if constexpr (dims == 2) return conv2d(x, w, bias, 1, name, p.dilation, p.groups);
        return conv3d(x, w, bias, 1, name, {dilation, p.dilation[0], p.dilation[1]}, p.groups);
      });
}

const RegisterOp padding_name_row_1d({.name = "conv1d_padding",
                                      .family = "conv",
                                      .draw = draw_padding_name<1>,
                                      .traits = Trait::Convolves | Trait::Pads});
const RegisterOp row_2d({.name = "conv2d_padding",
                         .family = "conv",
                         .draw = draw_padding_name<2>,
                         .traits = Trait::Convolves | Trait::Pads});
const RegisterOp row_3d({.name = "conv3d_padding",
                         .family = "conv",
                         .draw = draw_padding_name<3>,
                         .traits = Trait::Accumulates});

}  // namespace

Tensor conv1d(const Tensor& input, const Tensor& weight, const Tensor& bias, Integer stride,
              PaddingName padding, Integer dilation, Integer groups, At at) {
  const Composite composite({&input, &weight, &bias});
  const auto p = padding_of<1>({"conv1d", at}, input, weight, {stride}, padding, {dilation});
  return conv1d(p.input, weight, bias, stride, p.both[0], dilation, groups, at);
}

Tensor conv2d(const Tensor& input, const Tensor& weight, const Tensor& bias, Pair stride,
              PaddingName padding, Pair dilation, Integer groups, At at) {
  const Composite composite({&input, &weight, &bias});
  const auto p = padding_of<2>({"conv2d", at}, input, weight, stride, padding, dilation);
  return conv2d(p.input, weight, bias, stride, {p.both[0], p.both[1]}, dilation, groups, at);
}

Tensor conv3d(const Tensor& input, const Tensor& weight, const Tensor& bias, Triple stride,
              PaddingName padding, Triple dilation, Integer groups, At at) {
  const Composite composite({&input, &weight, &bias});
  const auto p = padding_of<3>({"conv3d", at}, input, weight, stride, padding, dilation);
  return conv3d(p.input, weight, bias, stride, {p.both[0], p.both[1], p.both[2]}, dilation, groups,
                at);
}

}  // namespace notape
