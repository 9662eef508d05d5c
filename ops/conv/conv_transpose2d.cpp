// conv_transpose2d(x, w, b)[n,o,h,v] = b[o] + sum of x[n,c,i,j] w[c,o,p,q] over all places with h =
// i sH - pH + p dH, v likewise: conv2d_backward_input, which carries the derivatives, of an image
// so large. conv_transpose1d: the same of images of one row.
#include "ops/arithmetic.h"
#include "ops/conv.h"
#include "ops/conv/conv2d.h"
#include "ops/conv/conv2d_spec.h"
#include "ops/core/autocast.h"
#include "ops/core/composite.h"
#include "ops/core/promotion.h"
#include "ops/core/sizes.h"
#include "ops/shape.h"

namespace notape {
namespace {

struct Parameters {
  Pair stride, padding, output_padding, dilation;
  int64_t groups;
};

void check_output_padding(const Operation& op, const Parameters& p, std::size_t d) {
  if (p.output_padding[d] < 0 || p.output_padding[d] >= std::max(p.stride[d], p.dilation[d]))
    op.fail<ValueError>(
        "output padding must be at least 0 and smaller than either stride or dilation, but got "
        "output_padding: {} stride: {} dilation: {}",
        to_string(IntArrayRef(p.output_padding.data(), 2)),
        to_string(IntArrayRef(p.stride.data(), 2)), to_string(IntArrayRef(p.dilation.data(), 2)));
}

/// The convolution whose image is what is wanted and whose response is `input` (N, C, H, W).
Conv2dProblem problem_of(const Operation& op, IntArrayRef input, IntArrayRef weight,
                         const Parameters& p) {
  if (weight.size() != 4)
    op.fail<ShapeError>("expected 4D weight, but got weight of size {}", to_string(weight));
  if (p.groups < 1) op.fail<ValueError>("non-positive groups is not supported");
  if (weight[0] != input[1] || weight[0] % p.groups != 0)
    op.fail<ShapeError>(
        "given transposed=1, weight of size {}, groups={}, expected input{} to have {} channels, "
        "a multiple of groups, but got {} channels instead",
        to_string(weight), p.groups, to_string(input), weight[0], input[1]);
  // Its parameters are checked with the smallest image that there is.
  std::vector<int64_t> image = {input[0], size_product(op, {weight[1], p.groups}), 1, 1};
  for (std::size_t d = 0; d < 2; ++d) {
    const int64_t most = std::numeric_limits<int32_t>::max();
    const bool small = p.stride[d] >= 1 && p.stride[d] <= most && p.padding[d] >= 0 &&
                       p.padding[d] <= most && p.dilation[d] >= 1 && p.dilation[d] <= most;
    if (!small) continue;  // conv2d_problem will say so
    check_output_padding(op, p, d);
    if (input[2 + d] < 1)
      op.fail<ShapeError>("expected input with something in it, but got size {}", to_string(input));
    if (input[2 + d] > most || weight[2 + d] > most)
      op.fail<ShapeError>("sizes of images and kernels are at most {}, not {}", most,
                          std::max(input[2 + d], weight[2 + d]));
    const int64_t reach = p.dilation[d] * (weight[2 + d] - 1) + 1;
    image[2 + d] =
        (input[2 + d] - 1) * p.stride[d] - 2 * p.padding[d] + reach + p.output_padding[d];
    if (image[2 + d] < 1)
      op.fail<ShapeError>(
          "given input of size {} and weight of size {}, the output would have size {} at "
          "dimension {}",
          to_string(input), to_string(weight), image[2 + d], 2 + d);
  }
  Conv2dProblem result =
      conv2d_problem(op, image, weight, p.stride, p.padding, p.dilation, p.groups);
  // What output_padding adds to the image may have room for a larger response.
  for (std::size_t d = 0; d < 2; ++d) result.response[2 + d] = input[2 + d];
  return result;
}

void check_conv_transpose2d_bias(const Operation& op, const Tensor& input, const Tensor& bias,
                                 int64_t channels) {
  if (!bias.defined()) return;
  check_operands(op, {&input, &bias});
  if (bias.dim() != 1 || bias.numel() != channels)
    op.fail<ShapeError>(
        "expected bias to be 1-dimensional with {} elements, but got bias of size {}", channels,
        to_string(bias.sizes()));
  check_same_type(op, input, bias);
}

Tensor transposed(const Operation& op, const Tensor& input, const Tensor& weight,
                  const Tensor& bias, const Parameters& p) {
  const Conv2dProblem problem = problem_of(op, input.sizes(), weight.sizes(), p);
  check_same_type(op, input, weight);
  check_conv_transpose2d_bias(op, input, bias, problem.image[1]);
  if (!bias.defined()) return conv2d_backward_input(input, weight, problem, op.at);
  // Sums of 16 bits are rounded once, with the bias.
  const ScalarType type = computed_in(input.dtype());
  const Tensor sums =
      conv2d_backward_input(to(input, type, op.at), to(weight, type, op.at), problem, op.at);
  const Tensor result = add(sums, reshape(to(bias, type, op.at), {-1, 1, 1}, op.at), 1, op.at);
  return to(result, input.dtype(), op.at);
}

template <bool one_row>
OpCase draw_conv_transpose2d(Draw& draw) {
  Conv2dProblem p = draw_conv2d_problem(draw);
  if (p.filter[1] == 0) p.filter[1] = 1;
  if (one_row) {
    p.stride[0] = p.dilation[0] = p.filter[2] = p.response[2] = 1;
    p.padding[0] = 0;
  }
  Pair more(one_row ? 0 : draw.integer(0, 1), draw.integer(0, 1));
  for (std::size_t d = 0; d < 2; ++d) {
    const int64_t reach = p.dilation[d] * (p.filter[2 + d] - 1) + 1;
    if (more[d] >= std::max(p.stride[d], p.dilation[d])) more[d] = 0;
    const auto size = [&] {
      return (p.response[2 + d] - 1) * p.stride[d] - 2 * p.padding[d] + reach + more[d];
    };
    while (size() - more[d] < 1) ++p.response[2 + d];
    p.image[2 + d] = size();
  }
  p.image[1] = p.filter[1] * p.groups;
  return convolution_case(
      {.dims = one_row ? 1 : 2, .planes = p}, ConvolutionPart::Image, draw.boolean(),
      format_message(", output_padding={}x{}", {more[0], more[1]}),
      [=](const Tensor& y, const Tensor& w, const Tensor& bias) {
        if (one_row)
          return conv_transpose1d(y, w, bias, p.stride[1], p.padding[1], more[1], p.groups,
                                  p.dilation[1]);
        return conv_transpose2d(y, w, bias, p.stride, p.padding, more, p.groups, p.dilation);
      });
}

const RegisterOp conv_transpose2d_row({.name = "conv_transpose2d",
                                       .family = "conv",
                                       .draw = draw_conv_transpose2d<false>,
                                       .traits = Trait::Accumulates});
const RegisterOp conv_transpose2d_row_1d({.name = "conv_transpose1d",
                                          .family = "conv",
                                          .draw = draw_conv_transpose2d<true>,
                                          .traits = Trait::Accumulates});

}  // namespace

Tensor transposed_convolution(const Operation& op, const Tensor& input, const Tensor& weight,
                              const Tensor& bias, Pair stride, Pair padding, Pair output_padding,
                              int64_t groups, Pair dilation) {
  return transposed(op, input, weight, bias, {stride, padding, output_padding, dilation, groups});
}

Tensor conv_transpose2d(const Tensor& input, const Tensor& weight, const Tensor& bias, Pair stride,
                        Pair padding, Pair output_padding, Integer groups, Pair dilation, At at) {
  if (in_autocast(input)) [[unlikely]]
    return autocast_to_low(
        at,
        [&](auto... x) {
          return conv_transpose2d(x..., stride, padding, output_padding, groups, dilation, at);
        },
        input, weight, bias);
  const Operation op("conv_transpose2d", at);
  check_operands(op, {&input, &weight});
  if (input.dim() != 3 && input.dim() != 4)
    op.fail<ShapeError>(
        "Expected 3D (unbatched) or 4D (batched) input to conv_transpose2d, but got input of size: "
        "{}",
        to_string(input.sizes()));
  const Composite composite({&input, &weight, &bias});
  const Parameters p{stride, padding, output_padding, dilation, groups};
  if (input.dim() == 4) return transposed(op, input, weight, bias, p);
  return squeeze(transposed(op, unsqueeze(input, 0, at), weight, bias, p), 0, at);
}

Tensor conv_transpose1d(const Tensor& input, const Tensor& weight, const Tensor& bias,
                        Integer stride, Integer padding, Integer output_padding, Integer groups,
                        Integer dilation, At at) {
  if (in_autocast(input)) [[unlikely]]
    return autocast_to_low(
        at,
        [&](auto... x) {
          return conv_transpose1d(x..., stride, padding, output_padding, groups, dilation, at);
        },
        input, weight, bias);
  const Operation op("conv_transpose1d", at);
  check_operands(op, {&input, &weight});
  if (input.dim() != 2 && input.dim() != 3)
    op.fail<ShapeError>(
        "Expected 2D (unbatched) or 3D (batched) input to conv_transpose1d, but got input of size: "
        "{}",
        to_string(input.sizes()));
  if (weight.dim() != 3)
    op.fail<ShapeError>("expected 3D weight, but got weight of size {}", to_string(weight.sizes()));
  const Composite composite({&input, &weight, &bias});
  const Parameters p{{1, stride}, {0, padding}, {0, output_padding}, {1, dilation}, groups};
  const Tensor batch = input.dim() == 3 ? input : unsqueeze(input, 0, at);
  const Tensor result =
      squeeze(transposed(op, unsqueeze(batch, 2, at), unsqueeze(weight, 2, at), bias, p), 2, at);
  return input.dim() == 3 ? result : squeeze(result, 0, at);
}

}  // namespace notape
