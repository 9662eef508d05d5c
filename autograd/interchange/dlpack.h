// DLPack: tensors handed to and taken from other array libraries without a copy.
// The structures are declared in autograd/interchange/dlpack_abi.h, or in DLPack's own header.
#pragma once
#include "autograd/tensor/tensor.h"

struct DLManagedTensor;
struct DLManagedTensorVersioned;

namespace notape {

/// The tensor's memory for another library, which calls the deleter once it has finished; either
/// side may let go first. Marks the storage foreign: writes from outside are not seen. On a GPU the
/// caller orders the streams (stream.h). LibTorch: at::toDLPack.
/// Throws RequiresGradError, DeviceError for a device DLPack does not know, and ReadOnlyWrite for
/// read-only memory, which only the versioned form can describe.
DLManagedTensor* to_dlpack(const Tensor& tensor);
/// The same as DLPack 1.0, where read-only memory is marked as such.
DLManagedTensorVersioned* to_dlpack_versioned(const Tensor& tensor);

/// A leaf over the other library's memory, with its sizes and strides (none may be negative).
/// Takes `managed` over in every case: its deleter is called exactly once, when the last alias of
/// the tensor is gone, or before an exception leaves. LibTorch: at::fromDLPack.
/// Throws ValueError (null or misaligned pointers, another major version), ShapeError, DtypeError,
/// DeviceError.
Tensor from_dlpack(DLManagedTensor* managed);
/// As above; writes to memory that is flagged read-only raise ReadOnlyWrite.
Tensor from_dlpack(DLManagedTensorVersioned* managed);

}  // namespace notape
