// Helpers for references: broadcasting maps and index arithmetic, written for clarity and any kind
// of number. Nothing here is fast.
#pragma once
#include <tuple>

#include "ops/spec/op_spec.h"

namespace notape {

/// The shape all operands broadcast to; they are known to be compatible.
std::vector<int64_t> plain_broadcast(
    std::initializer_list<const std::vector<int64_t>*> operand_sizes);
/// Row-major position of the element of an operand that meets position `index` of shape `sizes`.
int64_t plain_position(const std::vector<int64_t>& operand_sizes, const std::vector<int64_t>& sizes,
                       int64_t index);
template <typename T>
int64_t plain_position(const PlainTensor<T>& operand, const std::vector<int64_t>& sizes,
                       int64_t index) {
  return plain_position(operand.sizes, sizes, index);
}

/// f applied element by element, broadcast.
template <typename F, typename T, typename... Operands>
PlainTensor<T> plain_map(const F& f, const PlainTensor<T>& first, const Operands&... others) {
  PlainTensor<T> result(plain_broadcast({&first.sizes, &others.sizes...}));
  const auto at = [&](const PlainTensor<T>& operand, int64_t i) -> const T& {
    return operand.values[static_cast<std::size_t>(plain_position(operand, result.sizes, i))];
  };
  for (int64_t i = 0; i < result.numel(); ++i)
    result.values[static_cast<std::size_t>(i)] = f(at(first, i), at(others, i)...);
  return result;
}

/// The reference of an elementwise operator: f of the arguments' entries, broadcast. `f` takes one
/// to three numbers of any kind.
template <typename F>
Reference elementwise_reference(F f) {
  Reference reference = [f]<typename T>(const PlainList<T>& x) {
    if constexpr (std::invocable<const F&, T>)
      return plain_map(f, x.at(0));
    else if constexpr (std::invocable<const F&, T, T>)
      return plain_map(f, x.at(0), x.at(1));
    else
      return plain_map(f, x.at(0), x.at(1), x.at(2));
  };
  reference.is_elementwise = true;
  return reference;
}

/// A number from a list of them, and a list from another.
template <typename T>
using GroupSignature = T(const std::vector<T>& group);
template <typename T>
using SliceSignature = std::vector<T>(const std::vector<T>& slice);
using GroupFunction = PlainFunction<GroupSignature>;
using SliceFunction = PlainFunction<SliceSignature>;

/// A row-major tensor seen as (outer, size, inner) around dimension `dim` (may be negative).
struct PlainSlices {
  PlainSlices(const std::vector<int64_t>& sizes, int64_t dim);
  int64_t outer = 1, size = 1, inner = 1;
  std::size_t at(int64_t o, int64_t i, int64_t n) const {
    return static_cast<std::size_t>((o * size + i) * inner + n);
  }
};

/// `sizes` without `dim`, or with 1 there.
std::vector<int64_t> plain_reduced(std::vector<int64_t> sizes, int64_t dim, bool keepdim);

}  // namespace notape
