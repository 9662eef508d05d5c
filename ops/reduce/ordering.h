// What sort, argsort, topk and median share: elements of a slice in order, NaN being the largest.
// Of equal ones the first stays first.
#pragma once
#include "autograd/tensor/factories.h"
#include "ops/index.h"
#include "ops/reduce/reduction.h"

namespace notape {

/// The first `count` of each slice in ascending (descending) order, and where they stand; values
/// and indices have `count` entries along the dimension. All row-major.
using OrderKernel =
    Kernel<void(const Operation&, const Tensor& values, const Tensor& indices, const Tensor& self,
                const Slices& slices, int64_t count, bool descending)>;
extern OrderKernel order_kernel;

/// The same with batches and any dtype and strides, no graph; 0 <= dim, 0 <= count <= size of dim.
/// A 0-d tensor has one element.
PerResult<2> raw_order(const Operation& op, const Tensor& self, int64_t dim, int64_t count,
                       bool descending);

/// f(dim, operand) for what runs along one dimension and gives two results, of a batched operand:
/// see over_batch_along().
template <typename F>
PerResult<2> pair_over_batch_along(int64_t dim, const Tensor& self, const F& f) {
  const BatchLevel level = levels_of(self).back();
  const bool is_number = self.dim() == 0;
  const Tensor line = is_number ? raw_alias(self, Geometry({1}, {1}, self.storage_offset())) : self;
  PerResult<2> results = f(dim + 1, peel(line, level));
  for (Tensor& result : results) {
    result = wrap(result, level);
    if (is_number) result = raw_alias(result, Geometry({}, {}, result.storage_offset()));
  }
  return results;
}

/// The order of references: NaN is the largest, and no branch that a trace would see.
template <typename T>
bool plainly_before(const T& a, const T& b, bool descending) {
  const auto is_nan = [](const T& x) {
    if constexpr (requires { x.slope; })
      return x.value != x.value;
    else
      return x != x;
  };
  const T &low = descending ? b : a, &high = descending ? a : b;
  if (is_nan(low) || is_nan(high)) return !is_nan(low) && is_nan(high);
  return low < high;
}

struct AlongOneDim {
  int64_t dim;
};

/// {values, indices} along a dimension that both keep: the gradient goes to where values came from.
constexpr auto picked_derivative(const char* name) {
  return derivative(name, selection(
                              [](const Tensor& grad, const Meta<0>& self, const Result<1>& indices,
                                 const AlongOneDim& p) {
                                return scatter_add(zeros(self.sizes(), grad.options()), p.dim,
                                                   indices, grad);
                              },
                              [](const Tensor& tangent, const Result<1>& indices,
                                 const AlongOneDim& p) { return gather(tangent, p.dim, indices); }))
      .with_results<"values", "indices">();
}

}  // namespace notape
