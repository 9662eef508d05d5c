#include "ops/pooling/window_tables.h"

#include "cuda/kernels/launch_slices.h"
#include "cuda/kernels/table.h"
#include "ops/pooling/pick_maximum.h"

namespace notape::cuda {
namespace {

/// A WindowTable in memory of the device.
struct Table {
  int64_t size, step, count;
  const int64_t *begin, *end;

  __device__ WindowLine window(int64_t i) const { return {size, step, begin[i], end[i]}; }
};

/// A thread for each window.
template <typename T>
struct PickMaxima {
  const T* x;
  int64_t* indices;
  Table depth, rows, columns;

  __device__ void operator()(int64_t i, const LoneThread&) const {
    const int64_t k = i % columns.count, j = i / columns.count % rows.count;
    const int64_t d = i / columns.count / rows.count % depth.count;
    const int64_t volume = i / (columns.count * rows.count * depth.count);
    indices[i] = pick_maximum(x + volume * depth.size * rows.size * columns.size, depth.window(d),
                              rows.window(j), columns.window(k));
  }
};

void pick_on_cuda(const Operation& op, const Tensor& indices, const Tensor& x,
                  const WindowTables& tables) {
  if (x.dtype() == kBool) no_kernel(op, x.dtype(), x.device());
  if (indices.numel() == 0) return;
  std::vector<int64_t> bounds;
  for (const WindowTable& table : tables)
    for (const auto* places : {&table.begin, &table.end})
      bounds.insert(bounds.end(), places->begin(), places->end());
  const Tensor there = table_on(bounds, x.device());
  const auto* next = there.impl().data_as<int64_t>();
  Table on_device[3];
  for (std::size_t d = 0; d < 3; ++d) {
    const int64_t count = tables[d].count();
    on_device[d] = {tables[d].size, tables[d].step, count, next, next + count};
    next += 2 * count;
  }
  visit_computed(x.dtype(), [&]<typename T>() {
    const PickMaxima<T> work{x.impl().data_as<T>(), indices.impl().data_as<int64_t>(), on_device[0],
                             on_device[1], on_device[2]};
    detail::launch_by_threads(work, indices.numel(), stream_of(x));
  });
}

const Implementation on_cuda(max_windows_kernel, kCUDA, pick_on_cuda);

}  // namespace
}  // namespace notape::cuda
