// What TensorOptions ask for and a function does not do is an error, not silence.
#pragma once
#include "autograd/error.h"
#include "autograd/tensor/options.h"

namespace notape {

/// Throws ValueError if `options` want a leaf that requires grad, which `function` does not make.
inline void refuse_requires_grad(const char* function, const TensorOptions& options) {
  if (options.requires_grad())
    throw ValueError("{}: options with requires_grad set as true; call requires_grad_() on a leaf",
                     function);
}

/// Throws ValueError if `options` want pinned memory, which `function` does not take.
inline void refuse_pinned_memory(const char* function, const TensorOptions& options) {
  if (options.pinned_memory())
    throw ValueError("{}: options with pinned memory, which it does not take; call pin_memory()",
                     function);
}

}  // namespace notape
