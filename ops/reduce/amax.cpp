// amax(x, dims), amin(x, dims): the largest or the smallest element over several dimensions; its
// gradient is shared evenly by all that equal it.
#include "ops/reduce.h"
#include "ops/reduce/extremes_over.h"

namespace notape {
namespace {

constexpr auto kAmaxDerivative = extremes_over_derivative("AmaxBackward0");
constexpr auto kAminDerivative = extremes_over_derivative("AminBackward0");

const RegisterOp amax_row(extremes_over_spec("amax", Extreme::Largest,
                                             [](const Tensor& x, IntArrayRef dim, bool keepdim) {
                                               return amax(x, dim, keepdim);
                                             }));
const RegisterOp amin_row(extremes_over_spec("amin", Extreme::Smallest,
                                             [](const Tensor& x, IntArrayRef dim, bool keepdim) {
                                               return amin(x, dim, keepdim);
                                             }));

}  // namespace

Tensor amax(const Tensor& self, IntArrayRef dim, bool keepdim, At at) {
  return extremes_over(kAmaxDerivative, {"amax", at}, self, dim, keepdim, Extreme::Largest);
}
Tensor amin(const Tensor& self, IntArrayRef dim, bool keepdim, At at) {
  return extremes_over(kAminDerivative, {"amin", at}, self, dim, keepdim, Extreme::Smallest);
}

Tensor ReduceMembers::amax(IntArrayRef dim, bool keepdim, At at) const {
  return notape::amax(self(), dim, keepdim, at);
}
Tensor ReduceMembers::amin(IntArrayRef dim, bool keepdim, At at) const {
  return notape::amin(self(), dim, keepdim, at);
}

}  // namespace notape
