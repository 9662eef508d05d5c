// cumsum(x)[i] = x[0] + ... + x[i] along a dimension; the derivative sums the gradient from the
// other end. Floating sums are accumulated in double, integers give int64 and wrap around.
#include "ops/core/reduced.h"
#include "ops/core/wrap_dim.h"
#include "ops/reduce.h"
#include "ops/reduce/reduction_spec.h"
#include "ops/reduce/scan_kernels.h"

namespace notape {
namespace {

struct RunningSum {
  int64_t dim;
  ScanFrom from;
};

Tensor running_sum(const Operation& op, const Tensor& self, const RunningSum& p);

constexpr auto kCumsumDerivative =
    derivative("CumsumBackward0",
               movement(
                   [](const Tensor& grad, const RunningSum& p) {
                     return running_sum({"cumsum", At::current()}, grad, {p.dim, opposite(p.from)});
                   },
                   [](const Tensor& tangent, const RunningSum& p) {
                     return running_sum({"cumsum", At::current()}, tangent, p);
                   }));

Tensor compute_cumsum(const Operation& op, const Tensor& self, const RunningSum& p) {
  if (is_batched(self))
    return over_batch_along(
        p.dim, self,
        [&](int64_t dim, const Tensor& all) {
          return compute_cumsum(op, all, {dim, p.from});
        },
        self);
  if (is_reduced_floating_point(self.dtype()))
    return in_float32(
        op, [&](const Tensor& x) { return compute_cumsum(op, x, p); }, self);
  const ScalarType type = self.is_floating_point() ? self.dtype() : kInt64;
  Tensor sums = allocate(self.sizes(), type, self.device());
  cumsum_kernel(op, self.dtype(), self.device(), sums, raw_contiguous(self),
                Slices(self.sizes(), p.dim), p.from);
  return sums;
}

Tensor running_sum(const Operation& op, const Tensor& self, const RunningSum& p) {
  check_operands(op, {&self});
  return record(kCumsumDerivative, op, compute_cumsum(op, self, p), p, self);
}

constexpr auto plain_cumsum = []<typename T>(const std::vector<T>& slice) {
  std::vector<T> result;
  T sum = 0;
  for (T value : slice) result.push_back(sum += value);
  return result;
};

OpCase draw_cumsum(Draw& draw) {
  return slice_case(
      draw, [](const Tensor& x, int64_t dim) { return cumsum(x, dim); }, plain_cumsum, {},
      [](Tensor& x, int64_t dim) { x.cumsum_(dim); });
}

const RegisterOp cumsum_row(op_row("cumsum", "reduce", draw_cumsum, Trait::Scans | Trait::Reduces));

}  // namespace

Tensor cumsum(const Tensor& self, Integer dim, At at) {
  const Operation op("cumsum", at);
  check_operand(op, self);
  return running_sum(op, self, {wrap_dim(op, dim, self.dim()), ScanFrom::First});
}

Tensor ReduceMembers::cumsum(Integer dim, At at) const { return notape::cumsum(self(), dim, at); }
Tensor& ReduceMembers::cumsum_(Integer dim, At at) const {
  const Operation op("cumsum_", at);
  check_operands(op, {&self()});
  const RunningSum along{wrap_dim(op, dim, self().dim()), ScanFrom::First};
  const Tensor sums = compute_cumsum(op, self(), along);
  write_in_place(
      kCumsumDerivative, op, self(), [&] { raw_copy(self(), sums); }, along, self());
  return self();
}

}  // namespace notape
