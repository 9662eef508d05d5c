// cuDNN's descriptors, which end with their scope.
#pragma once
#include <utility>

#include "cuda/cudnn/handle.h"

namespace notape::cuda {

template <typename T, cudnnStatus_t (*kCreate)(T*), cudnnStatus_t (*kDestroy)(T)>
class Descriptor {
 public:
  explicit Descriptor(const Operation& op) { check(op, kCreate(&native_)); }
  Descriptor(Descriptor&& other) noexcept : native_(std::exchange(other.native_, nullptr)) {}
  Descriptor& operator=(Descriptor&&) = delete;
  ~Descriptor() {
    if (native_) kDestroy(native_);
  }
  operator T() const { return native_; }

 private:
  T native_ = nullptr;
};

using TensorDescriptor =
    Descriptor<cudnnTensorDescriptor_t, cudnnCreateTensorDescriptor, cudnnDestroyTensorDescriptor>;
using FilterDescriptor =
    Descriptor<cudnnFilterDescriptor_t, cudnnCreateFilterDescriptor, cudnnDestroyFilterDescriptor>;
using ConvolutionDescriptor =
    Descriptor<cudnnConvolutionDescriptor_t, cudnnCreateConvolutionDescriptor,
               cudnnDestroyConvolutionDescriptor>;
using ActivationDescriptor =
    Descriptor<cudnnActivationDescriptor_t, cudnnCreateActivationDescriptor,
               cudnnDestroyActivationDescriptor>;

}  // namespace notape::cuda
