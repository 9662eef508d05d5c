// What autocast mode (autograd/tensor/autocast_mode.h) asks of an operator. The lists are PyTorch's
// for GPUs, on every device: so a program has the same types on all of them.
#pragma once
#include <initializer_list>

#include "autograd/observer.h"
#include "autograd/tensor/autocast_mode.h"
#include "ops/at.h"

namespace notape {

namespace detail {

bool autocasts_on(const Tensor& operand);

/// The type that autocast asks of operands, to which it casts floating ones of `device` but for
/// float64. Inside an operator that has cast its operands autocast is off.
class Autocast {
 public:
  Autocast(ScalarType to, const Tensor& first, At at);
  ~Autocast() { autocast_state.is_on = true; }
  Autocast(const Autocast&) = delete;
  Autocast& operator=(const Autocast&) = delete;

  Tensor operator()(const Tensor& operand) const;
  TensorList operator()(const TensorList& operands) const;

 private:
  ScalarType to_;
  DeviceType device_;
  At at_;
};

ScalarType low_type_of(const Tensor& operand);
ScalarType widest_of(std::initializer_list<const Tensor*> operands);

}  // namespace detail

/// Whether autocast is on where the operand is. Off, it costs one test.
inline bool in_autocast(const Tensor& operand) {
  return autocast_state.is_on && detail::autocasts_on(operand);
}

// compute(operands...) of their casts, where in_autocast(); the first operand says the device.
// Lists and undefined tensors are operands, too.

/// For products, convolutions and the like: in 16 bits. Casts of weights are kept.
template <typename Compute, typename First, typename... Others>
auto autocast_to_low(At at, const Compute& compute, const First& first, const Others&... others) {
  const detail::Autocast cast(detail::low_type_of(first), first, at);
  return compute(cast(first), cast(others)...);
}
/// In float32: norms, scans and losses that are not elementwise.
template <typename Compute, typename First, typename... Others>
auto autocast_to_float32(At at, const Compute& compute, const First& first,
                         const Others&... others) {
  const detail::Autocast cast(kFloat32, first, at);
  return compute(cast(first), cast(others)...);
}
/// In the widest of their types: operators that elsewhere refuse to mix types.
template <typename Compute, typename... Operands>
auto autocast_to_widest(At at, const Compute& compute, const Tensor& first,
                        const Operands&... others) {
  const detail::Autocast cast(detail::widest_of({&first, &others...}), first, at);
  return compute(cast(first), cast(others)...);
}

/// Whether an operator of float16 and bfloat16 numbers, which computes them in float32 anyway,
/// leaves its result so: `exp`, `softmax`, `sum` and others, by their names. Asked only for these
/// two types.
bool autocast_keeps_float32(const Operation& op, const Tensor& operand);

}  // namespace notape
