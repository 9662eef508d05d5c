// conv2d_backward_input(y, w)[n,c,h,v] = sum of y[n,o,i,j] w[o,c,p,q] over all that conv2d would
// multiply with x[n,c,h,v]: the transposed convolution.
// dy = conv2d(G, w),  dw = conv2d_backward_weight(y, G)
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

constexpr auto kConv2dBackwardInputDerivative = derivative(
    "Conv2dBackwardInputBackward",
    rule([](const Tensor& grad, const Input<1>& filter,
            const Conv2dProblem& p) { return conv2d(grad, filter, p); },
         [](const Tensor& tangent, const Input<1>& filter, const Conv2dProblem& p) {
           return conv2d_backward_input(tangent, filter, p);
         }),
    rule([](const Tensor& grad, const Input<0>& response,
            const Conv2dProblem& p) { return conv2d_backward_weight(response, grad, p); },
         [](const Tensor& tangent, const Input<0>& response, const Conv2dProblem& p) {
           return conv2d_backward_input(response, tangent, p);
         }));

OpCase draw_conv2d_backward_input(Draw& draw) {
  const Conv2dProblem p = draw_conv2d_problem(draw);
  return convolution_case({.planes = p}, ConvolutionPart::Image, false, "",
                          [=](const Tensor& y, const Tensor& w, const Tensor&) {
                            return conv2d_backward_input(y, w, p);
                          });
}

const RegisterOp conv2d_backward_input_row({.name = "conv2d_backward_input",
                                            .family = "conv",
                                            .draw = draw_conv2d_backward_input,
                                            .traits = Trait::Accumulates});

Tensor compute_conv2d_backward_input(const Operation& op, const Tensor& response,
                                     const Tensor& filter, const Conv2dProblem& problem) {
  if (any_batched(response, filter))
    return over_batch(
        [&](int64_t size, const Tensor& responses, const Tensor& filters) {
          if (size == 0) return zeros_of_no_sample(problem.image, responses);
          if (!is_batched(filter))
            return split_samples(compute_conv2d_backward_input(op, join_samples(responses), filter,
                                                               samples_as_images(problem, size)),
                                 size);
          return split_channels(
              compute_conv2d_backward_input(op, join_channels(responses), join_samples(filters),
                                            samples_as_groups(problem, size)),
              size);
        },
        response, filter);
  if (is_widened(response))
    return in_float32(
        [&](const Tensor& y, const Tensor& other) {
          return compute_conv2d_backward_input(op, y, other, problem);
        },
        response, filter);
  Tensor result =
      allocate(IntArrayRef(problem.image.data(), 4), response.dtype(), response.device());
  conv2d_backward_input_kernel(op, result.dtype(), result.device(), result, response, filter,
                               problem);
  return result;
}

}  // namespace

Tensor conv2d_backward_input(const Tensor& response, const Tensor& filter,
                             const Conv2dProblem& problem, At at) {
  const Operation op("conv2d_backward_input", at);
  check_on_one_device(op, {&response, &filter});
  check_same_type(op, response, filter);
  check_sizes(op, response, problem.response);
  check_sizes(op, filter, problem.filter);
  return record(kConv2dBackwardInputDerivative, op,
                compute_conv2d_backward_input(op, response, filter, problem), problem, response,
                filter);
}

}  // namespace notape
