// lgamma(x) = log |gamma(x)|,  d/dx = digamma(x)
#include "ops/elementwise/operator.h"
#include "ops/elementwise/vector_loop.h"
#ifndef __CUDACC__
#include "ops/spec/accuracy.h"
#include "ops/spec/without_tails.h"
#endif

namespace notape {
namespace {

struct Lgamma {
  using Loop = VectorLoop;
  template <typename T>
  NOTAPE_HD T operator()(T x) const {
    const T y = library(x);
    if constexpr (sizeof(T) > 8 && !requires { typename T::value_type; })
      return y;  // of a reference
    else         // Just below where it overflows, libraries do already.
      return math::select((x > T(1)) && (y - y != T(0)), x * (math::log(x) - T(1)), y);
  }

 private:
  template <typename T>
  static NOTAPE_HD T library(T x) {
    if constexpr (requires { math::lgamma_without_sign(x); })
      return math::lgamma_without_sign(x);
    else
      return math::lgamma(x);
  }
};
const ElementwiseKernel<Lgamma> lgamma_kernel("lgamma");

}  // namespace

#ifndef __CUDACC__
constexpr UnaryOperator kLgamma(lgamma_kernel, "LgammaBackward0",
                                elementwise([](const Tensor& grad, const Input<0>& self) {
                                  return grad * digamma(self);
                                }));

const RegisterOp lgamma_row(unary_spec<Lgamma>("lgamma", lgamma, lgamma_, {.low = 0.3, .high = 12},
                                               Domain{.low = -2.75, .high = -2.25}));
const RegisterWithoutTails lgamma_ends(
    {"lgamma", "has a slope of zero between negative whole numbers, where terms cancel"});

const RegisterAccuracy lgamma_accuracy({.row = "lgamma",
                                        .value = 5,
                                        .reason = "is the C library's for negative numbers"});

Tensor lgamma(const Tensor& self, At at) { return kLgamma({"lgamma", at}, self); }
Tensor& lgamma_(Tensor& self, At at) { return kLgamma.in_place({"lgamma_", at}, self); }

Tensor ElementwiseMembers::lgamma(At at) const { return notape::lgamma(self(), at); }
Tensor& ElementwiseMembers::lgamma_(At at) const { return notape::lgamma_(self(), at); }
#endif

}  // namespace notape
