// conv_transpose3d(x, w, b): conv_transpose2d, which carries the derivatives, of each plane of x to
// images with a channel (o, k) for each place k of the kernel's first dimension; these are added up
// where they meet, z sD - pD + k dD, by col2im along the depth.
#include "autograd/tensor/factories.h"
#include "ops/arithmetic.h"
#include "ops/conv.h"
#include "ops/conv/conv2d.h"
#include "ops/conv/conv2d_spec.h"
#include "ops/core/autocast.h"
#include "ops/core/composite.h"
#include "ops/core/promotion.h"
#include "ops/core/sizes.h"
#include "ops/shape.h"
#include "ops/vision.h"

namespace notape {
namespace {

struct Parameters3d {
  Triple stride, padding, output_padding, dilation;
  int64_t groups;

  /// Where the kernel comes to along dimension d, with nothing cut off.
  int64_t reach(std::size_t d, int64_t size, int64_t kernel) const {
    return (size - 1) * stride[d] + dilation[d] * (kernel - 1) + 1;
  }
  int64_t result(std::size_t d, int64_t size, int64_t kernel) const {
    return reach(d, size, kernel) - 2 * padding[d] + output_padding[d];
  }
};

void check_numbers(const Operation& op, const Parameters3d& p) {
  constexpr int64_t most = std::numeric_limits<int32_t>::max();
  if (p.groups < 1) op.fail<ValueError>("non-positive groups is not supported");
  for (std::size_t d = 0; d < 3; ++d) {
    if (p.stride[d] < 1 || p.stride[d] > most)
      op.fail<ValueError>("non-positive stride is not supported, nor one beyond {}", most);
    if (p.padding[d] < 0 || p.padding[d] > most)
      op.fail<ValueError>("negative padding is not supported, nor one beyond {}", most);
    if (p.dilation[d] < 1 || p.dilation[d] > most)
      op.fail<ValueError>("dilation should be greater than zero and at most {}", most);
    if (p.output_padding[d] < 0 || p.output_padding[d] >= std::max(p.stride[d], p.dilation[d]))
      op.fail<ValueError>(
          "output padding must be at least 0 and smaller than either stride or dilation, but got "
          "output_padding: {} stride: {} dilation: {}",
          to_string(IntArrayRef(p.output_padding.data(), 3)),
          to_string(IntArrayRef(p.stride.data(), 3)), to_string(IntArrayRef(p.dilation.data(), 3)));
  }
}

/// Of input (N, C, D, H, W).
void check_conv_transpose3d(const Operation& op, const Tensor& input, const Tensor& weight,
                            const Tensor& bias, const Parameters3d& p) {
  if (weight.dim() != 5)
    op.fail<ShapeError>("expected 5D weight, but got weight of size {}", to_string(weight.sizes()));
  check_numbers(op, p);
  if (weight.size(0) != input.size(1) || weight.size(0) % p.groups != 0)
    op.fail<ShapeError>(
        "given transposed=1, weight of size {}, groups={}, expected input{} to have {} channels, "
        "a multiple of groups, but got {} channels instead",
        to_string(weight.sizes()), p.groups, to_string(input.sizes()), weight.size(0),
        input.size(1));
  for (std::size_t d = 0; d < 3; ++d) {
    const int64_t size = input.sizes()[2 + d], kernel = weight.sizes()[2 + d];
    constexpr int64_t most = std::numeric_limits<int32_t>::max();
    if (size < 1 || kernel < 1 || size > most || kernel > most)
      op.fail<ShapeError>("expected input and weight with something in them, but got sizes {}, {}",
                          to_string(input.sizes()), to_string(weight.sizes()));
    if (p.result(d, size, kernel) < 1)
      op.fail<ShapeError>(
          "given input of size {} and weight of size {}, the output would have size {} at "
          "dimension {}",
          to_string(input.sizes()), to_string(weight.sizes()), p.result(d, size, kernel), 2 + d);
  }
  check_same_type(op, input, weight);
  if (!bias.defined()) return;
  check_operands(op, {&input, &bias});
  if (bias.dim() != 1 || bias.numel() != size_product(op, {weight.size(1), p.groups}))
    op.fail<ShapeError>(
        "expected bias to be 1-dimensional with {} elements, but got bias of size {}",
        weight.size(1) * p.groups, to_string(bias.sizes()));
  check_same_type(op, input, bias);
}

/// Planes (N, O, kD, H, W, D) added up along the depth -> (N, O, H, W, D').
Tensor added_up(const Tensor& planes, const Parameters3d& p, At at) {
  const int64_t kernel = planes.size(2), depth = planes.size(5), reach = p.reach(0, depth, kernel);
  const int64_t lines = planes.size(1) * planes.size(3) * planes.size(4);
  const Tensor columns =
      reshape(permute(planes, {0, 1, 3, 4, 2, 5}, at), {planes.size(0), lines * kernel, depth}, at);
  Tensor all =
      col2im(columns, {reach, 1}, {kernel, 1}, {p.dilation[0], 1}, 0, {p.stride[0], 1}, at);
  const int64_t size = p.result(0, depth, kernel);
  if (const int64_t missing = p.padding[0] + size - reach; missing > 0)
    all = constant_pad_nd(all, {0, 0, 0, missing}, 0, at);
  return reshape(narrow(all, 2, p.padding[0], size, at),
                 {planes.size(0), planes.size(1), planes.size(3), planes.size(4), size}, at);
}

Tensor transposed_volume(const Operation& op, const Tensor& input, const Tensor& weight,
                         const Parameters3d& p) {
  const At at = op.at;
  const int64_t samples = input.size(0), depth = input.size(2), kernel = weight.size(2);
  const int64_t channels = weight.size(1) * p.groups;
  const Tensor planes = reshape(transpose(input, 1, 2, at),
                                {samples * depth, input.size(1), input.size(3), input.size(4)}, at);
  const Tensor filter = reshape(
      weight, {weight.size(0), weight.size(1) * kernel, weight.size(3), weight.size(4)}, at);
  const Tensor images = transposed_convolution(
      op, planes, filter, {}, {p.stride[1], p.stride[2]}, {p.padding[1], p.padding[2]},
      {p.output_padding[1], p.output_padding[2]}, p.groups, {p.dilation[1], p.dilation[2]});
  const Tensor apart =
      reshape(images, {samples, depth, channels, kernel, images.size(2), images.size(3)}, at);
  return permute(added_up(permute(apart, {0, 2, 3, 4, 5, 1}, at), p, at), {0, 1, 4, 2, 3}, at);
}

/// Along the depth; returns the output padding.
int64_t draw_depth(Draw& draw, PlainConvolution& p) {
  p.kernel = draw.integer(1, 2);
  p.stride = draw.integer(1, 2);
  p.padding = draw.integer(0, 1);
  p.dilation = draw.integer(1, 2);
  int64_t more = draw.integer(0, 1);
  p.response_depth = draw.integer(1, 2);
  if (more >= std::max(p.stride, p.dilation)) more = 0;
  const auto size = [&] {
    return (p.response_depth - 1) * p.stride - 2 * p.padding + p.dilation * (p.kernel - 1) + 1 +
           more;
  };
  while (size() < 1) ++p.response_depth;
  p.image_depth = size();
  return more;
}

OpCase draw_conv_transpose3d(Draw& draw) {
  Conv2dProblem p = draw_conv2d_problem(draw);
  if (p.filter[1] == 0) p.filter[1] = 1;
  p.image[1] = p.filter[1] * p.groups;
  for (std::size_t i = 2; i < 4; ++i)  // less of it: checks take the time of all entries squared
    p.response[i] = std::min<int64_t>(p.response[i], 2);
  for (std::size_t d = 0; d < 2; ++d) {
    const int64_t reach = p.dilation[d] * (p.filter[2 + d] - 1) + 1;
    const auto size = [&] {
      return (p.response[2 + d] - 1) * p.stride[d] - 2 * p.padding[d] + reach;
    };
    while (size() < 1) ++p.response[2 + d];
    p.image[2 + d] = size();
  }
  PlainConvolution d{.dims = 3, .planes = p};
  const int64_t more = draw_depth(draw, d);
  return convolution_case(
      d, ConvolutionPart::Image, draw.boolean(),
      format_message(", depth: kernel={}, stride={}, padding={}, dilation={}, output_padding={}",
                     {d.kernel, d.stride, d.padding, d.dilation, more}),
      [=](const Tensor& y, const Tensor& w, const Tensor& bias) {
        return conv_transpose3d(y, w, bias, {d.stride, p.stride[0], p.stride[1]},
                                {d.padding, p.padding[0], p.padding[1]}, {more, 0, 0}, p.groups,
                                {d.dilation, p.dilation[0], p.dilation[1]});
      });
}

const RegisterOp conv_transpose3d_row({.name = "conv_transpose3d",
                                       .family = "conv",
                                       .draw = draw_conv_transpose3d,
                                       .traits = Trait::Accumulates});

}  // namespace

Tensor conv_transpose3d(const Tensor& input, const Tensor& weight, const Tensor& bias,
                        Triple stride, Triple padding, Triple output_padding, Integer groups,
                        Triple dilation, At at) {
  if (in_autocast(input)) [[unlikely]]
    return autocast_to_low(
        at,
        [&](auto... x) {
          return conv_transpose3d(x..., stride, padding, output_padding, groups, dilation, at);
        },
        input, weight, bias);
  const Operation op("conv_transpose3d", at);
  check_operands(op, {&input, &weight});
  if (input.dim() != 4 && input.dim() != 5)
    op.fail<ShapeError>(
        "Expected 4D (unbatched) or 5D (batched) input to conv_transpose3d, but got input of size: "
        "{}",
        to_string(input.sizes()));
  const Composite composite({&input, &weight, &bias});
  const Parameters3d p{stride, padding, output_padding, dilation, groups};
  const Tensor batch = input.dim() == 5 ? input : unsqueeze(input, 0, at);
  check_conv_transpose3d(op, batch, weight, bias, p);
  if (is_reduced_floating_point(input.dtype())) {  // sums along the depth would be rounded twice
    const auto wide = [at](const Tensor& x) { return x.defined() ? to(x, kFloat32, at) : x; };
    return to(conv_transpose3d(wide(input), wide(weight), wide(bias), stride, padding,
                               output_padding, groups, dilation, at),
              input.dtype(), at);
  }
  Tensor result = transposed_volume(op, batch, weight, p);
  if (bias.defined()) result = add(result, reshape(bias, {-1, 1, 1, 1}, at), 1, at);
  return input.dim() == 5 ? result : squeeze(result, 0, at);
}

}  // namespace notape
