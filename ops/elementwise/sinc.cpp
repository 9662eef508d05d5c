// sinc(x) = sin(pi x) / (pi x),  d/dx = (cos(pi x) - sinc(x)) / x, and at 0 sinc is 1
#include "ops/elementwise/of_order.h"
#ifndef __CUDACC__
#include "ops/spec/without_tails.h"
#endif

namespace notape {
namespace {

/// The derivative of this order of sinc, which itself is that of order 0.
struct SincFamily {
  template <typename T>
  static NOTAPE_HD T of(int order, T x) {
    const T pi = T(3.141592653589793) + T(1.2246467991473532e-16) + T(-2.9947698097183397e-33);
    const T z = pi * x;
    if (math::abs(z) < T(order + 1)) return series(order, pi, z * z, z);
    // Both are exact at whole and half numbers, however large they are.
    const T whole = math::rint(x), half = whole / T(2),
            sign = math::floor(half) == half ? T(1) : T(-1);
    const T sine = sign * math::sin(pi * (x - whole)), cosine = sign * math::cos(pi * (x - whole));
    T result = sine / z, power = T(1);               // of pi
    for (int n = 1; n <= order; ++n, power *= pi) {  // x sinc = sin(pi x) / pi, n times
      const T of_product = n % 4 == 0 ? sine : n % 4 == 1 ? cosine : n % 4 == 2 ? -sine : -cosine;
      result = (power * of_product - T(n) * result) / x;
    }
    return result;
  }

 private:
  /// The sum over even k of (-1)^(k / 2) z^k / (k + 1)!, differentiated term by term.
  template <typename T>
  static NOTAPE_HD T series(int order, T pi, T square, T z) {
    int k = order + order % 2;
    T term = order % 2 == 0 ? T(1) : z;
    for (int i = 1; i <= order; ++i) term *= pi;
    for (int i = k - order + 1; i <= k; ++i) term *= T(i);  // k! / (k - order)!
    for (int i = 2; i <= k + 1; ++i) term /= T(i);
    if (k / 2 % 2 == 1) term = -term;
    T sum = T(0);
    for (T before = T(-1); sum != before; k += 2) {
      before = sum;
      sum += term;
      term *= -square / (T(k + 2 - order) * T(k + 1 - order)) * T(k + 1) / T(k + 3);
    }
    return sum;
  }
};
using Sinc = OfOrder<SincFamily>;
const ElementwiseKernel<Sinc> sinc_kernel("sinc");

}  // namespace

#ifndef __CUDACC__
namespace {

Tensor sinc_of_order(const Operation& op, const Tensor& self, int order);

constexpr auto kSincDerivative = derivative(
    "SincBackward0", elementwise([](const Tensor& grad, const Input<0>& self, const Sinc& f) {
      return grad * sinc_of_order({"sinc_backward", At::current()}, self, f.order + 1);
    }));

Tensor sinc_of_order(const Operation& op, const Tensor& self, int order) {
  return unary(sinc_kernel, kSincDerivative, op, self, Sinc{order}, Sinc{order});
}

const RegisterOp sinc_row(unary_spec<Sinc>("sinc", sinc, sinc_, {.low = -3, .high = 3},
                                           Domain{.low = -40, .high = 40}));
const RegisterWithoutTails sinc_ends({"sinc",
                                      "has a slope whose two terms cancel beside its extrema"});

}  // namespace

Tensor sinc(const Tensor& self, At at) { return sinc_of_order({"sinc", at}, self, 0); }
Tensor& sinc_(Tensor& self, At at) {
  return unary_(sinc_kernel, kSincDerivative, {"sinc_", at}, self, Sinc{}, Sinc{});
}

Tensor ElementwiseMembers::sinc(At at) const { return notape::sinc(self(), at); }
Tensor& ElementwiseMembers::sinc_(At at) const { return notape::sinc_(self(), at); }
#endif

}  // namespace notape
