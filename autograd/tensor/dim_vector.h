// DimVector: an owned list of sizes, strides or dimensions; up to six entries need no allocation.
#pragma once
#include <algorithm>

#include "autograd/tensor/array_ref.h"

namespace notape {

class DimVector {
 public:
  static constexpr std::size_t kInline = 6;

  DimVector() = default;
  explicit DimVector(std::size_t size, int64_t value = 0) {
    reserve(size);
    size_ = static_cast<uint32_t>(size);
    std::fill_n(data(), size, value);
  }
  DimVector(IntArrayRef list) {
    reserve(list.size());
    size_ = static_cast<uint32_t>(list.size());
    std::copy(list.begin(), list.end(), data());
  }
  DimVector(std::initializer_list<int64_t> list)
      : DimVector(IntArrayRef(list.begin(), list.size())) {}
  DimVector(const std::vector<int64_t>& list) : DimVector(IntArrayRef(list)) {}
  DimVector(const DimVector& other) : DimVector(IntArrayRef(other)) {}
  DimVector(DimVector&& other) noexcept { take(other); }
  DimVector& operator=(const DimVector& other) { return *this = DimVector(other); }
  DimVector& operator=(DimVector&& other) noexcept {
    if (this != &other) {
      this->~DimVector();
      take(other);
    }
    return *this;
  }
  ~DimVector() {
    if (capacity_ > kInline) delete[] heap_;
  }

  operator IntArrayRef() const { return {data(), size_}; }
  std::vector<int64_t> vec() const { return {begin(), end()}; }

  std::size_t size() const { return size_; }
  bool empty() const { return size_ == 0; }
  int64_t* data() { return capacity_ > kInline ? heap_ : inline_; }
  const int64_t* data() const { return capacity_ > kInline ? heap_ : inline_; }
  int64_t* begin() { return data(); }
  int64_t* end() { return data() + size_; }
  const int64_t* begin() const { return data(); }
  const int64_t* end() const { return data() + size_; }
  int64_t& operator[](std::size_t i) { return data()[i]; }
  const int64_t& operator[](std::size_t i) const { return data()[i]; }
  int64_t& back() { return data()[size_ - 1]; }
  const int64_t& back() const { return data()[size_ - 1]; }

  void push_back(int64_t value) {
    if (size_ == capacity_) reserve(2 * size_);
    data()[size_++] = value;
  }
  void insert(std::size_t at, int64_t value) {
    push_back(value);
    std::rotate(begin() + at, end() - 1, end());
  }
  void erase(std::size_t at) {
    std::copy(begin() + at + 1, end(), begin() + at);
    --size_;
  }
  friend bool operator==(const DimVector& a, const DimVector& b) {
    return IntArrayRef(a) == IntArrayRef(b);
  }

 private:
  void reserve(std::size_t wanted) {
    if (wanted <= capacity_) return;
    auto* grown = new int64_t[wanted];
    std::copy(begin(), end(), grown);
    if (capacity_ > kInline) delete[] heap_;
    heap_ = grown;
    capacity_ = static_cast<uint32_t>(wanted);
  }
  void take(DimVector& other) noexcept {
    size_ = other.size_;
    capacity_ = other.capacity_;
    if (capacity_ > kInline) {
      heap_ = other.heap_;
    } else {
      std::copy_n(other.inline_, kInline, inline_);
    }
    other.size_ = 0;
    other.capacity_ = kInline;
  }

  union {
    int64_t inline_[kInline];
    int64_t* heap_;
  };
  uint32_t size_ = 0;
  uint32_t capacity_ = kInline;
};

}  // namespace notape
