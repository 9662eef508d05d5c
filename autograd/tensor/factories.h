// Factories: tensors from nothing, from numbers, or over memory of somebody else. All take
// TensorOptions (default: float32 on the CPU, no gradient) and raise ShapeError for bad sizes and
// ValueError for numbers that the dtype cannot hold. Random numbers: batching/random_factories.h.
#pragma once
#include <concepts>
#include <initializer_list>

#include "autograd/tensor/tensor.h"

namespace notape {

/// Uninitialised, row-major.
Tensor empty(IntArrayRef size, TensorOptions options = {});
/// Uninitialised, with the strides of a dense tensor. Throws ShapeError unless they are.
Tensor empty_strided(IntArrayRef size, IntArrayRef stride, TensorOptions options = {});
Tensor zeros(IntArrayRef size, TensorOptions options = {});
Tensor ones(IntArrayRef size, TensorOptions options = {});
/// dtype defaults to that of `value`, which a Scalar is: float32, int64 or bool; that of
/// scalar_tensor to float32.
Tensor full(IntArrayRef size, Scalar value, TensorOptions options = {});
Tensor scalar_tensor(Scalar value, TensorOptions options = {});
/// start + i step below end; int64 if all are. Start and step are cut to whole ones for integers.
/// Throws ValueError for whole numbers that a floating dtype would round, as randperm and randint
/// do.
Tensor arange(Scalar end, TensorOptions options = {});
Tensor arange(Scalar start, Scalar end, TensorOptions options = {});
Tensor arange(Scalar start, Scalar end, Scalar step, TensorOptions options = {});
/// `steps` points from start to end, both included. The ends are cut to whole ones for integers.
Tensor linspace(Scalar start, Scalar end, Integer steps, TensorOptions options = {});
Tensor eye(Integer n, TensorOptions options = {});
Tensor eye(Integer n, Integer m, TensorOptions options = {});

/// Same sizes, dtype and device as `like` unless options say otherwise; dense strides are kept.
Tensor empty_like(const Tensor& like);
Tensor empty_like(const Tensor& like, TensorOptions options);
Tensor zeros_like(const Tensor& like);
Tensor zeros_like(const Tensor& like, TensorOptions options);
Tensor ones_like(const Tensor& like);
Tensor ones_like(const Tensor& like, TensorOptions options);
Tensor full_like(const Tensor& like, Scalar value);
Tensor full_like(const Tensor& like, Scalar value, TensorOptions options);

/// Over `data`, which must stay valid until `deleter(data)` is called. Writes that do not go
/// through the tensor are invisible to version counters.
Tensor from_blob(void* data, IntArrayRef size, Storage::Deleter deleter,
                 TensorOptions options = {});
Tensor from_blob(void* data, IntArrayRef size, TensorOptions options = {});
Tensor from_blob(void* data, IntArrayRef size, IntArrayRef stride, Storage::Deleter deleter,
                 TensorOptions options = {});

/// The dtype of a tensor of such numbers, by LibTorch's rule: int64 of int and longer ones, float32
/// of float and double; others keep theirs, so that bytes and bools stay masks.
template <typename T>
constexpr ScalarType natural_type() {
  if constexpr (std::floating_point<T>)
    return kFloat32;
  else
    return scalar_type_of<T> == kInt32 || (scalar_type_of<T> == kBool && !std::same_as<T, bool>)
               ? kInt64
               : scalar_type_of<T>;
}

/// Nested braces of numbers: tensor({{1, 2}, {3, 4}}). Rows must have equal length (ShapeError).
class NestedNumbers {
 public:
  template <typename T>
  requires std::is_arithmetic_v<T> || is_floating_v<T> NestedNumbers(T value)
      : value_(value), type_(natural_type<T>()) {}
  NestedNumbers(std::initializer_list<NestedNumbers> rows) : rows_(rows), is_list_(true) {}

  bool is_list() const { return is_list_; }
  const Scalar& value() const { return value_; }
  ScalarType type() const { return type_; }
  const std::vector<NestedNumbers>& rows() const { return rows_; }

 private:
  Scalar value_;
  ScalarType type_ = kBool;
  std::vector<NestedNumbers> rows_;
  bool is_list_ = false;
};

/// Moves a freshly made CPU tensor to where the options want it and sets requires_grad.
Tensor finish_tensor(Tensor made_on_cpu, const TensorOptions& options);

/// dtype defaults to the one that holds natural_type() of all numbers; float32 of none.
Tensor tensor(const NestedNumbers& values, TensorOptions options = {});
template <typename T>
Tensor tensor(const std::vector<T>& values, TensorOptions options = {}) {
  const ScalarType type = options.dtype_opt().value_or(natural_type<T>());
  Tensor result = empty({values.size()}, options.requires_grad(false).device(kCPU).dtype(type));
  visit_type(result.dtype(), [&]<typename U>() {
    for (std::size_t i = 0; i < values.size(); ++i)
      result.impl().data_as<U>()[i] = Scalar(static_cast<T>(values[i])).template to<U>("tensor");
  });
  return finish_tensor(std::move(result), options);
}
/// 0.1.12's constructor of a Variable: shares the data's storage.
Variable make_variable(const Tensor& data, bool requires_grad = false, bool is_volatile = false);

}  // namespace notape
