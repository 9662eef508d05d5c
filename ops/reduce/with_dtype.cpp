// Reductions and scans of a tensor converted first: what LibTorch's argument dtype says.
#include "ops/core/composite.h"
#include "ops/core/promotion.h"
#include "ops/reduce.h"
#include "ops/shape.h"

namespace notape {
namespace {

/// Converted back, too: some make int64 of integers, and float32 in autocast.
template <typename F>
Tensor converted(const char* name, const Tensor& self, ScalarType dtype, At at, const F& f) {
  check_operands({name, at}, {&self});
  const Composite composite({&self});
  return to(f(to(self, dtype, at)), dtype, at);
}

}  // namespace

Tensor sum(const Tensor& self, ScalarType dtype, At at) {
  return converted("sum", self, dtype, at, [&](const Tensor& x) { return sum(x, at); });
}
Tensor sum(const Tensor& self, IntArrayRef dim, bool keepdim, ScalarType dtype, At at) {
  return converted("sum", self, dtype, at,
                   [&](const Tensor& x) { return sum(x, dim, keepdim, at); });
}
Tensor mean(const Tensor& self, ScalarType dtype, At at) {
  return converted("mean", self, dtype, at, [&](const Tensor& x) { return mean(x, at); });
}
Tensor mean(const Tensor& self, IntArrayRef dim, bool keepdim, ScalarType dtype, At at) {
  return converted("mean", self, dtype, at,
                   [&](const Tensor& x) { return mean(x, dim, keepdim, at); });
}
Tensor prod(const Tensor& self, ScalarType dtype, At at) {
  return converted("prod", self, dtype, at, [&](const Tensor& x) { return prod(x, at); });
}
Tensor prod(const Tensor& self, Integer dim, bool keepdim, ScalarType dtype, At at) {
  return converted("prod", self, dtype, at,
                   [&](const Tensor& x) { return prod(x, dim, keepdim, at); });
}
Tensor softmax(const Tensor& self, Integer dim, ScalarType dtype, At at) {
  return converted("softmax", self, dtype, at,
                   [&](const Tensor& x) { return softmax(x, dim, at); });
}
Tensor log_softmax(const Tensor& self, Integer dim, ScalarType dtype, At at) {
  return converted("log_softmax", self, dtype, at,
                   [&](const Tensor& x) { return log_softmax(x, dim, at); });
}
Tensor cumsum(const Tensor& self, Integer dim, ScalarType dtype, At at) {
  return converted("cumsum", self, dtype, at, [&](const Tensor& x) { return cumsum(x, dim, at); });
}

Tensor ReduceMembers::sum(ScalarType dtype, At at) const { return notape::sum(self(), dtype, at); }
Tensor ReduceMembers::sum(IntArrayRef dim, bool keepdim, ScalarType dtype, At at) const {
  return notape::sum(self(), dim, keepdim, dtype, at);
}
Tensor ReduceMembers::mean(ScalarType dtype, At at) const {
  return notape::mean(self(), dtype, at);
}
Tensor ReduceMembers::mean(IntArrayRef dim, bool keepdim, ScalarType dtype, At at) const {
  return notape::mean(self(), dim, keepdim, dtype, at);
}
Tensor ReduceMembers::prod(ScalarType dtype, At at) const {
  return notape::prod(self(), dtype, at);
}
Tensor ReduceMembers::prod(Integer dim, bool keepdim, ScalarType dtype, At at) const {
  return notape::prod(self(), dim, keepdim, dtype, at);
}
Tensor ReduceMembers::softmax(Integer dim, ScalarType dtype, At at) const {
  return notape::softmax(self(), dim, dtype, at);
}
Tensor ReduceMembers::log_softmax(Integer dim, ScalarType dtype, At at) const {
  return notape::log_softmax(self(), dim, dtype, at);
}
Tensor ReduceMembers::cumsum(Integer dim, ScalarType dtype, At at) const {
  return notape::cumsum(self(), dim, dtype, at);
}

}  // namespace notape
