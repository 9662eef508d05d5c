// A checksum of a tensor's values, for telling whether they have changed.
#pragma once
#include "autograd/tensor/tensor.h"

namespace notape {

/// Over the elements in row-major order. Reads the values only, whatever modes are on.
uint64_t checksum_of(const Tensor& value);

}  // namespace notape
