// A tangent that exists and is unknown: better an error than a missing term.
#pragma once
#include "autograd/tensor/tensor.h"

namespace notape {

/// Whoever asks for the tangent that the tensor has at this level gets ForwardNotImplemented.
void set_unknown_tangent(const Tensor& tensor, uint64_t level);
[[noreturn]] void throw_unknown_tangent();

/// Whether the tensor has a tangent that a user's forward, in which this thread is, does not see.
bool has_hidden_tangent(const Tensor& tensor);

}  // namespace notape
