#include "ops/index/indirect.h"

#include "ops/core/allocate.h"
#include "ops/shape.h"

namespace notape {

void check_index_type(const Operation& op, const Tensor& index) {
  if (index.dtype() != kInt64)
    op.fail<IndexError>("Expected dtype int64 for index, but got {}", name_of(index.dtype()));
}

void check_index_range(const Operation& op, const Tensor& index, int64_t size, int64_t dim) {
  if (is_batched(index)) return;
  const Tensor here = raw_on_device(raw_contiguous(index), kCPU);
  const int64_t* values = here.impl().data_as<int64_t>();
  for (int64_t i = 0; i < here.numel(); ++i)
    if (values[i] < 0 || values[i] >= size)
      op.fail<IndexError>("index {} is out of bounds for dimension {} with size {}", values[i], dim,
                          size);
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
