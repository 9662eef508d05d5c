#pragma once

/// c10::ArrayRef: a borrowed list. torch::IntArrayRef is notape's class, to and from which that of
/// int64_t converts; torch::TensorList is a vector.

#include <initializer_list>
#include <type_traits>
#include <vector>

#include "notape/notape.h"

namespace c10 {

/// Borrowed: valid only while what it was made from lives.
template <typename T>
class ArrayRef {
 public:
  using value_type = T;
  using iterator = const T*;

  constexpr ArrayRef() = default;
  constexpr ArrayRef(const T* data, std::size_t size) : data_(data), size_(size) {}
  constexpr ArrayRef(const T* first, const T* last)
      : ArrayRef(first, static_cast<std::size_t>(last - first)) {}
  constexpr ArrayRef(const T& one) : ArrayRef(&one, 1) {}
  /// Any container with data() and size(): vectors, arrays, IntArrayRef.
  template <typename Container>
  requires std::convertible_to<decltype(std::declval<const Container&>().data()), const T*>
  ArrayRef(const Container& list) : ArrayRef(list.data(), list.size()) {}
  template <std::size_t N>
  constexpr ArrayRef(const T (&list)[N]) : ArrayRef(list, N) {}
#ifndef __clang__  // which knows no such warning
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Winit-list-lifetime"
#endif
  constexpr ArrayRef(std::initializer_list<T> list) : ArrayRef(list.begin(), list.size()) {}
#ifndef __clang__
#pragma GCC diagnostic pop
#endif

  constexpr const T* begin() const { return data_; }
  constexpr const T* end() const { return data_ + size_; }
  constexpr const T* data() const { return data_; }
  constexpr std::size_t size() const { return size_; }
  constexpr bool empty() const { return size_ == 0; }
  constexpr const T& operator[](std::size_t i) const { return data_[i]; }
  constexpr const T& at(std::size_t i) const {
    if (i >= size_)
      throw notape::IndexError("ArrayRef: invalid index {}, the length is {}", i, size_);
    return data_[i];
  }
  constexpr const T& front() const { return at(0); }
  constexpr const T& back() const { return at(size_ - 1); }
  /// Throws IndexError unless the part lies within the list.
  constexpr ArrayRef slice(std::size_t first, std::size_t count) const {
    if (first > size_ || count > size_ - first)
      throw notape::IndexError("ArrayRef: invalid slice of {} from {}, the length is {}", count,
                               first, size_);
    return {data_ + first, count};
  }
  constexpr ArrayRef slice(std::size_t first) const {
    return slice(first, first > size_ ? 0 : size_ - first);
  }
  constexpr bool equals(ArrayRef other) const {
    if (size_ != other.size_) return false;
    for (std::size_t i = 0; i < size_; ++i)
      if (!(data_[i] == other.data_[i])) return false;
    return true;
  }
  std::vector<T> vec() const { return {begin(), end()}; }
  operator std::vector<T>() const { return vec(); }
  template <std::same_as<int64_t> Number = T>
  operator notape::IntArrayRef() const {
    return {data_, size_};
  }

 private:
  const T* data_ = nullptr;
  std::size_t size_ = 0;
};

}  // namespace c10
