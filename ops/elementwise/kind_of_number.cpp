// isnan, isinf, isfinite and signbit: what kind of number x is, as bool. No derivative.
#include "ops/elementwise/operator.h"
#ifndef __CUDACC__
#include "ops/elementwise/unrecorded.h"
#endif

namespace notape {
namespace {

struct IsNan {
  static constexpr TypeSet types = kAllTypes;
  template <typename T>
  using Signature = bool(T);
  template <typename T>
  NOTAPE_HD bool operator()(T x) const {
    return x != x;
  }
};
struct IsInf {
  static constexpr TypeSet types = kAllTypes;
  template <typename T>
  using Signature = bool(T);
  template <typename T>
  NOTAPE_HD bool operator()(T x) const {
    if constexpr (std::is_integral_v<T>)
      return false;
    else
      return x == x && x - x != T(0);
  }
};
struct IsFinite {
  static constexpr TypeSet types = kAllTypes;
  template <typename T>
  using Signature = bool(T);
  template <typename T>
  NOTAPE_HD bool operator()(T x) const {
    if constexpr (std::is_integral_v<T>)
      return true;
    else
      return x - x == T(0);
  }
};
struct SignBit {
  static constexpr TypeSet types = kAllTypes;
  template <typename T>
  using Signature = bool(T);
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
#endif

}  // namespace notape
