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

/// Where in memory a part of a row begins.
template <typename T>
struct Pointers {
  T* parameter;
  const T* gradient;
  T* states[kMostStates];

  Pointers() = default;
  Pointers(const Row& row, int64_t first)
      : parameter(at(row.parameter, first)), gradient(at(row.gradient, first)) {
    for (std::size_t i = 0; i < kMostStates; ++i)
      states[i] = row.states[i].defined() ? at(row.states[i], first) : nullptr;
  }
  /// The step of the number at place i.
  template <typename Update>
  NOTAPE_HD void move(const Update& update, int64_t i) const {
    T& p = parameter[i];
    T* const* const s = states;
    const T g = gradient[i];
    if constexpr (Update::kStates == 0) update(p, g);
    if constexpr (Update::kStates == 1) update(p, g, s[0][i]);
    if constexpr (Update::kStates == 2) update(p, g, s[0][i], s[1][i]);
    if constexpr (Update::kStates == 3) update(p, g, s[0][i], s[1][i], s[2][i]);
  }

 private:
  static T* at(const Tensor& tensor, int64_t first) { return tensor.impl().data_as<T>() + first; }
};

using MultiTensorKernel =
    Kernel<void(const Operation&, const std::vector<Row>& rows, const AnyStep& step)>;
/// All rows have one dtype and device.
extern MultiTensorKernel multi_tensor_kernel;

}  // namespace notape::optimize
