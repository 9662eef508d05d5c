// IntArrayRef: a borrowed list of sizes, strides or dimensions (LibTorch's name).
#pragma once
#include <array>
#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <string>
#include <vector>

#include "autograd/integer.h"

namespace notape {

/// Borrowed: valid only while what it was made from lives. Pass it as an argument, do not store it.
class IntArrayRef {
 public:
  constexpr IntArrayRef() = default;
  template <std::convertible_to<const int64_t*> Pointer>  // a literal 0 is none
  constexpr IntArrayRef(Pointer data, std::size_t size) : data_(data), size_(size) {}
#ifndef __clang__  // which knows no such warning
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Winit-list-lifetime"
#endif
  IntArrayRef(std::initializer_list<Integer> list)
      : data_(reinterpret_cast<const int64_t*>(list.begin())), size_(list.size()) {}
  template <std::same_as<int64_t> Number>  // also a list that somebody has
  constexpr IntArrayRef(std::initializer_list<Number> list)
      : data_(list.begin()), size_(list.size()) {}
#ifndef __clang__
#pragma GCC diagnostic pop
#endif
  template <std::size_t N>
  constexpr IntArrayRef(const std::array<int64_t, N>& list) : data_(list.data()), size_(N) {}
  template <std::same_as<int64_t> Number, std::size_t N>  // {true, false} is none
  constexpr IntArrayRef(const Number (&list)[N]) : data_(list), size_(N) {}
  IntArrayRef(const std::vector<int64_t>& list) : data_(list.data()), size_(list.size()) {}
  constexpr IntArrayRef(const int64_t& one) : data_(&one), size_(1) {}
  IntArrayRef(const Integer& one) : data_(reinterpret_cast<const int64_t*>(&one)), size_(1) {}
  template <std::convertible_to<int64_t> T>
  requires(!WholeNumber<T>) IntArrayRef(T)
  = delete;

  constexpr const int64_t* begin() const { return data_; }
  constexpr const int64_t* end() const { return data_ + size_; }
  constexpr const int64_t* data() const { return data_; }
  constexpr std::size_t size() const { return size_; }
  constexpr bool empty() const { return size_ == 0; }
  constexpr const int64_t& operator[](std::size_t i) const { return data_[i]; }
  constexpr const int64_t& front() const { return data_[0]; }
  constexpr const int64_t& back() const { return data_[size_ - 1]; }
  std::vector<int64_t> vec() const { return {begin(), end()}; }
  /// `count` numbers from the n-th, or all of them from there; both within the list.
  constexpr IntArrayRef slice(std::size_t n, std::size_t count) const { return {data_ + n, count}; }
  constexpr IntArrayRef slice(std::size_t n) const { return slice(n, size_ - n); }
  constexpr bool equals(IntArrayRef other) const { return *this == other; }

  friend constexpr bool operator==(IntArrayRef a, IntArrayRef b) {
    if (a.size_ != b.size_) return false;
    for (std::size_t i = 0; i < a.size_; ++i)
      if (a.data_[i] != b.data_[i]) return false;
    return true;
  }

 private:
  const int64_t* data_ = nullptr;
  std::size_t size_ = 0;
};

/// "[2, 3]"
std::string to_string(IntArrayRef list);

}  // namespace notape
