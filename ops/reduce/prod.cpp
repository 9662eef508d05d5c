// prod(x, dim) = x[0] x[1] ... x[n-1]; the derivative with respect to x[i] is the product of the
// others, computed without division, so that zeros need no special case.
#include "ops/ops.h"
#include "ops/reduce/lanes.h"
#include "ops/reduce/products_of_others.h"
#include "ops/reduce/reduce.h"
#include "ops/reduce/reduction_spec.h"

namespace notape {
namespace {

struct ProdOver {
  int64_t dim;
  bool keepdim;
};

Tensor products_of_all_others(const Tensor& self) {
  return reshape(products_of_others(reshape(self, {self.numel()}), 0), self.sizes());
}

constexpr auto kAll = derivative(
    "ProdBackward0", rule([](const Tensor& grad,
                             const Input<0>& self) { return grad * products_of_all_others(self); },
                          [](const Tensor& tangent, const Input<0>& self) {
                            return sum(tangent * products_of_all_others(self));
                          }));
constexpr auto kOverDim = derivative(
    "ProdBackward1", rule(
                         [](const Tensor& grad, const Input<0>& self, const ProdOver& p) {
                           return restore_dims(grad, self.sizes(), p.dim, p.keepdim) *
                                  products_of_others(self, p.dim);
                         },
                         [](const Tensor& tangent, const Input<0>& self, const ProdOver& p) {
                           return sum(tangent * products_of_others(self, p.dim), p.dim, p.keepdim);
                         }));

/// Unsigned, because integer products wrap around.
template <typename T>
using Accumulator = std::conditional_t<std::is_floating_point_v<T>, double, uint64_t>;

Tensor raw_prod(const Operation& op, const Tensor& self, const ReducedDims& dims) {
  if (is_batched(self))
    return over_batch(
        [&](int64_t size, const Tensor& all) { return raw_prod(op, all, dims.behind_batch(size)); },
        self);
  require_cpu(op, self);
  const Tensor rows = as_rows(self, dims);
  return visit_type(self.dtype(), [&]<typename T>() {
    using Result = std::conditional_t<std::is_floating_point_v<T>, T, int64_t>;
    Tensor result = allocate(dims.result_sizes, scalar_type_of<Result>, kCPU);
    reduce_rows<T>(rows, dims, result, [](const T* row, int64_t n) {
      using Product = Accumulator<T>;
      return static_cast<Result>(fold_lanes(
          n, Product(1), [row](int64_t i) { return static_cast<Product>(row[i]); },
          [](Product a, Product b) { return a * b; }));
    });
    return result;
  });
}

constexpr auto product_of = []<typename T>(const std::vector<T>& group) {
  T product = 1;
  for (T value : group) product *= value;
  return product;
};

OpCase draw_case(Draw& draw) {
  return reduction_case(draw, {.call =
                                   [](const Tensor& x, const DrawnReduction& how) {
                                     return how.dim.empty() ? prod(x)
                                                            : prod(x, how.dim[0], how.keepdim);
                                   },
                               .of_group = product_of});
}

const RegisterOp row({.name = "prod", .family = "reduce", .draw = draw_case});

}  // namespace

Tensor prod(const Tensor& self, At at) {
  const Operation op("prod", at);
  check_operands(op, {&self});
  const ReducedDims dims = reduced_dims(op, self, {}, false);
  return record(kAll, op, raw_prod(op, self, dims), NoParameters{}, self);
}

Tensor prod(const Tensor& self, int64_t dim, bool keepdim, At at) {
  const Operation op("prod", at);
  check_operands(op, {&self});
  const ReducedDims dims = reduced_dims(op, self, dim, keepdim);
  const ProdOver parameters{wrap_dim(dim, self.dim()), keepdim};
  return record(kOverDim, op, raw_prod(op, self, dims), parameters, self);
}

Tensor TensorOperators::prod(At at) const { return notape::prod(self(), at); }
Tensor TensorOperators::prod(int64_t dim, bool keepdim, At at) const {
  return notape::prod(self(), dim, keepdim, at);
}

}  // namespace notape
