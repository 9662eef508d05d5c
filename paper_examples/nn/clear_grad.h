#pragma once
#include "autograd/autograd.h"

namespace notape::nn {

/// Makes `.grad` undefined, or with set_to_none = false zero where it is defined.
inline void clear_grad(const Tensor& parameter, bool set_to_none) {
  if (set_to_none || !parameter.grad().defined()) {
    parameter.mutable_grad().reset();
    return;
  }
  const NoGradGuard no_grad;
  parameter.mutable_grad().detach_().zero_();
}

}  // namespace notape::nn
