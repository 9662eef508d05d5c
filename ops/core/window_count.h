#pragma once
#include <cstdint>

namespace notape {

/// How many windows fit along a dimension of `size`; with ceil_mode also a last one that starts
/// inside the image or its left padding but reaches beyond the right one. Whatever the numbers are,
/// nothing wraps around; the stride is above 0.
inline int64_t window_count(int64_t size, int64_t kernel, int64_t stride, int64_t padding,
                            int64_t dilation, bool ceil_mode) {
  __extension__ using Int128 = __int128;
  const Int128 room =
      Int128(size) + 2 * Int128(padding) - Int128(dilation) * (Int128(kernel) - 1) - 1;
  const Int128 rounded = room + (ceil_mode ? stride - 1 : 0);
  if (rounded < 0) return 0;
  const Int128 count = rounded / stride + 1;
  const bool last_is_outside = (count - 1) * stride >= Int128(size) + padding;
  return static_cast<int64_t>(ceil_mode && last_is_outside ? count - 1 : count);
}

}  // namespace notape
