// Pooling over windows of the last one, two or three dimensions: input (N, C, ...) or (C, ...). Not
// members of Tensor. Only N may be 0 (ShapeError). A window begins at i stride - padding; the
// number of windows is that of max_pool2d (ops/conv.h). stride defaults to kernel_size; kernel_size
// and stride below 1, padding below 0 or above half of the kernel: ValueError. Floating dtypes;
// what takes integers says so. All throw UndefinedTensor, ShapeError, and NoKernel for other
// dtypes.
#pragma once
#include "ops/conv.h"

namespace notape {

/// Largest value of each window: max_pool2d of one row, integers included. The indices are
/// positions in the row.
Tensor max_pool1d(const Tensor& self, Integer kernel_size, std::optional<Integer> stride = {},
                  Integer padding = 0, Integer dilation = 1, bool ceil_mode = false,
                  At at = At::current());
std::tuple<Tensor, Tensor> max_pool1d_with_indices(const Tensor& self, Integer kernel_size,
                                                   std::optional<Integer> stride = {},
                                                   Integer padding = 0, Integer dilation = 1,
                                                   bool ceil_mode = false, At at = At::current());
/// The same in three dimensions; indices are flat positions (d H + h) W + w, -1 where a window is
/// all padding.
Tensor max_pool3d(const Tensor& self, Triple kernel_size, Optional<Triple> stride = {},
                  Triple padding = 0, Triple dilation = 1, bool ceil_mode = false,
                  At at = At::current());
std::tuple<Tensor, Tensor> max_pool3d_with_indices(const Tensor& self, Triple kernel_size,
                                                   Optional<Triple> stride = {}, Triple padding = 0,
                                                   Triple dilation = 1, bool ceil_mode = false,
                                                   At at = At::current());
/// {maxima, flat positions} of the windows of adaptive_avg_pool. The gradient goes to the first of
/// equal ones; NaN is the largest. Integers, too.
std::tuple<Tensor, Tensor> adaptive_max_pool1d(const Tensor& self, Integer output_size,
                                               At at = At::current());
std::tuple<Tensor, Tensor> adaptive_max_pool2d(const Tensor& self, Pair output_size,
                                               At at = At::current());
/// The sum of each window, zeros around the image, divided by how many entries it has: those of the
/// padding (not those beyond it, with ceil_mode) count with count_include_pad. The gradient of each
/// is divided evenly. Sums are taken in double. Floating dtypes and int64, whose quotients are
/// cut off, as in LibTorch; others are a DtypeError.
Tensor avg_pool1d(const Tensor& self, Integer kernel_size, std::optional<Integer> stride = {},
                  Integer padding = 0, bool ceil_mode = false, bool count_include_pad = true,
                  At at = At::current());
/// The same in two and three dimensions; divisor_override, not 0 (ValueError), replaces the number
/// of entries.
Tensor avg_pool2d(const Tensor& self, Pair kernel_size, Optional<Pair> stride = {},
                  Pair padding = 0, bool ceil_mode = false, bool count_include_pad = true,
                  std::optional<Integer> divisor_override = {}, At at = At::current());
Tensor avg_pool3d(const Tensor& self, Triple kernel_size, Optional<Triple> stride = {},
                  Triple padding = 0, bool ceil_mode = false, bool count_include_pad = true,
                  std::optional<Integer> divisor_override = {}, At at = At::current());
/// The mean of each of output_size windows, from floor(i size / output_size) to ceil((i + 1) size /
/// output_size). output_size may be 0, not less (ValueError). C may be 0 as well. Floating dtypes
/// only (DtypeError).
Tensor adaptive_avg_pool1d(const Tensor& self, Integer output_size, At at = At::current());
Tensor adaptive_avg_pool2d(const Tensor& self, Pair output_size, At at = At::current());
Tensor adaptive_avg_pool3d(const Tensor& self, Triple output_size, At at = At::current());

/// The reverse of max_pool2d: each entry of self at its flat position of a plane of output_size (H,
/// W), 0 elsewhere: self and indices (N, C, H', W') or (C, H', W'). The gradient is gathered. Of
/// repeated positions the last stays. Throws ShapeError, DtypeError unless indices are int64,
/// IndexError for a position out of range.
Tensor max_unpool2d(const Tensor& self, const Tensor& indices, Pair output_size,
                    At at = At::current());

}  // namespace notape
