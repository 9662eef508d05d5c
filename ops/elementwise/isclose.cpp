// isclose(a, b) = |a - b| <= atol + rtol |b|, entry by entry, as bool, and allclose(a, b), whether
// that holds of all. No derivative.
#include "ops/elementwise/operator.h"
#ifndef __CUDACC__
#include "ops/core/batching.h"
#include "ops/elementwise/all_hold.h"
#endif

namespace notape {
namespace {

/// Computed in double; infinities are close to themselves only.
struct IsClose {
  static constexpr TypeSet types = kAllTypes;
  double rtol, atol;
  bool equal_nan;
  template <typename T>
  using Signature = bool(T, T);
  template <typename T>
  NOTAPE_HD bool operator()(T a, T b) const {
    if (a == b) return true;
    const auto x = static_cast<double>(a), y = static_cast<double>(b);
    if (x != x || y != y) return equal_nan && x != x && y != y;
    const double distance = math::abs(x - y);
    return distance < static_cast<double>(INFINITY) && distance <= atol + rtol * math::abs(y);
  }
};
const ElementwiseKernel<IsClose, 2> close_kernel("isclose");

}  // namespace

#ifndef __CUDACC__
namespace {

void check_tolerances(const Operation& op, double rtol, double atol) {
  if (!(rtol >= 0))
    op.fail<ValueError>("rtol must be greater than or equal to zero, but got {}", rtol);
  if (!(atol >= 0))
    op.fail<ValueError>("atol must be greater than or equal to zero, but got {}", atol);
}

}  // namespace

Tensor isclose(const Tensor& self, const Tensor& other, double rtol, double atol, bool equal_nan,
               At at) {
  const Operation op("isclose", at);
  check_operands(op, {&self, &other});
  check_same_type(op, self, other);
  check_tolerances(op, rtol, atol);
  return compute(op, close_kernel, {rtol, atol, equal_nan}, self, other);
}

bool allclose(const Tensor& self, const Tensor& other, double rtol, double atol, bool equal_nan,
              At at) {
  const Operation op("allclose", at);
  check_operands(op, {&self, &other});
  if (any_batched(self, other)) refuse_batched(op);
  if (self.dtype() != other.dtype())
    op.fail<DtypeError>("{} did not match {}", name_of(self.dtype()), name_of(other.dtype()));
  check_tolerances(op, rtol, atol);
  return all_hold(compute(op, close_kernel, {rtol, atol, equal_nan}, self, other));
}

Tensor ElementwiseMembers::isclose(const Tensor& other, double rtol, double atol, bool equal_nan,
                                   At at) const {
  return notape::isclose(self(), other, rtol, atol, equal_nan, at);
}
bool ElementwiseMembers::allclose(const Tensor& other, double rtol, double atol, bool equal_nan,
                                  At at) const {
  return notape::allclose(self(), other, rtol, atol, equal_nan, at);
}
#endif

}  // namespace notape
