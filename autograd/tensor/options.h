// TensorOptions: dtype, device and requires_grad for factories, set by chaining (LibTorch's form):
// `zeros({2, 3}, dtype(kFloat64).requires_grad(true))`.
#pragma once
#include <optional>

#include "autograd/tensor/device.h"
#include "autograd/tensor/scalar_type.h"

namespace notape {

class TensorOptions {
 public:
  TensorOptions() = default;
  TensorOptions(ScalarType dtype) : dtype_(dtype) {}
  TensorOptions(Device device) : device_(device.of_samples()) {}
  TensorOptions(DeviceType type) : device_(Device(type)) {}

  TensorOptions dtype(ScalarType type) const { return with(&TensorOptions::dtype_, type); }
  /// A batched device stands for that of its samples: what a factory makes is not batched.
  TensorOptions device(Device where) const {
    return with(&TensorOptions::device_, where.of_samples());
  }
  TensorOptions requires_grad(bool wanted) const {
    return with(&TensorOptions::requires_grad_, wanted);
  }

  /// Memory of the CPU that devices read without its help: see Tensor::pin_memory().
  TensorOptions pinned_memory(bool wanted) const {
    return with(&TensorOptions::pinned_memory_, wanted);
  }

  std::optional<ScalarType> dtype_opt() const { return dtype_; }
  ScalarType dtype() const { return dtype_.value_or(kFloat32); }
  std::optional<Device> device_opt() const { return device_; }
  Device device() const { return device_.value_or(Device()); }
  bool requires_grad() const { return requires_grad_; }
  bool pinned_memory() const { return pinned_memory_; }
  /// These, and the others' dtype and device where they name none.
  TensorOptions or_those_of(const TensorOptions& others) const {
    TensorOptions result = *this;
    if (!dtype_) result.dtype_ = others.dtype_;
    if (!device_) result.device_ = others.device_;
    return result;
  }

 private:
  template <typename Member, typename Value>
  TensorOptions with(Member member, Value value) const {
    TensorOptions copy = *this;
    copy.*member = value;
    return copy;
  }

  std::optional<ScalarType> dtype_;
  std::optional<Device> device_;
  bool requires_grad_ = false, pinned_memory_ = false;
};

inline TensorOptions dtype(ScalarType type) { return TensorOptions(type); }
inline TensorOptions device(Device where) { return TensorOptions(where); }
inline TensorOptions requires_grad(bool wanted = true) {
  return TensorOptions().requires_grad(wanted);
}

}  // namespace notape
