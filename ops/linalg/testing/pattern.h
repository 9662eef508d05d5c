// What tests of products and convolutions share: inputs whose sums of products are exact, in
// several layouts.
#pragma once
#include "autograd/testing/expect.h"
#include "ops/core/allocate.h"
#include "ops/ops.h"

namespace notape::testing {

/// Element i is ((key (i + 1)) mod 13 - 6) / 4 (integers: without the division): small multiples of
/// 1/4, so that no sum of products is rounded.
inline Tensor pattern(IntArrayRef sizes, int64_t key, ScalarType dtype = kFloat64) {
  Tensor result = empty(sizes, dtype);
  visit_type(dtype, [&]<typename T>() {
    for (int64_t i = 0; i < result.numel(); ++i) {
      const int64_t whole = key * (i + 1) % 13 - 6;
      result.data_ptr<T>()[i] =
          static_cast<T>(std::is_floating_point_v<T> ? static_cast<double>(whole) / 4
                                                     : static_cast<double>(whole));
    }
  });
  return result;
}
inline Tensor pattern_leaf(IntArrayRef sizes, int64_t key) {
  return pattern(sizes, key).requires_grad_();
}

/// The same values with other strides: `order` names the dimensions from the slowest to the fastest
/// in memory, and between neighbours `gap` elements stay unused.
inline Tensor laid_out(const Tensor& value, const std::vector<int>& order, int64_t gap = 0) {
  std::vector<int64_t> strides(order.size());
  int64_t step = gap + 1;
  for (auto d = order.rbegin(); d != order.rend(); ++d) {
    strides[static_cast<std::size_t>(*d)] = step;
    step = step * value.size(*d) + gap;
  }
  const Scalar poison = value.is_floating_point() ? Scalar(std::nan("")) : Scalar(99);
  const Tensor buffer = full({step + 3}, poison, value.dtype());
  const Tensor result = raw_alias(buffer, Geometry(value.sizes(), strides, 3));
  raw_copy(result, value);
  return result;
}

}  // namespace notape::testing
