// conv2d_backward_weight(y, x)[o,c,p,q] = sum over n, i, j of
//   y[n,o,i,j] x[n, c, i sH - pH + p dH, j sW - pW + q dW]
// dy = conv2d(x, G),  dx = conv2d_backward_input(y, G)
#include "autograd/graph/record.h"
#include "ops/conv/conv2d.h"
#include "ops/conv/conv2d_samples.h"
#include "ops/conv/conv2d_spec.h"
#include "ops/core/allocate.h"
#include "ops/core/one_device.h"
#include "ops/core/promotion.h"
#include "ops/core/reduced.h"

namespace notape {
namespace {

constexpr auto kConv2dBackwardWeightDerivative =
    derivative("Conv2dBackwardWeightBackward",
               rule([](const Tensor& grad, const Input<1>& image,
                       const Conv2dProblem& p) { return conv2d(image, grad, p); },
                    [](const Tensor& tangent, const Input<1>& image, const Conv2dProblem& p) {
                      return conv2d_backward_weight(tangent, image, p);
                    }),
               rule([](const Tensor& grad, const Input<0>& response,
                       const Conv2dProblem& p) { return conv2d_backward_input(response, grad, p); },
                    [](const Tensor& tangent, const Input<0>& response, const Conv2dProblem& p) {
                      return conv2d_backward_weight(response, tangent, p);
                    }));

OpCase draw_conv2d_backward_weight(Draw& draw) {
  const Conv2dProblem p = draw_conv2d_problem(draw);
  return convolution_case({.planes = p}, ConvolutionPart::Filter, false, "",
                          [=](const Tensor& y, const Tensor& x, const Tensor&) {
                            return conv2d_backward_weight(y, x, p);
                          });
}

const RegisterOp conv2d_backward_weight_row({.name = "conv2d_backward_weight",
                                             .family = "conv",
                                             .draw = draw_conv2d_backward_weight,
                                             .traits = Trait::Accumulates});

Tensor compute_conv2d_backward_weight(const Operation& op, const Tensor& response,
                                      const Tensor& image, const Conv2dProblem& problem) {
  if (any_batched(response, image))
    return over_batch(
        [&](int64_t size, const Tensor& responses, const Tensor& images) {
          if (size == 0) return zeros_of_no_sample(problem.filter, responses);
          return split_samples(
              compute_conv2d_backward_weight(op, join_channels(responses), join_channels(images),
                                             samples_as_groups(problem, size)),
              size);
        },
        response, image);
  if (is_widened(response))
    return in_float32(
        [&](const Tensor& y, const Tensor& other) {
          return compute_conv2d_backward_weight(op, y, other, problem);
        },
        response, image);
  Tensor result =
      allocate(IntArrayRef(problem.filter.data(), 4), response.dtype(), response.device());
  conv2d_backward_weight_kernel(op, result.dtype(), result.device(), result, response, image,
                                problem);
  return result;
}

}  // namespace

Tensor conv2d_backward_weight(const Tensor& response, const Tensor& image,
                              const Conv2dProblem& problem, At at) {
  const Operation op("conv2d_backward_weight", at);
  check_on_one_device(op, {&response, &image});
  check_same_type(op, response, image);
  check_sizes(op, response, problem.response);
  check_sizes(op, image, problem.image);
  return record(kConv2dBackwardWeightDerivative, op,
                compute_conv2d_backward_weight(op, response, image, problem), problem, response,
                image);
}

}  // namespace notape
