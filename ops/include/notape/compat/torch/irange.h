#pragma once

/// c10::irange: the whole numbers of a range, for loops.

#include <concepts>

namespace c10 {

/// First, first + 1, ... before last; none if that is not beyond first.
template <std::integral T>
class integer_range {
 public:
  class iterator {
   public:
    explicit iterator(T value) : value_(value) {}
    T operator*() const { return value_; }
    iterator& operator++() {
      ++value_;
      return *this;
    }
    friend bool operator==(iterator, iterator) = default;

   private:
    T value_;
  };

  integer_range(T first, T last) : first_(first), last_(last > first ? last : first) {}
  iterator begin() const { return first_; }
  iterator end() const { return last_; }

 private:
  iterator first_, last_;
};

/// Numbers of the end's type.
template <std::integral First, std::integral Last>
integer_range<Last> irange(First first, Last last) {
  return {static_cast<Last>(first), last};
}
template <std::integral Last>
integer_range<Last> irange(Last last) {
  return {Last{}, last};
}

}  // namespace c10
