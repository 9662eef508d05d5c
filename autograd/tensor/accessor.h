// TensorAccessor: elements by index, for loops of users (LibTorch's name).
#pragma once
#include <cstddef>
#include <cstdint>

namespace notape {

/// Borrowed: valid while the tensor that it was made from lives, has these sizes and stays where it
/// is. Indices are not checked.
template <typename T, std::size_t N>
class TensorAccessor {
 public:
  TensorAccessor(T* data, const int64_t* sizes, const int64_t* strides)
      : data_(data), sizes_(sizes), strides_(strides) {}

  int64_t size(int64_t dim) const { return sizes_[dim]; }
  int64_t stride(int64_t dim) const { return strides_[dim]; }
  T* data() const { return data_; }
  /// An element, or an accessor of what is left.
  decltype(auto) operator[](int64_t i) const {
    if constexpr (N == 1)
      return static_cast<T&>(data_[i * strides_[0]]);
    else
      return TensorAccessor<T, N - 1>(data_ + i * strides_[0], sizes_ + 1, strides_ + 1);
  }

 private:
  T* data_;
  const int64_t* sizes_;
  const int64_t* strides_;
};

}  // namespace notape
