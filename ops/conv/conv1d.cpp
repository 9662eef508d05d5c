// conv1d(x, w, b): conv2d, which carries the derivatives, of images of one row.
#include "ops/conv.h"
#include "ops/conv/conv2d.h"
#include "ops/conv/conv2d_spec.h"
#include "ops/core/autocast.h"
#include "ops/core/composite.h"
#include "ops/core/promotion.h"
#include "ops/shape.h"

namespace notape {
namespace {

OpCase draw_conv1d(Draw& draw) {
  const Conv2dProblem drawn = draw_conv2d_problem(draw);
  const auto one_row = [](std::array<int64_t, 4> sizes) {
    sizes[2] = 1;
    return sizes;
  };
  const Operation op("conv1d", SourceLocation::current());
  const Conv2dProblem p = conv2d_problem(
      op, IntArrayRef(one_row(drawn.image).data(), 4), IntArrayRef(one_row(drawn.filter).data(), 4),
      {1, drawn.stride[1]}, {0, drawn.padding[1]}, {1, drawn.dilation[1]}, drawn.groups);
  const bool biased = draw.boolean();
  return convolution_case({.dims = 1, .planes = p}, ConvolutionPart::Response, biased, "",
                          [=](const Tensor& x, const Tensor& w, const Tensor& bias) {
                            return conv1d(x, w, bias, p.stride[1], p.padding[1], p.dilation[1],
                                          p.groups);
                          });
}

const RegisterOp conv1d_row({.name = "conv1d",
                             .family = "conv",
                             .draw = draw_conv1d,
                             .traits = Trait::Convolves | Trait::Pads});

}  // namespace

Tensor conv1d(const Tensor& input, const Tensor& weight, const Tensor& bias, Integer stride,
              Integer padding, Integer dilation, Integer groups, At at) {
  if (in_autocast(input)) [[unlikely]]
    return autocast_to_low(
        at, [&](auto... x) { return conv1d(x..., stride, padding, dilation, groups, at); }, input,
        weight, bias);
  const Operation op("conv1d", at);
  check_operands(op, {&input, &weight});
  if (input.dim() != 2 && input.dim() != 3)
    op.fail<ShapeError>(
        "Expected 2D (unbatched) or 3D (batched) input to conv1d, but got input of size: {}",
        to_string(input.sizes()));
  if (weight.dim() != 3)
    op.fail<ShapeError>("expected 3D weight, but got weight of size {}", to_string(weight.sizes()));
  const Composite composite({&input, &weight, &bias});
  return squeeze(convolution(op, unsqueeze(input, -2, at), unsqueeze(weight, 2, at), bias,
                             {1, stride}, {0, padding}, {1, dilation}, groups),
                 -2, at);
}

}  // namespace notape
