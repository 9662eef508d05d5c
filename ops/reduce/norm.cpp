// norm(x, p, dims) = linalg_vector_norm(x, p, dims)
#include "ops/reduce.h"

namespace notape {

Tensor norm(const Tensor& self, Scalar p, At at) {
  return linalg_vector_norm(self, p, {}, false, {}, at);
}
Tensor norm(const Tensor& self, std::optional<Scalar> p, ScalarType dtype, At at) {
  return linalg_vector_norm(self, p.value_or(2), {}, false, dtype, at);
}
Tensor norm(const Tensor& self, std::optional<Scalar> p, IntArrayRef dim, bool keepdim, At at) {
  return linalg_vector_norm(self, p.value_or(2), dim, keepdim, {}, at);
}
Tensor norm(const Tensor& self, std::optional<Scalar> p, IntArrayRef dim, bool keepdim,
            ScalarType dtype, At at) {
  return linalg_vector_norm(self, p.value_or(2), dim, keepdim, dtype, at);
}

Tensor ReduceMembers::norm(Scalar p, At at) const { return notape::norm(self(), p, at); }
Tensor ReduceMembers::norm(std::optional<Scalar> p, ScalarType dtype, At at) const {
  return notape::norm(self(), p, dtype, at);
}
Tensor ReduceMembers::norm(std::optional<Scalar> p, IntArrayRef dim, bool keepdim, At at) const {
  return notape::norm(self(), p, dim, keepdim, at);
}
Tensor ReduceMembers::norm(std::optional<Scalar> p, IntArrayRef dim, bool keepdim, ScalarType dtype,
                           At at) const {
  return notape::norm(self(), p, dim, keepdim, dtype, at);
}

}  // namespace notape
