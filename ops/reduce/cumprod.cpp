// cumprod(x)[i] = x[0] ... x[i] along a dimension. x[k] enters y[i >= k] with the products of all
// before it and of all between, and the sum over i of the latter is a linear scan from the end:
// nothing is divided, so zeros need no special case.
#include "autograd/tensor/factories.h"
#include "ops/arithmetic.h"
#include "ops/core/composite.h"
#include "ops/core/wrap_dim.h"
#include "ops/reduce.h"
#include "ops/reduce/linear_scan.h"
#include "ops/reduce/reduction_spec.h"
#include "ops/reduce/running.h"
#include "ops/shape.h"

namespace notape {
namespace {

/// All before each entry, multiplied; from the result.
Tensor before(const Tensor& result, const AlongOneDim& p) { return moved_on(result, p.dim, 1); }
bool is_plain(const Tensor& x, const AlongOneDim& p) { return x.dim() == 0 || x.size(p.dim) == 0; }

constexpr auto kCumprodDerivative = derivative(
    "CumprodBackward0",
    rule(
        [](const Tensor& grad, const Input<0>& x, const Output& y, const AlongOneDim& p) -> Tensor {
          if (is_plain(x, p)) return grad;
          return before(y, p) * linear_scan(without_first(x, p.dim), grad, p.dim, ScanFrom::Last);
        },
        [](const Tensor& tangent, const Input<0>& x, const Output& y,
           const AlongOneDim& p) -> Tensor {
          if (is_plain(x, p)) return tangent;
          return linear_scan(without_first(x, p.dim), tangent * before(y, p), p.dim,
                             ScanFrom::First);
        }));

constexpr auto plain_cumprod = []<typename T>(const std::vector<T>& slice) {
  std::vector<T> result;
  T product = 1;
  for (const T& value : slice) result.push_back(product *= value);
  return result;
};

OpCase draw_cumprod(Draw& draw) {
  return slice_case(
      draw, [](const Tensor& x, int64_t dim) { return cumprod(x, dim); }, plain_cumprod, {},
      [](Tensor& x, int64_t dim) { x.cumprod_(dim); });
}

const RegisterOp cumprod_row(op_row("cumprod", "reduce", draw_cumprod,
                                    Trait::Scans | Trait::Reduces | Trait::Compounds));

}  // namespace

Tensor cumprod(const Tensor& self, Integer dim, At at) {
  const Operation op("cumprod", at);
  check_operands(op, {&self});
  const AlongOneDim along{wrap_dim(op, dim, self.dim())};
  return record(kCumprodDerivative, op, raw_running(op, cumprod_kernel, self, along.dim), along,
                self);
}

Tensor cumprod(const Tensor& self, Integer dim, ScalarType dtype, At at) {
  check_operands({"cumprod", at}, {&self});
  const Composite composite({&self});
  return to(cumprod(to(self, dtype, at), dim, at), dtype, at);
}

Tensor ReduceMembers::cumprod(Integer dim, At at) const { return notape::cumprod(self(), dim, at); }
Tensor ReduceMembers::cumprod(Integer dim, ScalarType dtype, At at) const {
  return notape::cumprod(self(), dim, dtype, at);
}
Tensor& ReduceMembers::cumprod_(Integer dim, At at) const {
  const Operation op("cumprod_", at);
  check_operands(op, {&self()});
  const AlongOneDim along{wrap_dim(op, dim, self().dim())};
  const Tensor products = raw_running(op, cumprod_kernel, self(), along.dim);
  write_in_place(
      kCumprodDerivative, op, self(), [&] { raw_copy(self(), products); }, along, self());
  return self();
}

}  // namespace notape
