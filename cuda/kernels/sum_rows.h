// Sums of rows on a GPU, seen from both sides of nvcc.
#pragma once
#include <cstdint>

#include "autograd/tensor/scalar_type.h"

namespace notape::cuda {

/// result[i] = (the sum of rows[i * count], rows[i * count + 1], ...) / divisor, i < results.
void launch_sum_rows(ScalarType type, void* result, const void* rows, int64_t results,
                     int64_t count, double divisor, void* stream);

}  // namespace notape::cuda
