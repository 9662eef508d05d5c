// max(x), min(x): the largest or the smallest element, its gradient shared evenly by all that equal
// it. max(x, dim), min(x, dim): values and indices along a dimension, the gradient goes to the
// element whose index is returned.
#include "ops/reduce.h"
#include "ops/reduce/extremum_operator.h"
#include "ops/selection.h"

namespace notape {
namespace {

constexpr auto kMaxAll = extremum_derivative("MaxBackward1");
constexpr auto kMinAll = extremum_derivative("MinBackward1");
constexpr auto kMaxAlongDim = extremum_along_dim_derivative("MaxBackward0");
constexpr auto kMinAlongDim = extremum_along_dim_derivative("MinBackward0");

const RegisterOp max_all_row(extremum_spec<Extreme::Largest>("max", [](const Tensor& x) {
  return max(x);
}));
const RegisterOp min_all_row(extremum_spec<Extreme::Smallest>("min", [](const Tensor& x) {
  return min(x);
}));
const RegisterOp max_dim_row(extremum_along_dim_spec<Extreme::Largest>(
    "max_dim", [](const Tensor& x, int64_t dim, bool keepdim) { return max(x, dim, keepdim); }));
const RegisterOp min_dim_row(extremum_along_dim_spec<Extreme::Smallest>(
    "min_dim", [](const Tensor& x, int64_t dim, bool keepdim) { return min(x, dim, keepdim); }));

}  // namespace

Tensor max(const Tensor& self, At at) {
  return extremum(kMaxAll, {"max", at}, self, Extreme::Largest);
}
Tensor min(const Tensor& self, At at) {
  return extremum(kMinAll, {"min", at}, self, Extreme::Smallest);
}
std::tuple<Tensor, Tensor> max(const Tensor& self, Integer dim, bool keepdim, At at) {
  return extremum_along_dim(kMaxAlongDim, {"max", at}, self, dim, keepdim, Extreme::Largest);
}
std::tuple<Tensor, Tensor> min(const Tensor& self, Integer dim, bool keepdim, At at) {
  return extremum_along_dim(kMinAlongDim, {"min", at}, self, dim, keepdim, Extreme::Smallest);
}
Tensor max(const Tensor& self, const Tensor& other, At at) { return maximum(self, other, at); }
Tensor min(const Tensor& self, const Tensor& other, At at) { return minimum(self, other, at); }

Tensor ReduceMembers::max(At at) const { return notape::max(self(), at); }
Tensor ReduceMembers::min(At at) const { return notape::min(self(), at); }
std::tuple<Tensor, Tensor> ReduceMembers::max(Integer dim, bool keepdim, At at) const {
  return notape::max(self(), dim, keepdim, at);
}
std::tuple<Tensor, Tensor> ReduceMembers::min(Integer dim, bool keepdim, At at) const {
  return notape::min(self(), dim, keepdim, at);
}
Tensor ReduceMembers::max(const Tensor& other, At at) const {
  return notape::max(self(), other, at);
}
Tensor ReduceMembers::min(const Tensor& other, At at) const {
  return notape::min(self(), other, at);
}

}  // namespace notape
