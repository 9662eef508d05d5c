// Maxima of windows on the CPU, volume by volume.
#include "ops/pooling/window_tables.h"

#include "ops/parallel.h"
#include "ops/pooling/pick_maximum.h"

namespace notape {
namespace {

WindowLine window(const WindowTable& table, std::size_t i) {
  return {table.size, table.step, table.begin[i], table.end[i]};
}

void pick_max_windows_all(const Operation& op, const Tensor& indices, const Tensor& x,
                          const WindowTables& tables) {
  if (x.dtype() == kBool) no_kernel(op, x.dtype(), x.device());
  const auto& [depth, rows, columns] = tables;
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
                     for (std::size_t i = 0; i < depth.begin.size(); ++i)
                       for (std::size_t j = 0; j < rows.begin.size(); ++j)
                         for (std::size_t k = 0; k < columns.begin.size(); ++k)
                           *to++ = pick_maximum(data + n * size, window(depth, i), window(rows, j),
                                                window(columns, k));
                   }
                 });
  });
}

}  // namespace

constinit MaxWindowsKernel max_windows_kernel(pick_max_windows_all);

}  // namespace notape
