// The kernel behind all steps of optimizers.
#pragma once
#include <vector>

#include "ops/core/kernel_slot.h"
#include "ops/optimize/updates.h"

namespace notape::optimize {

inline constexpr std::size_t kMostStates = 3;

/// What one parameter's step reads and writes: tensors of one size, dtype and device, dense and in
/// one order of memory; those states that there are.
struct Row {
  Tensor parameter, gradient;
  std::array<Tensor, kMostStates> states;
  int64_t step;
};

using MultiTensorKernel =
    Kernel<void(const Operation&, const std::vector<Row>& rows, const AnyStep& step)>;
/// All rows have one dtype and device.
extern MultiTensorKernel multi_tensor_kernel;

}  // namespace notape::optimize
