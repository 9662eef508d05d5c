// logaddexp(a, b) = log(e^a + e^b), logaddexp2 the same to base 2,  d/da = e^a / (e^a + e^b)
#include "ops/core/product_error.h"
#include "ops/elementwise/constant.h"
#include "ops/elementwise/operator.h"
#include "ops/elementwise/vector_loop.h"
#ifndef __CUDACC__
#include "ops/elementwise/check_floating.h"
#endif

namespace notape {
namespace {

struct NaturalBase {
  template <typename T>
  static NOTAPE_HD T power(T x) {
    return math::exp(x);
  }
  template <typename T>
  static NOTAPE_HD T log1p(T x) {
    return math::log1p(x);
  }
  static constexpr double log = 1;
};
struct BaseTwo {
  template <typename T>
  static NOTAPE_HD T power(T x) {
    return math::exp2(x);
  }
  template <typename T>
  static NOTAPE_HD T log1p(T x) {
    return math::log1p(x) * constant<T>(1.44269504088896340736);
  }
  static constexpr double log = 0.693147180559945309417;
};

template <typename Base>
struct LogAddExp {
  using Loop = VectorLoop;
  template <typename T>
  NOTAPE_HD T operator()(T a, T b) const {
    const T larger = math::select(a > b, a, b);
    const T sum = larger + Base::log1p(Base::power(-math::abs(a - b)));
    return math::select(a == b, a + Base::log1p(T(1)), sum);  // also two equal infinities
  }
};
/// e^a / (e^a + e^b). For a large difference its rounding would cost as many last places as it
/// counts.
template <typename Base>
struct LogAddExpShare {
  using Loop = VectorLoop;
  template <typename T>
  NOTAPE_HD T operator()(T a, T b) const {
    const T d = a - b, low = math::difference_error(a, b, d) * constant<T>(Base::log);
    const T e = math::corrected_exponential(Base::power(-math::abs(d)), d,
                                            math::select(d < T(0), low, -low));
    const T share = math::select(d < T(0), e, T(1)) / (T(1) + e);
    return math::select(a == b, constant<T>(0.5), share);
  }
};
const ElementwiseKernel<LogAddExp<NaturalBase>, 2> logaddexp_kernel("logaddexp");
const ElementwiseKernel<LogAddExpShare<NaturalBase>, 2> share_kernel("logaddexp.share");
const ElementwiseKernel<LogAddExp<BaseTwo>, 2> value2_kernel("logaddexp2");
const ElementwiseKernel<LogAddExpShare<BaseTwo>, 2> share2_kernel("logaddexp2.share");

}  // namespace

#ifndef __CUDACC__
namespace {

/// The kernel of one base.
template <typename Base>
struct Kernels;
template <>
struct Kernels<NaturalBase> {
  static const auto& share() { return share_kernel; }
};
template <>
struct Kernels<BaseTwo> {
  static const auto& share() { return share2_kernel; }
};

template <typename Base>
Tensor share_of(const Tensor& self, const Tensor& other);

/// d(share)/dself = share (1 - share) log(base), and 1 - share is the other's.
template <typename Base>
Tensor bend(const Tensor& grad, const Tensor& self, const Tensor& other) {
  return grad * (share_of<Base>(self, other) * share_of<Base>(other, self)) * Base::log;
}
template <typename Base>
constexpr auto kShare =
    derivative("LogaddexpBackwardBackward0",
               elementwise([](const Tensor& grad, const Input<0>& self, const Input<1>& other) {
                 return bend<Base>(grad, self, other);
               }),
               elementwise([](const Tensor& grad, const Input<0>& self, const Input<1>& other) {
                 return -bend<Base>(grad, self, other);
               }));
template <typename Base>
Tensor share_of(const Tensor& self, const Tensor& other) {
  return binary(Kernels<Base>::share(), kShare<Base>, {"logaddexp_backward", At::current()}, self,
                other);
}

template <typename Base>
constexpr auto by_shares(const char* name) {
  return derivative(
      name, elementwise([](const Tensor& grad, const Input<0>& self, const Input<1>& other) {
        return grad * share_of<Base>(self, other);
      }),
      elementwise([](const Tensor& grad, const Input<0>& self, const Input<1>& other) {
        return grad * share_of<Base>(other, self);
      }));
}
constexpr auto kLogaddexp = by_shares<NaturalBase>("LogaddexpBackward0");
constexpr auto kLogaddexp2 = by_shares<BaseTwo>("Logaddexp2Backward0");

const ElementwiseRow kFar = {.far = Domain{.low = -60, .high = 60}};
const RegisterOp logaddexp_row(binary_spec<LogAddExp<NaturalBase>>("logaddexp", logaddexp, nullptr,
                                                                   kFar));
const RegisterOp row2(binary_spec<LogAddExp<BaseTwo>>("logaddexp2", logaddexp2, nullptr, kFar));

}  // namespace

Tensor logaddexp(const Tensor& self, const Tensor& other, At at) {
  const Operation op("logaddexp", at);
  check_floating_operand(op, self, other);
  return binary(logaddexp_kernel, kLogaddexp, op, self, other);
}
Tensor logaddexp2(const Tensor& self, const Tensor& other, At at) {
  const Operation op("logaddexp2", at);
  check_floating_operand(op, self, other);
  return binary(value2_kernel, kLogaddexp2, op, self, other);
}

Tensor ElementwiseMembers::logaddexp(const Tensor& other, At at) const {
  return notape::logaddexp(self(), other, at);
}
Tensor ElementwiseMembers::logaddexp2(const Tensor& other, At at) const {
  return notape::logaddexp2(self(), other, at);
}
#endif

}  // namespace notape
