// The numbers that programs are made of, the same in the campaign and in the C++ it prints.
#pragma once

namespace notape::verify::alias {

/// The numbers a tensor is made of: small, not zero, different from their neighbours.
constexpr double pattern_value(int pattern, int i) {
  constexpr double kValues[] = {1, 2, -1, 3, -2, 2, 1, -3, 4, -1, 3};
  return kValues[(pattern * 3 + i) % 11];
}
/// The incoming gradient of a backward pass.
constexpr double weight_value(int i) { return 1 + i * 2 % 5; }
/// Direction in which hooks observe a gradient, and in which it is differentiated again.
constexpr double direction_value(int i) { return 1 + i * 7 % 13; }

}  // namespace notape::verify::alias
