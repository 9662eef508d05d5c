// amax(x, dims): the largest element over several dimensions; its gradient is shared evenly by all
// that equal it.
#include "ops/reduce.h"
#include "ops/reduce/extremes_over.h"

namespace notape {
namespace {

constexpr auto kAmaxDerivative = extremes_over_derivative("AmaxBackward0");

const RegisterOp amax_row(extremes_over_spec("amax", Extreme::Largest,
                                             [](const Tensor& x, IntArrayRef dim, bool keepdim) {
                                               return amax(x, dim, keepdim);
                                             }));

}  // namespace

Tensor amax(const Tensor& self, IntArrayRef dim, bool keepdim, At at) {
  return extremes_over(kAmaxDerivative, {"amax", at}, self, dim, keepdim, Extreme::Largest);
}

Tensor ReduceMembers::amax(IntArrayRef dim, bool keepdim, At at) const {
  return notape::amax(self(), dim, keepdim, at);
}

}  // namespace notape
