// logical_not(x) = x is 0, as bool
#include "ops/elementwise/operator.h"
#ifndef __CUDACC__
#include "ops/core/overwrite.h"
#include "ops/elementwise/unrecorded.h"
#endif

namespace notape {
namespace {

struct LogicalNot {
  static constexpr TypeSet types = kAllTypes;
  template <typename T>
  using Signature = bool(T);
  template <typename T>
  NOTAPE_HD bool operator()(T x) const {
    return x == T(0);
  }
};
const ElementwiseKernel<LogicalNot> logical_not_kernel("logical_not");

}  // namespace

#ifndef __CUDACC__
Tensor logical_not(const Tensor& self, At at) {
  return compute_unrecorded({"logical_not", at}, logical_not_kernel, {}, self);
}

Tensor ElementwiseMembers::logical_not(At at) const { return notape::logical_not(self(), at); }
Tensor& ElementwiseMembers::logical_not_(At at) const {
  const Operation op("logical_not_", at);
  return overwrite(op, self(), compute(op, logical_not_kernel, {}, self()));
}
#endif

}  // namespace notape
