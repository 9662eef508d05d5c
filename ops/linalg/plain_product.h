// Products of matrices, for references.
#pragma once
#include "ops/spec/plain.h"

namespace notape {

/// (..., n, k) by (..., k, m)
template <typename T>
PlainTensor<T> plain_product(const PlainTensor<T>& a, const PlainTensor<T>& b) {
  std::vector<int64_t> sizes = a.sizes;
  sizes.back() = b.sizes.back();
  PlainTensor<T> result(sizes);
  const int64_t n = sizes[sizes.size() - 2], k = a.sizes.back(), m = sizes.back();
  for (int64_t i = 0; i < result.numel(); ++i)
    for (int64_t p = 0; p < k; ++p)
      result.values[static_cast<std::size_t>(i)] +=
          a.values[static_cast<std::size_t>(i / m * k + p)] *
          b.values[static_cast<std::size_t>((i / (n * m) * k + p) * m + i % m)];
  return result;
}

/// beta self, broadcast, + alpha product. A factor of 0 means, as in BLAS, that the term is not
/// read.
template <typename T>
PlainTensor<T> plain_add_product(const PlainTensor<T>& self, const PlainTensor<T>& product,
                                 double beta, double alpha) {
  return plain_map(
      [=](const T& before, const T& sum) {
        return (beta == 0 ? T(0) : beta * before) + (alpha == 0 ? T(0) : alpha * sum);
      },
      self, product);
}

}  // namespace notape
