// What the rows of convolutions share: random ones, and cases whose reference sums the plain list
// of all products.
#pragma once
#include "ops/conv/conv2d.h"
#include "ops/spec/op_spec.h"

namespace notape {

Conv2dProblem draw_conv2d_problem(Draw& draw);
std::string conv2d_label(const Conv2dProblem& problem);

/// A convolution of one to three dimensions: that of planes, and how these lie along the depth of
/// volumes, which other convolutions have but one place of.
struct PlainConvolution {
  std::size_t dims = 2;
  Conv2dProblem planes;
  int64_t kernel = 1, stride = 1, padding = 0, dilation = 1, image_depth = 1, response_depth = 1;
};

enum class ConvolutionPart : std::size_t { Image, Filter, Response };

/// Of `wanted`, by the sum over all products, and a bias beside the filter if it is `biased`.
/// `call` gets the parts that are not wanted, the response first and the filter last, and the bias
/// or an undefined tensor.
OpCase convolution_case(
    const PlainConvolution& p, ConvolutionPart wanted, bool biased, const std::string& label,
    std::function<Tensor(const Tensor&, const Tensor&, const Tensor& bias)> call);

}  // namespace notape
