// max(x): the largest element, its gradient shared evenly by all that equal it. max(x, dim): values
// and indices along a dimension, the gradient goes to the element whose index is returned.
#include "ops/reduce.h"
#include "ops/reduce/extremum_operator.h"
#include "ops/selection.h"

namespace notape {
namespace {

constexpr auto kMaxAll = extremum_derivative("MaxBackward1");
constexpr auto kMaxAlongDim = extremum_along_dim_derivative("MaxBackward0");

const RegisterOp max_all_row(extremum_spec<Extreme::Largest>("max", [](const Tensor& x) {
  return max(x);
}));
const RegisterOp max_dim_row(extremum_along_dim_spec<Extreme::Largest>(
    "max_dim", [](const Tensor& x, int64_t dim, bool keepdim) { return max(x, dim, keepdim); }));

}  // namespace

Tensor max(const Tensor& self, At at) {
  return extremum(kMaxAll, {"max", at}, self, Extreme::Largest);
}
std::tuple<Tensor, Tensor> max(const Tensor& self, Integer dim, bool keepdim, At at) {
  return extremum_along_dim(kMaxAlongDim, {"max", at}, self, dim, keepdim, Extreme::Largest);
}

Tensor max(const Tensor& self, const Tensor& other, At at) { return maximum(self, other, at); }

Tensor ReduceMembers::max(At at) const { return notape::max(self(), at); }
std::tuple<Tensor, Tensor> ReduceMembers::max(Integer dim, bool keepdim, At at) const {
  return notape::max(self(), dim, keepdim, at);
}

Tensor ReduceMembers::max(const Tensor& other, At at) const {
  return notape::max(self(), other, at);
}

}  // namespace notape
