#include "ops/index/indirect.h"

#include <atomic>

#include "ops/arithmetic.h"
#include "ops/comparison.h"
#include "ops/core/allocate.h"
#include "ops/parallel.h"
#include "ops/selection.h"
#include "ops/shape.h"

namespace notape {

Tensor checked_index(const Operation& op, const Tensor& index) {
  if (!is_integral(index.dtype()))
    op.fail<IndexError>("Expected dtype int32/int64 for index, but got {}", name_of(index.dtype()));
  return to(index, kInt64, op.at);
}

namespace {

/// Throws IndexError unless all are from `least` to below `size`.
void check_between(const Operation& op, const Tensor& index, int64_t least, int64_t size,
                   int64_t dim) {
  if (is_batched(index)) return;
  const Tensor here = raw_on_device(raw_contiguous(index), kCPU);
  const int64_t* values = here.impl().data_as<int64_t>();
  std::atomic<bool> all_inside{true};
  parallel_for(0, here.numel(), kParallelGrain, [&](int64_t first, int64_t last) {
    const auto low = static_cast<uint64_t>(least), count = static_cast<uint64_t>(size) - low;
    int64_t outside = 0;  // what is below `least` is far beyond the end, too
    for (int64_t i = first; i < last; ++i)
      outside |= static_cast<uint64_t>(values[i]) - low >= count;
    if (outside != 0) all_inside.store(false, std::memory_order_relaxed);
  });
  if (all_inside.load(std::memory_order_relaxed)) return;
  for (int64_t i = 0; i < here.numel(); ++i)
    if (values[i] < least || values[i] >= size)
      op.fail<IndexError>("index {} is out of bounds for dimension {} with size {}", values[i], dim,
                          size);
}

}  // namespace

void check_index_range(const Operation& op, const Tensor& index, int64_t size, int64_t dim) {
  check_between(op, index, 0, size, dim);
}

Tensor wrapped_index(const Operation& op, const Tensor& index, int64_t size, int64_t dim) {
  check_between(op, index, -size, size, dim);
  return where(lt(index, 0), index + size, index);
}

void run_in_range(const Operation& op, const CheckedIndirectKernel& checked,
                  const IndirectKernel& kernel, const Indirect& where, const Tensor& values,
                  int64_t size, int64_t dim) {
  const Device device = where.base.device();
  if (size > 0 && checked.is_offered_on(device)) {
    bool are_all_inside = true;
    checked(op, values.dtype(), device, where, values, size, are_all_inside);
    if (are_all_inside) return;
  }
  check_index_range(op, where.positions, size, dim);
  kernel(op, values.dtype(), device, where, values);
}

Tensor gather_index(const Tensor& vector, IntArrayRef sizes, int64_t dim) {
  DimVector line(sizes.size(), 1), all = sizes;
  line[static_cast<std::size_t>(dim)] = all[static_cast<std::size_t>(dim)] = vector.numel();
  return expand(reshape(vector, line), all);
}

Tensor raw_on_device(const Tensor& value, Device device) {
  if (value.device() == device) return value;
  Tensor result = allocate(value.sizes(), value.dtype(), device);
  raw_copy(result, value);
  return result;
}

}  // namespace notape
