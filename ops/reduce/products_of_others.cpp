#include "ops/reduce/products_of_others.h"

#include <algorithm>

#include "autograd/tensor/factories.h"
#include "ops/ops.h"
#include "ops/reduce/linear_scan.h"
#include "ops/reduce/reduce.h"

namespace notape {
namespace {

/// All entries along `dim` but the last, or but the first.
Tensor without_last(const Tensor& x, int64_t dim) { return narrow(x, dim, 0, x.size(dim) - 1); }
Tensor without_first(const Tensor& x, int64_t dim) { return narrow(x, dim, 1, x.size(dim) - 1); }

/// h[0] = start, h[i+1] = x[i] h[i] + terms[i]; from the last element on with the roles of the ends
/// exchanged. With start 1 and no terms: the products of all elements before (after) each one.
Tensor products_before(const Tensor& x, double start, const Tensor& terms, int64_t dim) {
  std::vector<int64_t> one = x.sizes().vec();
  one[static_cast<std::size_t>(dim)] = 1;
  return linear_scan(without_last(x, dim),
                     cat({full(one, start, x.options()), without_last(terms, dim)}, dim), dim,
                     ScanFrom::First);
}
Tensor products_after(const Tensor& x, double start, const Tensor& terms, int64_t dim) {
  std::vector<int64_t> one = x.sizes().vec();
  one[static_cast<std::size_t>(dim)] = 1;
  return linear_scan(without_first(x, dim),
                     cat({without_first(terms, dim), full(one, start, x.options())}, dim), dim,
                     ScanFrom::Last);
}

struct Along {
  int64_t dim;
};

/// The second derivatives, products without two of the elements, are symmetric. In a pair the other
/// element stands before or after this one.
constexpr auto kOthers = derivative(
    "ProductsOfOthersBackward0",
    symmetric([](const Tensor& grad, const Input<0>& x, const Along& p) {
      if (x.numel() == 0) return grad;
      const Tensor none = zeros(x.sizes(), x.options());
      const Tensor before = products_before(x, 1, none, p.dim);
      const Tensor after = products_after(x, 1, none, p.dim);
      const Tensor earlier = products_before(x, 0, grad * before, p.dim);
      const Tensor later = products_after(x, 0, grad * after, p.dim);
      // Nothing comes before the first and after the last: no 0 to meet a product that is
      // out of range.
      const Tensor end = narrow(none, p.dim, 0, 1);
      return cat({end, without_first(earlier, p.dim) * without_first(after, p.dim)}, p.dim) +
             cat({without_last(later, p.dim) * without_last(before, p.dim), end}, p.dim);
    }));

// Products run in double: what is out of float's range may come back into it.

/// x, result: (outer, size), one slice at a time
template <typename T>
void multiply_rows(const T* x, T* result, const Slices& s) {
  std::vector<double> products(static_cast<std::size_t>(s.size));
  for (int64_t o = 0; o < s.outer; ++o, x += s.size, result += s.size) {
    double before = 1, after = 1;
    double* product = products.data();
    for (int64_t i = 0; i < s.size; before *= static_cast<double>(x[i++])) product[i] = before;
    for (int64_t i = s.size; i-- > 0; after *= static_cast<double>(x[i]))
      result[i] = static_cast<T>(product[i] * after);
  }
}

/// x, result: (outer, size, inner), a block of neighbouring slices at a time
template <typename T>
void multiply_blocks(const T* x, T* result, const Slices& s) {
  constexpr int64_t kBlock = 64;
  std::vector<double> products(static_cast<std::size_t>(s.size * kBlock));  // (size, kBlock)
  for (int64_t o = 0; o < s.outer; ++o, x += s.size * s.inner, result += s.size * s.inner)
    for (int64_t first = 0; first < s.inner; first += kBlock) {
      const int64_t width = std::min(kBlock, s.inner - first);
      double before[kBlock], after[kBlock];
      std::fill_n(before, kBlock, 1.0);
      std::fill_n(after, kBlock, 1.0);
      double* product = products.data();
      for (int64_t i = 0; i < s.size; ++i, product += kBlock)
        for (int64_t n = 0; n < width; ++n) {
          product[n] = before[n];
          before[n] *= static_cast<double>(x[i * s.inner + first + n]);
        }
      for (int64_t i = s.size; i-- > 0;) {
        product -= kBlock;
        for (int64_t n = 0; n < width; ++n) {
          const int64_t at = i * s.inner + first + n;
          result[at] = static_cast<T>(product[n] * after[n]);
          after[n] *= static_cast<double>(x[at]);
        }
      }
    }
}

Tensor compute(const Operation& op, const Tensor& self, int64_t dim) {
  if (is_batched(self))
    return over_batch_along(
        dim, self, [&](int64_t behind, const Tensor& all) { return compute(op, all, behind); },
        self);
  require_cpu(op, self);
  const Tensor x = raw_contiguous(self);
  Tensor result = allocate(self.sizes(), self.dtype(), self.device());
  visit_floating(self.dtype(), [&]<typename T>() {
    const Slices s(x.sizes(), dim);
    (s.inner == 1 ? multiply_rows<T> : multiply_blocks<T>)(x.impl().data_as<T>(),
                                                           result.impl().data_as<T>(), s);
  });
  return result;
}

}  // namespace

Tensor products_of_others(const Tensor& self, int64_t dim, At at) {
  if (self.dim() == 0) return ones({}, self.options());
  const Operation op("products_of_others", at);
  return record(kOthers, op, compute(op, self, dim), Along{dim}, self);
}

}  // namespace notape
