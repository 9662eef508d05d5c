// Division by a number that is known before a kernel starts: a GPU divides slowly, and multiplies
// fast. (Granlund and Montgomery 1994)
#pragma once
#include <cstdint>

#include "ops/core/device_function.h"

namespace notape {

/// Of numbers below 2^31 by one of 1 to 2^31 - 1.
class Divisor {
 public:
  static constexpr int64_t kLargest = (int64_t{1} << 31) - 1;

  Divisor() = default;
  NOTAPE_HD explicit Divisor(int64_t value) : value_(static_cast<uint32_t>(value)) {
    while ((uint64_t{1} << shift_) < value_) ++shift_;
    // 2^32 + factor is 2^(32 + shift) / value, rounded up.
    factor_ = static_cast<uint32_t>((((uint64_t{1} << shift_) - value_) << 32) / value_ + 1);
  }

  NOTAPE_HD uint32_t value() const { return value_; }
  NOTAPE_HD uint32_t quotient(uint32_t number) const {
    const auto product = static_cast<uint32_t>(uint64_t{number} * factor_ >> 32);
    return (product + number) >> shift_;
  }

 private:
  uint32_t value_ = 1, factor_ = 1, shift_ = 0;
};

}  // namespace notape
