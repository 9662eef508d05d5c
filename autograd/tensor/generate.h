// generate(): a tensor from a function of the position, which is what most factories are.
#pragma once
#include <concepts>

#include "autograd/tensor/factories.h"

namespace notape::detail {

/// Whether `value` and all whole numbers that are nearer to 0 are elements of the type.
inline bool holds_whole(ScalarType type, int64_t value) {
  if (type == kBool) return value == 0 || value == 1;
  if (!is_floating_point(type)) return Scalar(value).fits(type);
  const int64_t end = int64_t{1} << element_type(type).digits;
  return value >= -end && value <= end;
}

/// `value` as an element. Throws ValueError for what integers cannot hold, and for a whole number
/// that a floating type would round: two of them could become one.
template <typename T, typename Value>
T element(const char* name, Value value) {
  if constexpr (is_floating_v<T> && std::same_as<Value, int64_t>) {
    if (holds_whole(scalar_type_of<T>, value)) return static_cast<T>(value);
    const T rounded = Scalar(value).to<T>(name);
    if (Scalar(rounded).to_int_or(~value) != value)
      throw ValueError("{}: {} is no number of type {}", name, value, name_of(scalar_type_of<T>));
    return rounded;
  } else if constexpr (is_floating_v<T> && std::is_arithmetic_v<Value>) {
    return static_cast<T>(value);
  } else {
    return Scalar(value).to<T>(name);
  }
}

/// A CPU tensor filled with f(i), i the position in row-major order, moved to its device. A GPU
/// reads it from pinned memory, while the program goes on.
template <typename F>
Tensor generate(const char* name, IntArrayRef size, const TensorOptions& options,
                ScalarType default_dtype, F f) {
  Tensor result = empty(size, TensorOptions(options.dtype_opt().value_or(default_dtype))
                                  .pinned_memory(options.device().is_cuda()));
  visit_type(result.dtype(), [&]<typename T>() {
    T* data = result.impl().data_as<T>();
    for (int64_t i = 0, n = result.numel(); i < n; ++i) data[i] = element<T>(name, f(i));
  });
  return finish_tensor(std::move(result), options);
}

/// LibTorch has no ranges and permutations of truth values: beyond two elements they would repeat.
inline void refuse_bool(const char* name, const TensorOptions& options) {
  if (options.dtype_opt() == kBool) throw DtypeError("{}: not implemented for bool", name);
}

}  // namespace notape::detail
