// Helpers for references in extended precision: broadcasting maps and index arithmetic, written for
// clarity. Nothing here is fast.
#pragma once
#include <tuple>

#include "ops/spec/op_spec.h"

namespace notape {

/// The shape all operands broadcast to; they are known to be compatible.
std::vector<int64_t> wide_broadcast(std::initializer_list<const WideTensor*> operands);
/// Row-major position of the element of `operand` that meets position `index` of shape `sizes`.
int64_t wide_position(const WideTensor& operand, const std::vector<int64_t>& sizes, int64_t index);

/// f applied element by element, broadcast.
template <typename F, typename... Operands>
WideTensor wide_map(const F& f, const Operands&... operands) {
  WideTensor result(wide_broadcast({&operands...}));
  for (int64_t i = 0; i < result.numel(); ++i)
    result.values[static_cast<std::size_t>(i)] =
        f(operands.values[static_cast<std::size_t>(wide_position(operands, result.sizes, i))]...);
  return result;
}

/// A row-major tensor seen as (outer, size, inner) around dimension `dim` (may be negative).
struct WideSlices {
  WideSlices(const std::vector<int64_t>& sizes, int64_t dim);
  int64_t outer = 1, size = 1, inner = 1;
  std::size_t at(int64_t o, int64_t i, int64_t n) const {
    return static_cast<std::size_t>((o * size + i) * inner + n);
  }
};

/// `sizes` without `dim`, or with 1 there.
std::vector<int64_t> wide_reduced(std::vector<int64_t> sizes, int64_t dim, bool keepdim);

}  // namespace notape
