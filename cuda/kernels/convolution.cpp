// Convolutions and recurrent layers on CUDA: by cuDNN where it is there and has a way, else by a
// kernel of our own if channels stay apart, else composed of other kernels or operators.
#include "cuda/composed/convolution.h"
#include "cuda/cudnn/convolution_library.h"
#include "cuda/kernels/depthwise.h"
#include "ops/core/allocate.h"
#include "ops/core/reduced.h"

namespace notape::cuda {
namespace {

ConvolutionLibrary opened_cudnn() {
  ConvolutionLibrary library = open_convolution_library(NOTAPE_CUDNN_LIBRARY);
  const char* const right_ones = std::getenv("NOTAPE_CUDNN_ENGINES");
  if (right_ones && library.restrict_to) library.restrict_to(right_ones);
  return library;
}

const ConvolutionLibrary& cudnn() {
  static const auto* const opened = new ConvolutionLibrary(opened_cudnn());
  return *opened;
}

/// In float32 if `result` has 16 bits, to which it is rounded once.
template <typename Composed, typename... Operands>
void compose(const Composed& kernel, const Operation& op, const Conv2dProblem& p,
             const Tensor& result, const Operands&... operands) {
  if (!is_reduced_floating_point(result.dtype())) return kernel(op, result, operands..., p);
  raw_copy(result, in_float32(
                       [&](const Operands&... wide) {
                         const Tensor sums = allocate(result.sizes(), kFloat32, result.device());
                         kernel(op, sums, wide..., p);
                         return sums;
                       },
                       operands...));
}

void forward(const Operation& op, const Tensor& result, const Tensor& image, const Tensor& filter,
             const Tensor& bias, const Conv2dProblem& p) {
  if (!cudnn().forward || !cudnn().forward(op, result, image, filter, bias, p))
    compose(is_depthwise(p) ? depthwise : convolve, op, p, result, image, filter, bias);
}
void backward_input(const Operation& op, const Tensor& result, const Tensor& response,
                    const Tensor& filter, const Conv2dProblem& p) {
  if (!cudnn().backward_input || !cudnn().backward_input(op, result, response, filter, p))
    compose(is_depthwise(p) ? depthwise_backward_input : convolve_backward_input, op, p, result,
            response, filter);
}
void backward_weight(const Operation& op, const Tensor& result, const Tensor& response,
                     const Tensor& image, const Conv2dProblem& p) {
  if (!cudnn().backward_weight || !cudnn().backward_weight(op, result, response, image, p))
    compose(is_depthwise(p) ? depthwise_backward_weight : convolve_backward_weight, op, p, result,
            response, image);
}

void forward_of_sequence(const Operation& op, SequenceForward& run) {
  if (cudnn().sequence_forward) cudnn().sequence_forward(op, run);
}
void backward_of_sequence(const Operation& op, SequenceBackward& run) {
  cudnn().sequence_backward(op, run);
}

const Implementation by_cudnn[] = {
    {conv2d_kernel, kCUDA, forward},
    {conv2d_backward_input_kernel, kCUDA, backward_input},
    {conv2d_backward_weight_kernel, kCUDA, backward_weight},
    {sequence_kernel, kCUDA, forward_of_sequence},
    {sequence_gradient_kernel, kCUDA, backward_of_sequence},
};

}  // namespace
}  // namespace notape::cuda
