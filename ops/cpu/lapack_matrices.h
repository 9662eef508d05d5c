// Matrices of a slot, one after another, as LAPACK takes them.
#pragma once
#include <algorithm>
#include <cmath>
#include <limits>

#include "ops/core/kernel_slot.h"
#include "ops/cpu/blas_threads.h"
#include "ops/cpu/lapack.h"
#include "ops/parallel.h"

namespace notape::lapack {

/// Throws ShapeError for a size that LAPACK's integers do not hold.
inline blasint as_int(const Operation& op, int64_t size) {
  if (size > std::numeric_limits<blasint>::max())
    op.fail<ShapeError>("a matrix of {} rows or columns is too large for LAPACK", size);
  return static_cast<blasint>(size);
}

/// f.operator()<T>() for the element type of matrices, on one thread where get_num_threads() says
/// so, or where they are small: OpenBLAS wakes its threads for any. Throws NoKernel for types that
/// LAPACK has not.
template <typename F>
void for_types(const Operation& op, const Tensor& of, const F& f) {
  constexpr int64_t kSmall = 64 * 64;
  const blas::OneThread alone(runs_on_one_thread() || of.size(1) * of.size(2) <= kSmall);
  if (of.dtype() == kFloat32) return f.template operator()<float>();
  if (of.dtype() == kFloat64) return f.template operator()<double>();
  no_kernel(op, of.dtype(), of.device());
}

/// The first entry of one matrix, or vector, of several.
template <typename T>
T* part(const Tensor& of, int64_t which) {
  return of.impl().data_as<T>() + which * of.stride(0);
}

/// Where a matrix has an entry that is NaN or infinite, true, and everything in what belongs to it
/// is NaN: what LAPACK makes of one is left to chance.
template <typename T, typename... Results>
bool spoiled(const Tensor& matrices, int64_t which, const Results&... results) {
  const auto count = matrices.size(1) * matrices.size(2);
  const T* entries = part<T>(matrices, which);
  if (std::all_of(entries, entries + count, [](T entry) { return std::isfinite(entry); }))
    return false;
  const auto fill = [&](const Tensor& result) {
    if (!result.defined()) return;
    const int64_t size = result.numel() / result.size(0);
    std::fill_n(part<T>(result, which), size, std::numeric_limits<T>::quiet_NaN());
  };
  (fill(results), ...);
  return true;
}

}  // namespace notape::lapack
