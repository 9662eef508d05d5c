// Packed sequences: what their steps hold.
#pragma once
#include <vector>

#include "autograd/observer.h"
#include "ops/at.h"

namespace notape {

/// The entries of a row of int64 on the CPU. Throws UndefinedTensor, DtypeError, DeviceError,
/// ShapeError, and BatchingNotImplemented: they decide what is computed.
std::vector<int64_t> sequence_numbers(const Operation& op, const char* name, const Tensor& numbers);

/// batch_sizes of `data`. Throws as sequence_numbers does, ValueError if they are not above 0 or
/// rise, and ShapeError unless data has as many rows as their sum.
std::vector<int64_t> packed_sizes(const Operation& op, const Tensor& data,
                                  const Tensor& batch_sizes);

}  // namespace notape
