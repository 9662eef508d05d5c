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
constexpr auto kOthers =
    derivative("ProductsOfOthersBackward0",
               elementwise([](const Tensor& grad, const Input<0>& x, const Along& p) {
                 if (x.numel() == 0) return grad;
                 const Tensor none = zeros(x.sizes(), x.options());
                 const Tensor before = products_before(x, 1, none, p.dim);
                 const Tensor after = products_after(x, 1, none, p.dim);
                 return products_before(x, 0, grad * before, p.dim) * after +
                        products_after(x, 0, grad * after, p.dim) * before;
               }));

/// x, result: (outer, size, inner)
template <typename T>
void multiply_others(const T* x, T* result, const Slices& s) {
  std::vector<T> running(static_cast<std::size_t>(s.inner));
  for (int64_t o = 0; o < s.outer; ++o, x += s.size * s.inner, result += s.size * s.inner) {
    std::fill(running.begin(), running.end(), T(1));
    for (int64_t i = 0; i < s.size; ++i)
      for (int64_t n = 0; n < s.inner; ++n) {
        T& before = running[static_cast<std::size_t>(n)];
        result[i * s.inner + n] = before;
        before *= x[i * s.inner + n];
      }
    std::fill(running.begin(), running.end(), T(1));
    for (int64_t i = s.size - 1; i >= 0; --i)
      for (int64_t n = 0; n < s.inner; ++n) {
        T& after = running[static_cast<std::size_t>(n)];
        result[i * s.inner + n] *= after;
        after *= x[i * s.inner + n];
      }
  }
}

}  // namespace

Tensor products_of_others(const Tensor& self, int64_t dim, At at) {
  if (self.dim() == 0) return ones({}, self.options());
  const Operation op("products_of_others", at);
  require_cpu(op, self);
  const Tensor x = raw_contiguous(self);
  Tensor result = allocate(self.sizes(), self.dtype(), self.device());
  visit_floating(self.dtype(), [&]<typename T>() {
    multiply_others(x.impl().data_as<T>(), result.impl().data_as<T>(), Slices(x.sizes(), dim));
  });
  return record(kOthers, op, std::move(result), Along{dim}, self);
}

}  // namespace notape
