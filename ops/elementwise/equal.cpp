// equal(a, b) and allclose(a, b): one bool about two tensors, outside any graph.
#include <algorithm>

#include "ops/elementwise/operator.h"
#ifndef __CUDACC__
#include "ops/core/batching.h"
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

bool all_hold(const Tensor& bools) {
  Tensor here = bools;
  if (!bools.device().is_cpu()) {
    here = allocate(bools.sizes(), kBool, kCPU);
    raw_copy(here, bools);
  }
  here = raw_contiguous(here);
  const bool* first = here.impl().data_as<bool>();
  return std::all_of(first, first + here.numel(), [](bool holds) { return holds; });
}

}  // namespace

bool equal(const Tensor& self, const Tensor& other, At at) {
  const Operation op("equal", at);
  check_operands(op, {&self, &other});
  if (any_batched(self, other)) refuse_batched(op);
  return self.sizes() == other.sizes() && all_hold(eq(self, other, at));
}

bool allclose(const Tensor& self, const Tensor& other, double rtol, double atol, bool equal_nan,
              At at) {
  const Operation op("allclose", at);
  check_operands(op, {&self, &other});
  if (any_batched(self, other)) refuse_batched(op);
  if (self.dtype() != other.dtype())
    op.fail<DtypeError>("{} did not match {}", name_of(self.dtype()), name_of(other.dtype()));
  return all_hold(compute(op, close_kernel, {rtol, atol, equal_nan}, self, other));
}

bool ElementwiseMembers::equal(const Tensor& other, At at) const {
  return notape::equal(self(), other, at);
}
bool ElementwiseMembers::allclose(const Tensor& other, double rtol, double atol, bool equal_nan,
                                  At at) const {
  return notape::allclose(self(), other, rtol, atol, equal_nan, at);
}
#endif

}  // namespace notape
