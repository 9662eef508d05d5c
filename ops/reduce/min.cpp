// min(x): the smallest element, its gradient shared evenly by all that equal it. min(x, dim):
// values and indices along a dimension, the gradient goes to the element whose index is returned.
#include "ops/reduce.h"
#include "ops/reduce/extremum_operator.h"
#include "ops/selection.h"

namespace notape {
namespace {

constexpr auto kMinAll = extremum_derivative("MinBackward1");
constexpr auto kMinAlongDim = extremum_along_dim_derivative("MinBackward0");

const RegisterOp min_all_row(extremum_spec<Extreme::Smallest>("min", [](const Tensor& x) {
  return min(x);
}));
const RegisterOp min_dim_row(extremum_along_dim_spec<Extreme::Smallest>(
    "min_dim", [](const Tensor& x, int64_t dim, bool keepdim) { return min(x, dim, keepdim); }));

}  // namespace

Tensor min(const Tensor& self, At at) {
  return extremum(kMinAll, {"min", at}, self, Extreme::Smallest);
}
std::tuple<Tensor, Tensor> min(const Tensor& self, Integer dim, bool keepdim, At at) {
  return extremum_along_dim(kMinAlongDim, {"min", at}, self, dim, keepdim, Extreme::Smallest);
}

Tensor min(const Tensor& self, const Tensor& other, At at) { return minimum(self, other, at); }

Tensor ReduceMembers::min(At at) const { return notape::min(self(), at); }
std::tuple<Tensor, Tensor> ReduceMembers::min(Integer dim, bool keepdim, At at) const {
  return notape::min(self(), dim, keepdim, at);
}

Tensor ReduceMembers::min(const Tensor& other, At at) const {
  return notape::min(self(), other, at);
}

}  // namespace notape
