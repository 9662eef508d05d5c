#include "ops/index/indirect.h"

#include "ops/arithmetic.h"
#include "ops/comparison.h"
#include "ops/core/allocate.h"
#include "ops/selection.h"
#include "ops/shape.h"

namespace notape {

Tensor checked_index(const Operation& op, const Tensor& index) {
  if (!is_integral(index.dtype()))
    op.fail<IndexError>("Expected dtype int32/int64 for index, but got {}", name_of(index.dtype()));
  return to(index, kInt64, op.at);
}

namespace {

/// A batched index is checked where its samples are read. Of a dimension of no size every position
/// is wrong, and none could stand for it.
Tensor positions(const Operation& op, const Tensor& index, const PositionBounds& bounds) {
  const Tensor given = raw_contiguous(index);
  const bool waits = bounds.size == 0 && index.numel() > 0;
  const Tensor& from = waits ? raw_on_device(given, kCPU) : given;
  Tensor result;
  positions_kernel(op, kInt64, from.device(), result, from, bounds);
  return result.defined() ? result : index;
}

}  // namespace

Tensor checked_range(const Operation& op, const Tensor& index, int64_t size, int64_t dim) {
  return is_batched(index) ? index : positions(op, index, {0, size, dim});
}

Tensor wrapped_index(const Operation& op, const Tensor& index, int64_t size, int64_t dim) {
  if (is_batched(index)) return where(lt(index, 0), index + size, index);
  return positions(op, index, {-size, size, dim});
}

void run_in_range(const Operation& op, const CheckedIndirectKernel& checked,
                  const IndirectKernel& kernel, const Indirect& where, const Tensor& values,
                  const PositionBounds& bounds) {
  const Device device = where.base.device();
  Indirect right = where;
  if (bounds.size > 0 && checked.is_offered_on(device)) {
    bool are_all_inside = true;
    checked(op, values.dtype(), device, where, values, bounds, are_all_inside);
    if (are_all_inside) return;
  }
  right.positions = checked_range(op, where.positions, bounds.size, bounds.dim);
  kernel(op, values.dtype(), device, right, values);
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
