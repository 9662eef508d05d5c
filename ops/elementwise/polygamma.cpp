// polygamma(n, x): digamma differentiated n times,  d/dx = polygamma(n + 1, x)
#include "ops/core/polygamma.h"
#include "ops/elementwise/of_order.h"
#ifndef __CUDACC__
#include "ops/spec/without_tails.h"
#endif

namespace notape {
namespace {

using Polygamma = OfOrder<math::Polygammas>;
const ElementwiseKernel<Polygamma> polygamma_kernel("polygamma");

}  // namespace

#ifndef __CUDACC__
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
