// A batch of numbers through an operator, its backward, and the backward of that.
#pragma once
#include <array>
#include <vector>

#include "autograd/tensor/scalar_type.h"

namespace notape {
struct OpCase;
struct OpSpec;
}  // namespace notape

namespace notape::verify::exhaustive {

/// What is walked: the operator's value, its derivative, and the derivative of that.
enum Quantity { kValue, kSlope, kSecond };
inline constexpr std::size_t kQuantities = 3;

struct Quantities {
  std::array<std::vector<double>, kQuantities> of;  ///< empty without a derivative of that order
};

/// How many numbers a batch has.
inline constexpr std::size_t kBatch = std::size_t{7} << 15;
/// In how many ways a batch may lie in memory, so that every loop runs: side by side (0), two
/// apart, at an odd address, in rows that end before a register is full, beside large, small and no
/// numbers.
inline constexpr std::size_t kWays = 5;
const char* way_name(std::size_t way);

/// `numbers`: kBatch numbers that float32 holds. The results are in their order.
Quantities through(const OpSpec& spec, const OpCase& one, const std::vector<double>& numbers,
                   ScalarType dtype, std::size_t way = 0);

}  // namespace notape::verify::exhaustive
