// logical_and, logical_or, logical_xor: of the truth of numbers, as bool. No derivative.
#include "ops/elementwise/operator.h"
#ifndef __CUDACC__
#include "ops/core/overwrite.h"
#include "ops/elementwise/unrecorded.h"
#endif

namespace notape {
namespace {

struct LogicalAnd {
  static constexpr TypeSet types = kAllTypes;
  template <typename T>
  using Signature = bool(T, T);
  template <typename T>
  NOTAPE_HD bool operator()(T a, T b) const {
    return a != T(0) && b != T(0);
  }
};
struct LogicalOr {
  static constexpr TypeSet types = kAllTypes;
  template <typename T>
  using Signature = bool(T, T);
  template <typename T>
  NOTAPE_HD bool operator()(T a, T b) const {
    return a != T(0) || b != T(0);
  }
};
struct LogicalXor {
  static constexpr TypeSet types = kAllTypes;
  template <typename T>
  using Signature = bool(T, T);
  template <typename T>
  NOTAPE_HD bool operator()(T a, T b) const {
    return (a != T(0)) != (b != T(0));
  }
};
const ElementwiseKernel<LogicalAnd, 2> logical_and_kernel("logical_and");
const ElementwiseKernel<LogicalOr, 2> logical_or_kernel("logical_or");
const ElementwiseKernel<LogicalXor, 2> logical_xor_kernel("logical_xor");

}  // namespace

#ifndef __CUDACC__
namespace {

/// The truth as 0 or 1 of self's type.
Tensor& logical_(const Operation& op, const auto& kernel, Tensor& self, const Tensor& other) {
  check_operands(op, {&self, &other});
  check_result_fits(op, self, kBool, {&self, &other});
  return overwrite(op, self, compute(op, kernel, {}, self, other));
}

}  // namespace

Tensor logical_and(const Tensor& self, const Tensor& other, At at) {
  return compute_unrecorded({"logical_and", at}, logical_and_kernel, {}, self, other);
}
Tensor logical_or(const Tensor& self, const Tensor& other, At at) {
  return compute_unrecorded({"logical_or", at}, logical_or_kernel, {}, self, other);
}
Tensor logical_xor(const Tensor& self, const Tensor& other, At at) {
  return compute_unrecorded({"logical_xor", at}, logical_xor_kernel, {}, self, other);
}

Tensor ElementwiseMembers::logical_and(const Tensor& other, At at) const {
  return notape::logical_and(self(), other, at);
}
Tensor ElementwiseMembers::logical_or(const Tensor& other, At at) const {
  return notape::logical_or(self(), other, at);
}
Tensor ElementwiseMembers::logical_xor(const Tensor& other, At at) const {
  return notape::logical_xor(self(), other, at);
}
Tensor& ElementwiseMembers::logical_and_(const Tensor& other, At at) const {
  return logical_({"logical_and_", at}, logical_and_kernel, self(), other);
}
Tensor& ElementwiseMembers::logical_or_(const Tensor& other, At at) const {
  return logical_({"logical_or_", at}, logical_or_kernel, self(), other);
}
Tensor& ElementwiseMembers::logical_xor_(const Tensor& other, At at) const {
  return logical_({"logical_xor_", at}, logical_xor_kernel, self(), other);
}
#endif

}  // namespace notape
