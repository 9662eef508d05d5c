// One array in NumPy's format: magic, version, header (a Python dict), data.
#pragma once
#include "autograd/interchange/input_file.h"
#include "autograd/tensor/tensor.h"

namespace notape::interchange {

/// Reads the array that the source consists of. Throws FileError.
Tensor read_npy(ByteSource& source);
/// What stands before the row-major data of `tensor`: a multiple of 64 bytes, version 1.0.
std::string npy_header(const Tensor& tensor);

}  // namespace notape::interchange
