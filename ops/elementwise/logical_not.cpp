// logical_not(x) = x is 0, as bool
#include "ops/elementwise/operator.h"

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
const ElementwiseKernel<LogicalNot> value_kernel("logical_not");

}  // namespace

#ifndef __CUDACC__
Tensor logical_not(const Tensor& self, At at) {
  return compute({"logical_not", at}, value_kernel, {}, self);
}
#endif

}  // namespace notape
