// TensorArray: the gradients that go into or come out of one node.
#pragma once
#include <memory>

#include "autograd/tensor/tensor.h"

namespace notape {

/// An array of tensors on the stack, or on the heap where there are many.
class TensorArray {
 public:
  explicit TensorArray(std::size_t size) : size_(size) {
    if (size > kFewTensors) [[unlikely]]
      data_ = new Tensor[size];
    else  // all of them: a fixed number of stores, where a loop would count
      std::uninitialized_value_construct_n(few_, kFewTensors);
  }
  ~TensorArray() {
    if (size_ > kFewTensors) [[unlikely]]
      delete[] data_;
    else  // the others have stayed undefined
      std::destroy_n(few_, size_);
  }
  TensorArray(const TensorArray&) = delete;
  TensorArray& operator=(const TensorArray&) = delete;
  Tensor* data() { return data_; }

 private:
  static constexpr std::size_t kFewTensors = 4;

  std::size_t size_;
  Tensor* data_ = few_;
  union {
    Tensor few_[kFewTensors];
  };
};

}  // namespace notape
