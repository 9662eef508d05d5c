// conv3d(x, w, b): conv2d, which carries the derivatives, of images whose channels are (c, k): the
// planes of channel c that meet a position through k, the first dimension of the kernel.
#include "autograd/tensor/factories.h"
#include "ops/conv.h"
#include "ops/conv/conv2d.h"
#include "ops/conv/conv2d_spec.h"
#include "ops/core/autocast.h"
#include "ops/core/composite.h"
#include "ops/core/promotion.h"
#include "ops/shape.h"

namespace notape {
namespace {

constexpr int64_t kMost = std::numeric_limits<int32_t>::max();

struct Depth {
  int64_t kernel, stride, padding, dilation;
  int64_t reach() const { return dilation * (kernel - 1) + 1; }
  int64_t response(int64_t depth) const { return (depth + 2 * padding - reach()) / stride + 1; }
};

Tensor padded(const Tensor& volume, int64_t padding, At at) {
  if (padding == 0) return volume;
  std::vector<int64_t> sizes = volume.sizes().vec();
  sizes[2] = padding;
  const Tensor none =
      zeros(sizes, TensorOptions(volume.dtype()).device(volume.device().of_samples()));
  return cat({none, volume, none}, 2, at);
}

/// (N, C, D, H, W) -> (N D', C kD, H, W)
Tensor planes(const Tensor& volume, const Depth& d, At at) {
  const Tensor whole = padded(volume, d.padding, at);
  const int64_t count = d.response(volume.size(2));
  TensorList meeting;
  for (int64_t k = 0; k < d.kernel; ++k)
    meeting.push_back(
        slice(whole, 2, k * d.dilation, k * d.dilation + (count - 1) * d.stride + 1, d.stride, at));
  const Tensor all =
      permute(stack(meeting, 3, at), {0, 2, 1, 3, 4, 5}, at);  // (N, D', C, kD, H, W)
  return reshape(all, {all.size(0) * count, all.size(2) * d.kernel, all.size(4), all.size(5)}, at);
}

void check_conv3d(const Operation& op, const Tensor& input, const Tensor& weight, const Depth& d) {
  if (weight.dim() != 5)
    op.fail<ShapeError>("expected 5D weight, but got weight of size {}", to_string(weight.sizes()));
  if (d.stride < 1 || d.stride > kMost)
    op.fail<ValueError>("non-positive stride is not supported, nor one beyond {}", kMost);
  if (d.padding < 0 || d.padding > kMost)
    op.fail<ValueError>("negative padding is not supported, nor one beyond {}", kMost);
  if (d.dilation < 1 || d.dilation > kMost)
    op.fail<ValueError>("dilation should be greater than zero and at most {}", kMost);
  if (d.kernel < 1 || d.kernel > kMost)
    op.fail<ShapeError>("kernel size should be greater than zero, but got weight of size {}",
                        to_string(weight.sizes()));
  if (d.reach() > input.size(2) + 2 * d.padding)
    op.fail<ShapeError>(
        "Calculated padded input depth: {}. Kernel depth: {}. Kernel size can't be greater than "
        "actual input size",
        input.size(2) + 2 * d.padding, d.reach());
}

OpCase draw_conv3d(Draw& draw) {
  const Conv2dProblem p = draw_conv2d_problem(draw);
  const Depth d{draw.integer(1, 2), draw.integer(1, 2), draw.integer(0, 1), draw.integer(1, 2)};
  const int64_t depth = std::max<int64_t>(d.reach() - 2 * d.padding, 1) + draw.integer(0, 1);
  const PlainConvolution plain{.dims = 3,
                               .planes = p,
                               .kernel = d.kernel,
                               .stride = d.stride,
                               .padding = d.padding,
                               .dilation = d.dilation,
                               .image_depth = depth,
                               .response_depth = d.response(depth)};
  return convolution_case(plain, ConvolutionPart::Response, draw.boolean(),
                          format_message(", depth: kernel={}, stride={}, padding={}, dilation={}",
                                         {d.kernel, d.stride, d.padding, d.dilation}),
                          [=](const Tensor& x, const Tensor& w, const Tensor& bias) {
                            return conv3d(x, w, bias, {d.stride, p.stride[0], p.stride[1]},
                                          {d.padding, p.padding[0], p.padding[1]},
                                          {d.dilation, p.dilation[0], p.dilation[1]}, p.groups);
                          });
}

const RegisterOp conv3d_row(
    {.name = "conv3d", .family = "conv", .draw = draw_conv3d, .traits = Trait::Accumulates});

}  // namespace

Tensor conv3d(const Tensor& input, const Tensor& weight, const Tensor& bias, Triple stride,
              Triple padding, Triple dilation, Integer groups, At at) {
  if (in_autocast(input)) [[unlikely]]
    return autocast_to_low(
        at, [&](auto... x) { return conv3d(x..., stride, padding, dilation, groups, at); }, input,
        weight, bias);
  const Operation op("conv3d", at);
  check_operands(op, {&input, &weight});
  if (input.dim() != 4 && input.dim() != 5)
    op.fail<ShapeError>(
        "Expected 4D (unbatched) or 5D (batched) input to conv3d, but got input of size: {}",
        to_string(input.sizes()));
  const Composite composite({&input, &weight, &bias});
  if (input.dim() == 4)
    return squeeze(
        conv3d(unsqueeze(input, 0, at), weight, bias, stride, padding, dilation, groups, at), 0,
        at);
  const Depth d{weight.dim() == 5 ? weight.size(2) : 1, stride[0], padding[0], dilation[0]};
  check_conv3d(op, input, weight, d);
  const int64_t samples = input.size(0), count = d.response(input.size(2));
  const Tensor filter = reshape(
      weight, {weight.size(0), weight.size(1) * d.kernel, weight.size(3), weight.size(4)}, at);
  const Tensor y = convolution(op, planes(input, d, at), filter, bias, {stride[1], stride[2]},
                               {padding[1], padding[2]}, {dilation[1], dilation[2]}, groups);
  return transpose(reshape(y, {samples, count, y.size(1), y.size(2), y.size(3)}, at), 1, 2, at);
}

}  // namespace notape
