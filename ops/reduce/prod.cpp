// prod(x, dim) = x[0] x[1] ... x[n-1]; the derivative with respect to x[i] is the product of the
// others, computed without division, so that zeros need no special case.
#include "ops/reduce/operator.h"
#ifndef __CUDACC__
#include "ops/arithmetic.h"
#include "ops/core/wrap_dim.h"
#include "ops/reduce.h"
#include "ops/reduce/products_of_others.h"
#include "ops/shape.h"
#endif

namespace notape {
namespace {

struct Product {
  static constexpr TypeSet types = kAllTypes;
  template <typename T>
  using Result = Accumulated<T>;
  template <typename>
  int folds() const {
    return 1;
  }
  template <typename SomeRow>
  NOTAPE_HD auto operator()(const SomeRow& row) const {
    using Value = Accumulator<typename SomeRow::Element>;
    return row.fold(
        Value(1), [&row](int64_t i) { return static_cast<Value>(row[i]); },
        [](Value a, Value b) { return a * b; });
  }
};
const ReductionKernel<Product> prod_kernel("prod");

}  // namespace

#ifndef __CUDACC__
namespace {

struct ProdOver {
  int64_t dim;
  bool keepdim;
};

Tensor products_of_all_others(const Tensor& self) {
  return reshape(products_of_others(reshape(self, {self.numel()}), 0), self.sizes());
}

constexpr auto kProdAll = derivative(
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

constexpr auto product_of = []<typename T>(const std::vector<T>& group) {
  T product = 1;
  for (T value : group) product *= value;
  return product;
};

OpCase draw_prod(Draw& draw) {
  return reduction_case(draw, {.call =
                                   [](const Tensor& x, const DrawnReduction& how) {
                                     return how.dim.empty() ? prod(x)
                                                            : prod(x, how.dim[0], how.keepdim);
                                   },
                               .of_group = product_of});
}

const RegisterOp prod_row(op_row("prod", "reduce", draw_prod, Trait::Reduces | Trait::Compounds));

}  // namespace

Tensor prod(const Tensor& self, At at) {
  const Operation op("prod", at);
  check_operands(op, {&self});
  const ReducedDims dims = reduced_dims(op, self, {}, false);
  return record(kProdAll, op, reduce(op, prod_kernel, {}, self, dims), NoParameters{}, self);
}

Tensor prod(const Tensor& self, Integer dim, bool keepdim, At at) {
  const Operation op("prod", at);
  check_operands(op, {&self});
  const ReducedDims dims = reduced_dims(op, self, dim, keepdim);
  const ProdOver parameters{wrap_dim(op, dim, self.dim()), keepdim};
  return record(kOverDim, op, reduce(op, prod_kernel, {}, self, dims), parameters, self);
}

Tensor ReduceMembers::prod(At at) const { return notape::prod(self(), at); }
Tensor ReduceMembers::prod(Integer dim, bool keepdim, At at) const {
  return notape::prod(self(), dim, keepdim, at);
}
#endif

}  // namespace notape
