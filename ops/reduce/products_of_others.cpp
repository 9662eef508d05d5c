#include "ops/reduce/products_of_others.h"

#include "autograd/tensor/factories.h"
#include "ops/arithmetic.h"
#include "ops/core/reduced.h"
#include "ops/reduce/linear_scan.h"
#include "ops/shape.h"

namespace notape {
namespace {

/// All entries along `dim` but the last, or but the first.
Tensor products_of_others_without_last(const Tensor& x, int64_t dim) {
  return narrow(x, dim, 0, x.size(dim) - 1);
}
Tensor products_of_others_without_first(const Tensor& x, int64_t dim) {
  return narrow(x, dim, 1, x.size(dim) - 1);
}

/// h[0] = start, h[i+1] = x[i] h[i] + terms[i]; from the last element on with the roles of the ends
/// exchanged. With start 1 and no terms: the products of all elements before (after) each one.
Tensor products_before(const Tensor& x, double start, const Tensor& terms, int64_t dim) {
  std::vector<int64_t> one = x.sizes().vec();
  one[static_cast<std::size_t>(dim)] = 1;
  return linear_scan(
      products_of_others_without_last(x, dim),
      cat({full(one, start, x.options()), products_of_others_without_last(terms, dim)}, dim), dim,
      ScanFrom::First);
}
Tensor products_after(const Tensor& x, double start, const Tensor& terms, int64_t dim) {
  std::vector<int64_t> one = x.sizes().vec();
  one[static_cast<std::size_t>(dim)] = 1;
  return linear_scan(
      products_of_others_without_first(x, dim),
      cat({products_of_others_without_first(terms, dim), full(one, start, x.options())}, dim), dim,
      ScanFrom::Last);
}

struct Along {
  int64_t dim;
};

/// The second derivatives, products without two of the elements, are symmetric. In a pair the other
/// element stands before or after this one.
constexpr auto kOthers =
    derivative("ProductsOfOthersBackward0",
               symmetric([](const Tensor& grad, const Input<0>& x, const Along& p) {
                 if (x.numel() == 0) return grad;
                 const Tensor none = zeros(x.sizes(), x.options());
                 const Tensor before = products_before(x, 1, none, p.dim);
                 const Tensor after = products_after(x, 1, none, p.dim);
                 const Tensor earlier = products_before(x, 0, grad * before, p.dim);
                 const Tensor later = products_after(x, 0, grad * after, p.dim);
                 // Nothing comes before the first and after the last: no 0 to meet a product that
                 // is out of range.
                 const Tensor end = narrow(none, p.dim, 0, 1);
                 return cat({end, products_of_others_without_first(earlier, p.dim) *
                                      products_of_others_without_first(after, p.dim)},
                            p.dim) +
                        cat({products_of_others_without_last(later, p.dim) *
                                 products_of_others_without_last(before, p.dim),
                             end},
                            p.dim);
               }));

Tensor compute_products_of_others(const Operation& op, const Tensor& self, int64_t dim) {
  if (is_batched(self))
    return over_batch_along(
        dim, self,
        [&](int64_t behind, const Tensor& all) {
          return compute_products_of_others(op, all, behind);
        },
        self);
  if (is_reduced_floating_point(self.dtype()))
    return in_float32([&](const Tensor& x) { return compute_products_of_others(op, x, dim); },
                      self);
  Tensor result = allocate(self.sizes(), self.dtype(), self.device());
  products_of_others_kernel(op, self.dtype(), self.device(), result, raw_contiguous(self),
                            Slices(self.sizes(), dim));
  return result;
}

}  // namespace

Tensor products_of_others(const Tensor& self, int64_t dim, At at) {
  if (self.dim() == 0) return ones({}, self.options());
  const Operation op("products_of_others", at);
  return record(kOthers, op, compute_products_of_others(op, self, dim), Along{dim}, self);
}

}  // namespace notape
