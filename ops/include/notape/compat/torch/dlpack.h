#pragma once

/// DLPack under LibTorch's names: at::toDLPack, at::fromDLPack.

#include "autograd/interchange/dlpack.h"

namespace at {

inline DLManagedTensor* toDLPack(const notape::Tensor& tensor) { return notape::to_dlpack(tensor); }
/// Takes `managed` over in every case.
inline notape::Tensor fromDLPack(DLManagedTensor* managed) { return notape::from_dlpack(managed); }

}  // namespace at

namespace torch {
using at::fromDLPack;
using at::toDLPack;
}  // namespace torch
