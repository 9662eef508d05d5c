// conv2d(x, w, b)[n,o,i,j] = b[o] + sum over c, p, q of
//   w[o,c,p,q] x[n, c, i sH - pH + p dH, j sW - pW + q dW]        (zero outside the image)
// dx = conv2d_backward_input(G, w),  dw = conv2d_backward_weight(G, x),  db = sum of G over n, i, j
#include "ops/conv/conv2d.h"

#include "autograd/graph/record.h"
#include "autograd/modes/grad_mode.h"
#include "ops/activation.h"
#include "ops/conv/conv2d_samples.h"
#include "ops/conv/conv2d_spec.h"
#include "ops/core/allocate.h"
#include "ops/core/autocast.h"
#include "ops/core/composite.h"
#include "ops/core/promotion.h"
#include "ops/core/reduced.h"
#include "ops/linalg/gemm.h"
#include "ops/reduce.h"
#include "ops/shape.h"

namespace notape {
namespace {

constexpr auto image_rule =
    rule([](const Tensor& grad, const Input<1>& filter,
            const Conv2dProblem& p) { return conv2d_backward_input(grad, filter, p); },
         [](const Tensor& tangent, const Input<1>& filter, const Conv2dProblem& p) {
           return conv2d(tangent, filter, p);
         });
constexpr auto filter_rule =
    rule([](const Tensor& grad, const Input<0>& image,
            const Conv2dProblem& p) { return conv2d_backward_weight(grad, image, p); },
         [](const Tensor& tangent, const Input<0>& image, const Conv2dProblem& p) {
           return conv2d(image, tangent, p);
         });
constexpr auto kConv2dDerivative =
    derivative("ConvolutionBackward0", image_rule, filter_rule).with_arguments<"input", "weight">();
constexpr auto kWithBias = derivative("ConvolutionBackward0", image_rule, filter_rule,
                                      rule(
                                          [](const Tensor& grad) {
                                            return sum(grad, {0, 2, 3});
                                          },
                                          [](const Tensor& tangent) {
                                            return reshape(tangent, {-1, 1, 1});
                                          }))
                               .with_arguments<"input", "weight", "bias">();

OpCase draw_conv2d(Draw& draw) {
  const Conv2dProblem p = draw_conv2d_problem(draw);
  return convolution_case({.planes = p}, ConvolutionPart::Response, draw.boolean(), "",
                          [=](const Tensor& x, const Tensor& w, const Tensor& bias) {
                            return conv2d(x, w, bias, p.stride, p.padding, p.dilation, p.groups);
                          });
}

const RegisterOp conv2d_row({.name = "conv2d",
                             .family = "conv",
                             .draw = draw_conv2d,
                             .traits = Trait::Convolves | Trait::Pads});

Tensor run_conv2d(const Operation& op, const Tensor& image, const Tensor& filter,
                  const Tensor& bias, const Conv2dProblem& problem) {
  if (any_batched(image, filter, bias))
    return over_batch(
        [&](int64_t size, const Tensor& images, const Tensor& filters, const Tensor& biases) {
          if (size == 0) return zeros_of_no_sample(problem.response, images);
          if (!any_batched(filter, bias))
            return split_samples(run_conv2d(op, join_samples(images), filter, bias,
                                            samples_as_images(problem, size)),
                                 size);
          return split_channels(run_conv2d(op, join_channels(images), join_samples(filters),
                                           biases.defined() ? join_samples(biases) : biases,
                                           samples_as_groups(problem, size)),
                                size);
        },
        image, filter, bias);
  if (is_widened(image))
    return in_float32([&](const Tensor& x, const Tensor& w,
                          const Tensor& b) { return run_conv2d(op, x, w, b, problem); },
                      image, filter, bias);
  Tensor result = allocate(IntArrayRef(problem.response.data(), 4), image.dtype(), image.device());
  conv2d_kernel(op, image.dtype(), image.device(), result, image, filter, bias, problem);
  return result;
}

void check_conv2d_bias(const Operation& op, const Tensor& input, const Tensor& weight,
                       const Tensor& bias) {
  check_operands(op, {&input, &weight, &bias});
  if (bias.dim() != 1 || bias.numel() != weight.size(0))
    op.fail<ShapeError>(
        "Given weight of size {}, expected bias to be 1-dimensional with {} elements, but got bias "
        "of size {} instead",
        to_string(weight.sizes()), weight.size(0), to_string(bias.sizes()));
  if (bias.dtype() != input.dtype())
    op.fail<DtypeError>("Input type ({}) and bias type ({}) should be the same",
                        name_of(input.dtype()), name_of(bias.dtype()));
}

/// Nobody has seen it yet.
void overwrite_by_relu(Tensor& response) {
  const NoGradGuard constant;
  const ForwardLevelLimit no_tangents(0);
  relu_(response);
}

}  // namespace

Tensor conv2d(const Tensor& image, const Tensor& filter, const Conv2dProblem& problem, At at) {
  const Operation op("conv2d", at);
  check_same_type(op, image, filter);
  return record(kConv2dDerivative, op, run_conv2d(op, image, filter, Tensor(), problem), problem,
                image, filter);
}

Tensor convolution(const Operation& op, const Tensor& input, const Tensor& weight,
                   const Tensor& bias, Pair stride, Pair padding, Pair dilation, int64_t groups,
                   bool rectifies) {
  const At at = op.at;
  check_operands(op, {&input, &weight});
  if (input.dim() == 3) {
    const Composite composite({&input, &weight, &bias});
    const Tensor one = reshape(input, {1, input.size(0), input.size(1), input.size(2)}, at);
    const Tensor result =
        convolution(op, one, weight, bias, stride, padding, dilation, groups, rectifies);
    return reshape(result, {result.size(1), result.size(2), result.size(3)}, at);
  }
  if (input.dim() != 4)
    op.fail<ShapeError>(
        "Expected 3D (unbatched) or 4D (batched) input to conv2d, but got input of size: {}",
        to_string(input.sizes()));
  const Conv2dProblem problem =
      conv2d_problem(op, input.sizes(), weight.sizes(), stride, padding, dilation, groups);
  check_same_type(op, input, weight);
  if (bias.defined()) check_conv2d_bias(op, input, weight, bias);
  Tensor response = run_conv2d(op, input, weight, bias, problem);
  const bool is_joined =
      rectifies && bias.defined() && !bias.is_volatile() && !is_batched(response);
  if (is_joined) overwrite_by_relu(response);
  const Tensor result =
      bias.defined() && !is_joined
          ? record(kWithBias, op, std::move(response), problem, input, weight, bias)
          : record(kConv2dDerivative, op, std::move(response), problem, input, weight);
  if (is_joined) return record_rectified(op, result, bias);
  return rectifies ? relu(result, at) : result;
}

Tensor conv2d(const Tensor& input, const Tensor& weight, const Tensor& bias, Pair stride,
              Pair padding, Pair dilation, Integer groups, At at) {
  if (in_autocast(input)) [[unlikely]]
    return autocast_to_low(
        at, [&](auto... x) { return conv2d(x..., stride, padding, dilation, groups, at); }, input,
        weight, bias);
  return convolution({"conv2d", at}, input, weight, bias, stride, padding, dilation, groups);
}

}  // namespace notape
