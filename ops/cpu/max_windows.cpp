// Maxima of windows on the CPU, volume by volume.
#include "ops/pooling/max_windows.h"

#include "ops/parallel.h"

namespace notape {
namespace {

/// The position of the largest entry of a window (i, j, k); -1 if it has none.
template <typename T>
int64_t pick_max_windows(const T* volume, const WindowTables& tables, std::size_t i, std::size_t j,
                         std::size_t k) {
  const auto& [depth, rows, columns] = tables;
  int64_t best = -1;
  for (int64_t d = depth.begin[i]; d < depth.end[i]; d += depth.step)
    for (int64_t h = rows.begin[j]; h < rows.end[j]; h += rows.step)
      for (int64_t w = columns.begin[k]; w < columns.end[k]; w += columns.step) {
        const int64_t at = (d * rows.size + h) * columns.size + w;
        const T value = volume[at];
        if (best < 0 || value > volume[best] || (value != value && volume[best] == volume[best]))
          best = at;
      }
  return best;
}

void pick_max_windows_all(const Operation& op, const Tensor& indices, const Tensor& x,
                          const WindowTables& tables) {
  if (x.dtype() == kBool) no_kernel(op, x.dtype(), x.device());
  const int64_t size = tables[0].size * tables[1].size * tables[2].size;
  const int64_t windows = tables[0].count() * tables[1].count() * tables[2].count();
  if (windows == 0) return;
  int64_t* result = indices.impl().data_as<int64_t>();
  visit_computed(x.dtype(), [&]<typename T>() {
    const T* data = x.impl().data_as<T>();
    parallel_for(0, indices.numel() / windows, std::max<int64_t>(kParallelGrain / size, 1),
                 [&](int64_t first, int64_t last) {
                   for (int64_t n = first; n < last; ++n) {
                     int64_t* to = result + n * windows;
                     for (std::size_t i = 0; i < tables[0].begin.size(); ++i)
                       for (std::size_t j = 0; j < tables[1].begin.size(); ++j)
                         for (std::size_t k = 0; k < tables[2].begin.size(); ++k)
                           *to++ = pick_max_windows(data + n * size, tables, i, j, k);
                   }
                 });
  });
}

}  // namespace

constinit MaxWindowsKernel max_windows_kernel(pick_max_windows_all);

}  // namespace notape
