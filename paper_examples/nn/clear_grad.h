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
  Tensor& gradient = parameter.mutable_grad();
  // Of an expanded one a cell stands for several entries, and must not be written.
  if (!gradient.impl().geometry().is_non_overlapping()) gradient = gradient.clone();
  if (gradient.is_view())
    gradient = gradient.detach();  // of a view there is no detach_()
  else
    gradient.detach_();
  gradient.zero_();
}

}  // namespace notape::nn
