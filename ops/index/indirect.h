// Indirect loops: elements of a tensor found through a list of positions. All three operands are
// laid over one loop; the base has stride 0 along the dimensions that the positions step through.
#pragma once
#include "ops/core/device_function.h"
#include "ops/core/kernel_slot.h"

namespace notape {

/// Element i of the loop meets base[i + positions[i] * scale], `scale` in elements of the base.
struct Indirect {
  Tensor base;
  Tensor positions;  // int64, on the base's device, checked but for CheckedIndirectKernel
  int64_t scale;
};

using IndirectKernel = Kernel<void(const Operation&, const Indirect&, const Tensor& values)>;
/// values[i] = base[...]
extern IndirectKernel read_indirect_kernel;
/// base[...] = values[i], values broadcast and of the base's dtype; of several writes to one
/// element the last in row-major order of the positions stays.
extern IndirectKernel write_indirect_kernel;
/// base[...] += values[i]; values are row-major and of the base's dtype.
extern IndirectKernel add_indirect_kernel;

/// What positions are to be: from `least` to below `size`. `dim` names the dimension.
struct PositionBounds {
  int64_t least, size, dim;
};
/// The same, of positions that no one has looked at: if one is below 0 or too large, it says so and
/// has moved some of the values or none. A device whose kernels run later says yes, never follows
/// such a position, and raises IndexError in the next call that waits for it.
using CheckedIndirectKernel = Kernel<void(const Operation&, const Indirect&, const Tensor& values,
                                          const PositionBounds& bounds, bool& are_all_inside)>;
extern CheckedIndirectKernel checked_read;
extern CheckedIndirectKernel checked_add;
/// Runs `checked`, or on devices without it checked_range and `kernel`, and throws as that does.
/// What is written to should be new, for then it may be half done.
void run_in_range(const Operation& op, const CheckedIndirectKernel& checked,
                  const IndirectKernel& kernel, const Indirect& where, const Tensor& values,
                  const PositionBounds& bounds);

/// `result` becomes positions that lead into the dimension: those of `index`, row-major int64,
/// counted from the front. Throws IndexError, or later, as above; then they are 0.
using PositionsKernel =
    Kernel<void(const Operation&, Tensor& result, const Tensor& index, const PositionBounds&)>;
extern PositionsKernel positions_kernel;

/// Positions count through a box whose dimensions lie these distances apart, in elements.
struct Box {
  static constexpr int kMostDims = 64;
  int dims = 0;
  int64_t sizes[kMostDims], strides[kMostDims];

  NOTAPE_HD int64_t distance_of(int64_t position) const {
    int64_t distance = 0;
    for (int k = dims; k-- > 0; position /= sizes[k]) distance += position % sizes[k] * strides[k];
    return distance;
  }
};
using DistancesKernel =
    Kernel<void(const Operation&, const Tensor& result, const Tensor& positions, const Box& box)>;
extern DistancesKernel distances_kernel;
/// Where a later position is the same, as bool; `result` may stay undefined if all of them differ.
/// They are below `count`.
using OverwrittenKernel =
    Kernel<void(const Operation&, Tensor& result, const Tensor& positions, int64_t count)>;
extern OverwrittenKernel overwritten_kernel;

/// The index as int64, itself if it is. Throws IndexError unless it is of integers.
Tensor checked_index(const Operation& op, const Tensor& index);
/// The index, if 0 <= index < size everywhere; `dim` names the dimension. Throws IndexError, or
/// has a kernel do so later, and then leads nowhere else. A batched index is checked where its
/// samples are read.
Tensor checked_range(const Operation& op, const Tensor& index, int64_t size, int64_t dim);
/// The same of an index that may count from the end, counted from the front.
Tensor wrapped_index(const Operation& op, const Tensor& index, int64_t size, int64_t dim);

/// An index vector along `dim` as an index for gather: repeated over the other dimensions of
/// `sizes`.
Tensor gather_index(const Tensor& vector, IntArrayRef sizes, int64_t dim);

/// The values themselves if they are on the device already; no graph.
Tensor raw_on_device(const Tensor& value, Device device);

}  // namespace notape
