// OutputMeta: shape, dtype and device of a forward output; what its gradient must look like.
#pragma once
#include <cstring>

#include "autograd/tensor/tensor.h"

namespace notape {

class OutputMeta {
 public:
  OutputMeta() = default;
  explicit OutputMeta(const TensorImpl& tensor)
      : OutputMeta(tensor.geometry().sizes(), tensor.dtype(), tensor.device()) {}
  OutputMeta(IntArrayRef sizes, ScalarType dtype, Device device)
      : ndim_(static_cast<uint8_t>(sizes.size())), dtype_(dtype), device_(device) {
    if (ndim_ > Geometry::kInline) [[unlikely]]
      heap_ = new int64_t[ndim_];
    int64_t* target = ndim_ > Geometry::kInline ? heap_ : inline_;
    for (std::size_t i = 0; i < ndim_; ++i) target[i] = sizes[i];
  }
  OutputMeta(const OutputMeta& other) : OutputMeta(other.sizes(), other.dtype_, other.device_) {}
  OutputMeta(OutputMeta&& other) noexcept { take(other); }
  OutputMeta& operator=(const OutputMeta& other) { return *this = OutputMeta(other); }
  OutputMeta& operator=(OutputMeta&& other) noexcept {
    if (this != &other) {
      this->~OutputMeta();
      take(other);
    }
    return *this;
  }
  ~OutputMeta() {
    if (ndim_ > Geometry::kInline) [[unlikely]]
      delete[] heap_;
  }

  IntArrayRef sizes() const { return {ndim_ <= Geometry::kInline ? inline_ : heap_, ndim_}; }
  ScalarType dtype() const { return dtype_; }
  Device device() const { return device_; }

  bool matches(const TensorImpl& gradient) const {
    return gradient.dtype() == dtype_ && gradient.device() == device_ &&
           gradient.geometry().sizes() == sizes();
  }

 private:
  void take(OutputMeta& other) noexcept {
    std::memcpy(static_cast<void*>(this), &other, sizeof(*this));
    other.ndim_ = 0;
  }

  union {
    int64_t inline_[Geometry::kInline];
    int64_t* heap_;
  };
  uint8_t ndim_ = 0;
  ScalarType dtype_ = ScalarType::Float;
  Device device_;
};

}  // namespace notape
