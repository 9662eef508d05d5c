#include "ops/reduce/linear_scan.h"

#include "autograd/tensor/factories.h"
#include "ops/arithmetic.h"
#include "ops/core/promotion.h"
#include "ops/core/reduced.h"
#include "ops/shape.h"

namespace notape {
namespace {

struct Scan {
  int64_t dim;
  ScanFrom from;
};

/// All entries along `dim` but the last, or but the first.
Tensor linear_scan_without_last(const Tensor& x, int64_t dim) {
  return narrow(x, dim, 0, x.size(dim) - 1);
}
Tensor linear_scan_without_first(const Tensor& x, int64_t dim) {
  return narrow(x, dim, 1, x.size(dim) - 1);
}
/// The entries of h that coefficients are multiplied with, and those the products are added to.
Tensor sources(const Tensor& h, const Scan& p) {
  return p.from == ScanFrom::First ? linear_scan_without_last(h, p.dim)
                                   : linear_scan_without_first(h, p.dim);
}
Tensor targets(const Tensor& h, const Scan& p) {
  return p.from == ScanFrom::First ? linear_scan_without_first(h, p.dim)
                                   : linear_scan_without_last(h, p.dim);
}
/// Zero where the scan starts, `value` elsewhere: the opposite of targets().
Tensor at_targets(const Tensor& value, const Scan& p) {
  std::vector<int64_t> sizes = value.sizes().vec();
  sizes[static_cast<std::size_t>(p.dim)] = 1;
  const Tensor zero = zeros(sizes, value.options());
  return p.from == ScanFrom::First ? cat({zero, value}, p.dim) : cat({value, zero}, p.dim);
}

constexpr auto kLinearScanDerivative = derivative(
    "LinearScanBackward0",
    rule(
        [](const Tensor& grad, const Input<0>& c, const Output& h, const Scan& p) {
          return targets(linear_scan(c, grad, p.dim, opposite(p.from)), p) * sources(h, p);
        },
        [](const Tensor& tangent, const Input<0>& c, const Output& h, const Scan& p) {
          return linear_scan(c, at_targets(tangent * sources(h, p), p), p.dim, p.from);
        }),
    rule([](const Tensor& grad, const Input<0>& c,
            const Scan& p) { return linear_scan(c, grad, p.dim, opposite(p.from)); },
         [](const Tensor& tangent, const Input<0>& c, const Scan& p) {
           return linear_scan(c, tangent, p.dim, p.from);
         }));

Tensor compute_linear_scan(const Operation& op, const Tensor& coefficients, const Tensor& terms,
                           const Scan& p) {
  if (any_batched(coefficients, terms))
    return over_batch_along(
        p.dim, terms,
        [&](int64_t dim, const Tensor& c, const Tensor& b) {
          return compute_linear_scan(op, c, b, {dim, p.from});
        },
        coefficients, terms);
  check_same_type(op, coefficients, terms);
  if (is_reduced_floating_point(terms.dtype()))
    return in_float32(
        [&](const Tensor& c, const Tensor& b) { return compute_linear_scan(op, c, b, p); },
        coefficients, terms);
  Tensor result = allocate(terms.sizes(), terms.dtype(), terms.device());
  linear_scan_kernel(op, terms.dtype(), terms.device(), result, raw_contiguous(coefficients),
                     raw_contiguous(terms), Slices(terms.sizes(), p.dim), p.from);
  return result;
}

}  // namespace

Tensor linear_scan(const Tensor& coefficients, const Tensor& terms, int64_t dim, ScanFrom from,
                   At at) {
  const Operation op("linear_scan", at);
  const Scan scan{dim, from};
  return record(kLinearScanDerivative, op, compute_linear_scan(op, coefficients, terms, scan), scan,
                coefficients, terms);
}

}  // namespace notape
