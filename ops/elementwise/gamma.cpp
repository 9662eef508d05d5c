// lgamma(x) = log |gamma(x)|,  d/dx = digamma(x);  digamma(x),  d/dx = polygamma(1, x);
// polygamma(n, x): digamma differentiated n times,  d/dx = polygamma(n + 1, x)
#include "ops/core/polygamma.h"
#include "ops/elementwise/of_order.h"
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

using Polygamma = OfOrder<math::Polygammas>;
const ElementwiseKernel<Polygamma> digamma_kernel("digamma");
const ElementwiseKernel<Polygamma> polygamma_kernel("polygamma");

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

constexpr UnaryOperator kDigamma(digamma_kernel, "DigammaBackward0",
                                 elementwise([](const Tensor& grad, const Input<0>& self) {
                                   return grad * polygamma(1, self);
                                 }));

const RegisterOp digamma_row(unary_spec<Polygamma>("digamma", digamma, digamma_,
                                                   {.low = 0.3, .high = 12},
                                                   Domain{.low = -2.75, .high = -2.25}));

Tensor digamma(const Tensor& self, At at) { return kDigamma({"digamma", at}, self); }
Tensor& digamma_(Tensor& self, At at) { return kDigamma.in_place({"digamma_", at}, self); }

Tensor ElementwiseMembers::digamma(At at) const { return notape::digamma(self(), at); }
Tensor& ElementwiseMembers::digamma_(At at) const { return notape::digamma_(self(), at); }

namespace {

constexpr auto kPolygammaDerivative =
    derivative("PolygammaBackward0",
               elementwise([](const Tensor& grad, const Input<0>& self, const Polygamma& f) {
                 return grad * polygamma(f.order + 1, self);
               }));

Polygamma checked_polygamma(const Operation& op, int64_t n) {
  constexpr int64_t kMost = 169;  // whose factorial a double holds, and that of its derivative
  if (n < 0 || n > kMost) op.fail<ValueError>("n is from 0 to {}, got {}", kMost, n);
  return {static_cast<int>(n)};
}

OpCase draw_polygamma(Draw& draw) {
  const int64_t n = draw.integer(0, 4);
  OpCase one;
  one.label = format_message("n={}", {n});
  one.arguments = {{.sizes = draw.shape(0, 4),
                    .domain = draw.integer(0, 3) == 3 ? Domain{.low = -2.75, .high = -2.25}
                                                      : Domain{.low = 0.3, .high = 12}}};
  one.call = [=](const variable_list& x) { return polygamma(n, x[0]); };
  one.call_in_place = [=](variable_list& x) { x[0].polygamma_(n); };
  one.reference = elementwise_reference(Polygamma{static_cast<int>(n)});
  return one;
}

const RegisterOp polygamma_row({.name = "polygamma",
                                .family = "elementwise",
                                .draw = draw_polygamma});
const RegisterWithoutTails polygamma_ends(
    {"polygamma", "is zero between negative whole numbers, where terms cancel"});

}  // namespace

Tensor polygamma(Integer n, const Tensor& self, At at) {
  const Operation op("polygamma", at);
  const Polygamma f = checked_polygamma(op, n);
  return unary(polygamma_kernel, kPolygammaDerivative, op, self, f, f);
}

Tensor ElementwiseMembers::polygamma(Integer n, At at) const {
  return notape::polygamma(n, self(), at);
}
Tensor& ElementwiseMembers::polygamma_(Integer n, At at) const {
  const Operation op("polygamma_", at);
  const Polygamma f = checked_polygamma(op, n);
  return unary_(polygamma_kernel, kPolygammaDerivative, op, self(), f, f);
}
#endif

}  // namespace notape
