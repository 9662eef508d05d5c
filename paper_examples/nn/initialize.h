// First values of parameters.
#pragma once
#include "autograd/autograd.h"

namespace notape::nn {

/// Uniform in +-1 / sqrt(fan_in), where fan_in is the number of inputs that one output sees: what
/// LibTorch's kaiming_uniform_ with a = sqrt(5) comes to.
Tensor uniform_by_fan_in(IntArrayRef size, int64_t fan_in);

}  // namespace notape::nn
