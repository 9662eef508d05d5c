// The three products of a convolution. With image x (N, C, H, W), filter w (O, C / groups, kH, kW)
// and response y (N, O, H', W'), the number
//   sum over n, o, i, j, c, p, q of  y[n,o,i,j] w[o,c,p,q] x[n, c, i sH - pH + p dH, j sW - pW + q
//   dW]
// is linear in each of the three; leaving one out gives the operator that computes a gradient with
// respect to it. So the derivatives of each are the other two, to every order.
#pragma once
#include "ops/conv.h"
#include "ops/core/kernel_slot.h"

namespace notape {

struct Conv2dProblem {
  /// The image may be larger than the response has positions for (conv_transpose2d); then its last
  /// rows and columns are in no window.
  std::array<int64_t, 4> image, filter, response;
  Pair stride = 1, padding = 0, dilation = 1;
  int64_t groups = 1;

  /// Columns of the unfolded image, per group: what one element of the response sums over.
  int64_t window() const { return filter[1] * filter[2] * filter[3]; }
  int64_t positions() const { return response[2] * response[3]; }
  /// Each response position sees just the image's pixel there.
  bool is_pointwise() const {
    return filter[2] == 1 && filter[3] == 1 && stride == Pair(1) && padding == Pair(0) &&
           image[2] == response[2] && image[3] == response[3];
  }
};

/// Throws ShapeError or ValueError if the sizes do not fit. `image` has four dimensions.
Conv2dProblem conv2d_problem(const Operation& op, IntArrayRef image, IntArrayRef filter,
                             Pair stride, Pair padding, Pair dilation, int64_t groups);

/// Throws ShapeError for an operand that is not the problem's.
void check_sizes(const Operation& op, const Tensor& operand, const std::array<int64_t, 4>& sizes);

/// The response (without bias).
Tensor conv2d(const Tensor& image, const Tensor& filter, const Conv2dProblem& problem,
              At at = At::current());
/// conv2d, by the name of an operator that is made of it, and relu of it if it `rectifies`.
Tensor convolution(const Operation& op, const Tensor& input, const Tensor& weight,
                   const Tensor& bias, Pair stride, Pair padding, Pair dilation, int64_t groups,
                   bool rectifies = false);
/// relu's result in the graph, of a response (N, O, H, W) that holds a bias (O) and was recorded
/// without it. `result` is that tensor, already rectified.
Tensor record_rectified(const Operation& op, const Tensor& result, const Tensor& bias);
/// conv_transpose2d of a batch, by the name of an operator that is made of it.
Tensor transposed_convolution(const Operation& op, const Tensor& input, const Tensor& weight,
                              const Tensor& bias, Pair stride, Pair padding, Pair output_padding,
                              int64_t groups, Pair dilation);
/// The gradient of the image: the transposed convolution.
Tensor conv2d_backward_input(const Tensor& response, const Tensor& filter,
                             const Conv2dProblem& problem, At at = At::current());
/// The gradient of the filter.
Tensor conv2d_backward_weight(const Tensor& response, const Tensor& image,
                              const Conv2dProblem& problem, At at = At::current());

/// Kernels overwrite `result`, which is row-major; operands have any strides. The same call gives
/// the same bits each time; on a GPU: in deterministic mode.
using Conv2dKernel = Kernel<void(const Operation&, const Tensor& result, const Tensor& image,
                                 const Tensor& filter, const Tensor& bias, const Conv2dProblem&)>;
using Conv2dBackwardKernel =
    Kernel<void(const Operation&, const Tensor& result, const Tensor& response, const Tensor& other,
                const Conv2dProblem&)>;
extern Conv2dKernel conv2d_kernel;  ///< bias may be undefined
extern Conv2dBackwardKernel conv2d_backward_input_kernel;
extern Conv2dBackwardKernel conv2d_backward_weight_kernel;
/// What relu lets through of `grad`, and its sums (O), from relu's result. All row-major, of one
/// floating type and not empty.
using RectifiedGradientKernel =
    Kernel<void(const Operation&, const Tensor& passed, const Tensor& sums, const Tensor& grad,
                const Tensor& result)>;
extern RectifiedGradientKernel rectified_gradient_kernel;
/// f.operator()<T>() with the type that floating numbers are stored as.
template <typename F>
void visit_stored_floating(ScalarType type, const F& f) {
  visit_type(type, [&]<typename T>() {
    if constexpr (std::is_convertible_v<T, float> && !std::is_integral_v<T>)
      f.template operator()<T>();
  });
}
/// Numbers of 16 bits that the operators bring to float32 for the kernels; those of GPUs take them.
inline bool is_widened(const Tensor& operand) {
  return is_reduced_floating_point(operand.dtype()) && !operand.is_cuda();
}

}  // namespace notape
