// The largest entry of a window, the same on every device.
#pragma once
#include <cstdint>

#include "ops/core/device_function.h"

namespace notape {

/// A window along a dimension of `size` entries.
struct WindowLine {
  int64_t size, step, begin, end;
};

/// Its flat position in the volume; -1 if the window has none. NaN is the largest, of equals the
/// first.
template <typename T>
NOTAPE_HD int64_t pick_maximum(const T* volume, const WindowLine& depth, const WindowLine& rows,
                               const WindowLine& columns) {
  int64_t best = -1;
  for (int64_t d = depth.begin; d < depth.end; d += depth.step)
    for (int64_t h = rows.begin; h < rows.end; h += rows.step)
      for (int64_t w = columns.begin; w < columns.end; w += columns.step) {
        const int64_t at = (d * rows.size + h) * columns.size + w;
        const T value = volume[at];
        if (best < 0 || value > volume[best] || (value != value && volume[best] == volume[best]))
          best = at;
      }
  return best;
}

}  // namespace notape
