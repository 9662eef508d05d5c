// What pixel_shuffle and pixel_unshuffle share: what they ask for, lists of sizes and dimensions.
#pragma once
#include <cstdint>
#include <string_view>
#include <vector>

#include "ops/core/promotion.h"

namespace notape {

/// Throws ShapeError and ValueError for no image or a factor below 1.
inline void check_shuffle(const Operation& op, const Tensor& self, std::string_view name,
                          int64_t factor) {
  check_operand(op, self);
  if (self.dim() < 3)
    op.fail<ShapeError>(
        "expects input to have at least 3 dimensions, but got input with {} dimension(s)",
        self.dim());
  if (factor <= 0) op.fail<ValueError>("expects a positive {}, but got {}", name, factor);
  constexpr int64_t kMost = 1 << 20;  // its square times a size is a number
  if (factor > kMost) op.fail<ValueError>("expects a smaller {} than {}", name, factor);
}

/// 0, 1, ..., n - 1
inline std::vector<int64_t> counting(int64_t n) {
  std::vector<int64_t> result;
  for (int64_t i = 0; i < n; ++i) result.push_back(i);
  return result;
}

inline std::vector<int64_t> joined(std::vector<int64_t> first, std::vector<int64_t> second) {
  first.insert(first.end(), second.begin(), second.end());
  return first;
}

}  // namespace notape
