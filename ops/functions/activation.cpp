#include "ops/functions/functions.h"

namespace notape::functions {
namespace {

const RegisterFunctions activation_functions([](Functions& f) {
  f("relu", relu, relu_);
  f("softplus", softplus, softplus_out);
  f("gelu", gelu, gelu_, gelu_out);
  f("silu", silu, silu_, silu_out);
  f("mish", mish, mish_, mish_out);
  f("leaky_relu", leaky_relu, leaky_relu_, leaky_relu_out);
  f("elu", elu, elu_, elu_out);
  f("celu", celu, celu_);
  f("selu", selu, selu_);
  f("hardtanh", hardtanh, hardtanh_, hardtanh_out);
  f("relu6", relu6, relu6_);
  f("hardsigmoid", hardsigmoid, hardsigmoid_, hardsigmoid_out);
  f("hardswish", hardswish, hardswish_, hardswish_out);
  f("threshold", threshold, threshold_, threshold_out);
  f("hardshrink", hardshrink, hardshrink_out);
  f("softshrink", softshrink, softshrink_out);
  f("log_sigmoid", log_sigmoid, log_sigmoid_out);
  f("prelu", prelu);
  f("glu", glu, glu_out);
  f.of<Tensor(X, Scalar, Scalar, bool)>("rrelu", rrelu, rrelu_);
});

}  // namespace
}  // namespace notape::functions
