// OutputMeta: shape, dtype, device and vmap levels of a forward output; what its gradient must look
// like.
#pragma once
#include <cstring>

#include "autograd/tensor/batch.h"
#include "autograd/tensor/tensor.h"

namespace notape {

class OutputMeta {
 public:
  OutputMeta() = default;
  explicit OutputMeta(const TensorImpl& tensor)
      : OutputMeta(tensor.geometry().sizes(), tensor.dtype(), tensor.device()) {
    if (device_.is_batched()) [[unlikely]]
      set_levels_of(tensor);
  }
  OutputMeta(IntArrayRef sizes, ScalarType dtype, Device device)
      : ndim_(static_cast<uint8_t>(sizes.size())), dtype_(dtype), device_(device) {
    if (ndim_ > Geometry::kInline) [[unlikely]] {
      place_ = Place::Heap;
      heap_ = new int64_t[ndim_];
    }
    int64_t* target = ndim_ > Geometry::kInline ? heap_ : inline_;
    for (std::size_t i = 0; i < ndim_; ++i) target[i] = sizes[i];
  }
  OutputMeta(const OutputMeta& other) : OutputMeta(other.sizes(), other.dtype_, other.device_) {
    if (other.place_ == Place::Batched) [[unlikely]]
      set_levels(other.levels());
  }
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
    if (place_ != Place::Inline) [[unlikely]]
      release();
  }

  IntArrayRef sizes() const {
    if (place_ == Place::Inline) [[likely]]
      return {inline_, ndim_};
    return place_ == Place::Heap ? IntArrayRef(heap_, ndim_) : IntArrayRef(batched_->sizes);
  }
  ScalarType dtype() const { return dtype_; }
  Device device() const { return device_; }
  /// The vmap levels the output is batched over.
  const BatchLevels& levels() const {
    return place_ == Place::Batched ? batched_->levels : no_levels();
  }

  /// Whether a gradient can be taken as it is; one for a batched output is always looked at.
  bool matches(const TensorImpl& gradient) const {
    return gradient.dtype() == dtype_ && gradient.device() == device_ && place_ != Place::Batched &&
           gradient.geometry().sizes() == sizes();
  }

 private:
  enum class Place : uint8_t { Inline, Heap, Batched };
  struct Batched {
    DimVector sizes;
    BatchLevels levels;
  };

  // What few need stands apart, so that the rest is inlined.
  void set_levels(BatchLevels levels);
  void set_levels_of(const TensorImpl& tensor);
  void release() noexcept;
  static const BatchLevels& no_levels();

  void take(OutputMeta& other) noexcept {
    std::memcpy(static_cast<void*>(this), &other, sizeof(*this));
    other.ndim_ = 0;
    other.place_ = Place::Inline;
  }

  union {
    int64_t inline_[Geometry::kInline];
    int64_t* heap_;
    Batched* batched_;
  };
  uint8_t ndim_ = 0;
  ScalarType dtype_ = ScalarType::Float;
  Device device_;
  Place place_ = Place::Inline;
};

}  // namespace notape
