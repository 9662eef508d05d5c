#include "ops/index/indirect.h"

#include "ops/core/allocate.h"

namespace notape {

void check_index_type(const Operation& op, const Tensor& index) {
  if (index.dtype() != kInt64)
    op.fail<IndexError>("Expected dtype int64 for index, but got {}", name_of(index.dtype()));
}

void check_index_range(const Operation& op, const Tensor& index, int64_t size, int64_t dim) {
  const Tensor here = raw_on_device(raw_contiguous(index), kCPU);
  const int64_t* values = here.impl().data_as<int64_t>();
  for (int64_t i = 0; i < here.numel(); ++i)
    if (values[i] < 0 || values[i] >= size)
      op.fail<IndexError>("index {} is out of bounds for dimension {} with size {}", values[i], dim,
                          size);
}

Tensor raw_on_device(const Tensor& value, Device device) {
  if (value.device() == device) return value;
  Tensor result = allocate(value.sizes(), value.dtype(), device);
  raw_copy(result, value);
  return result;
}

}  // namespace notape
