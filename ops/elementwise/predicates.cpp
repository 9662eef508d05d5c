// isnan, isinf, isfinite and signbit: what kind of number x is;  logical_not(x) = x is 0;
// logical_and, logical_or and logical_xor of the truth of numbers: as bool, without a derivative
#include "ops/elementwise/operator.h"
#ifndef __CUDACC__
#include "ops/core/overwrite.h"
#include "ops/elementwise/unrecorded.h"
#endif

namespace notape {
namespace {

struct Predicate {
  static constexpr TypeSet types = kAllTypes;
  template <typename T>
  using Signature = bool(T);
};
struct PredicateOfTwo {
  static constexpr TypeSet types = kAllTypes;
  template <typename T>
  using Signature = bool(T, T);
};

struct IsNan : Predicate {
  template <typename T>
  NOTAPE_HD bool operator()(T x) const {
    return x != x;
  }
};
struct IsInf : Predicate {
  template <typename T>
  NOTAPE_HD bool operator()(T x) const {
    if constexpr (std::is_integral_v<T>)
      return false;
    else
      return x == x && x - x != T(0);
  }
};
struct IsFinite : Predicate {
  template <typename T>
  NOTAPE_HD bool operator()(T x) const {
    if constexpr (std::is_integral_v<T>)
      return true;
    else
      return x - x == T(0);
  }
};
struct SignBit : Predicate {
  template <typename T>
  NOTAPE_HD bool operator()(T x) const {
    if constexpr (std::is_integral_v<T>)
      return x < T(0);
    else
      return math::signbit(x);
  }
};
const ElementwiseKernel<IsNan> isnan_kernel("isnan");
const ElementwiseKernel<IsInf> isinf_kernel("isinf");
const ElementwiseKernel<IsFinite> isfinite_kernel("isfinite");
const ElementwiseKernel<SignBit> signbit_kernel("signbit");
struct LogicalNot : Predicate {
  template <typename T>
  NOTAPE_HD bool operator()(T x) const {
    return x == T(0);
  }
};
const ElementwiseKernel<LogicalNot> logical_not_kernel("logical_not");
struct LogicalAnd : PredicateOfTwo {
  template <typename T>
  NOTAPE_HD bool operator()(T a, T b) const {
    return a != T(0) && b != T(0);
  }
};
struct LogicalOr : PredicateOfTwo {
  template <typename T>
  NOTAPE_HD bool operator()(T a, T b) const {
    return a != T(0) || b != T(0);
  }
};
struct LogicalXor : PredicateOfTwo {
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
Tensor isnan(const Tensor& self, At at) {
  return compute_unrecorded({"isnan", at}, isnan_kernel, {}, self);
}
Tensor isinf(const Tensor& self, At at) {
  return compute_unrecorded({"isinf", at}, isinf_kernel, {}, self);
}
Tensor isfinite(const Tensor& self, At at) {
  return compute_unrecorded({"isfinite", at}, isfinite_kernel, {}, self);
}
Tensor signbit(const Tensor& self, At at) {
  return compute_unrecorded({"signbit", at}, signbit_kernel, {}, self);
}

Tensor ElementwiseMembers::isnan(At at) const { return notape::isnan(self(), at); }
Tensor ElementwiseMembers::isinf(At at) const { return notape::isinf(self(), at); }
Tensor ElementwiseMembers::isfinite(At at) const { return notape::isfinite(self(), at); }
Tensor ElementwiseMembers::signbit(At at) const { return notape::signbit(self(), at); }

Tensor logical_not(const Tensor& self, At at) {
  return compute_unrecorded({"logical_not", at}, logical_not_kernel, {}, self);
}

Tensor ElementwiseMembers::logical_not(At at) const { return notape::logical_not(self(), at); }
Tensor& ElementwiseMembers::logical_not_(At at) const {
  const Operation op("logical_not_", at);
  return overwrite(op, self(), compute(op, logical_not_kernel, {}, self()));
}

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
