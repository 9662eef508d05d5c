// dot(a, b) = sum over i of a_i b_i;  da = g b,  db = g a
#include "autograd/graph/record.h"
#include "ops/arithmetic.h"
#include "ops/core/allocate.h"
#include "ops/core/autocast.h"
#include "ops/core/promotion.h"
#include "ops/linalg.h"
#include "ops/linalg/gemm.h"
#include "ops/shape.h"
#include "ops/spec/plain.h"

namespace notape {
namespace {

constexpr auto kDotDerivative = derivative(
    "DotBackward0",
    rule([](const Tensor& grad, const Input<1>& other) { return grad * other; },
         [](const Tensor& tangent, const Input<1>& other) { return dot(tangent, other); }),
    rule([](const Tensor& grad, const Input<0>& self) { return grad * self; },
         [](const Tensor& tangent, const Input<0>& self) { return dot(self, tangent); }));

Tensor multiply_dot_samples(const Tensor& self, const Tensor& other) {
  return over_batch(
      [&](int64_t size, const Tensor& a, const Tensor& b) {
        const int64_t k = self.numel();
        return reshape(bmm(reshape(a, {size, 1, k}), reshape(b, {size, k, 1})), {size});
      },
      self, other);
}

OpCase draw_dot(Draw& draw) {
  const int64_t n = draw.integer(0, 20);
  OpCase one;
  one.label = format_message("{} elements", {n});
  one.arguments = {{.sizes = {n}}, {.sizes = {n}}};
  one.call = [](const variable_list& x) { return dot(x[0], x[1]); };
  one.reference = []<typename T>(const PlainList<T>& x) {
    PlainTensor<T> result(std::vector<int64_t>{});
    for (std::size_t i = 0; i < x[0].values.size(); ++i)
      result.values[0] += x[0].values[i] * x[1].values[i];
    return result;
  };
  return one;
}

const RegisterOp dot_row(
    {.name = "dot", .family = "linalg", .draw = draw_dot, .traits = Trait::Accumulates});

}  // namespace

Tensor dot(const Tensor& self, const Tensor& other, At at) {
  if (in_autocast(self)) [[unlikely]]
    return autocast_to_widest(
        at, [&](auto... x) { return dot(x..., at); }, self, other);
  const Operation op("dot", at);
  check_operands(op, {&self, &other});
  if (self.dim() != 1 || other.dim() != 1)
    op.fail<ShapeError>("1D tensors expected, but got {}D and {}D tensors", self.dim(),
                        other.dim());
  const int64_t k = self.numel();
  if (other.numel() != k)
    op.fail<ShapeError>(
        "inconsistent tensor size, expected tensor [{}] and src [{}] to have the same number of "
        "elements",
        k, other.numel());
  if (self.dtype() != other.dtype())
    op.fail<DtypeError>("expected both vectors to have same dtype, but found {} and {}",
                        type_name_of(self.dtype()), type_name_of(other.dtype()));
  if (any_batched(self, other)) [[unlikely]]
    return record(kDotDerivative, op, multiply_dot_samples(self, other), NoParameters{}, self,
                  other);
  Tensor result = allocate(IntArrayRef(), self.dtype(), self.device());
  gemm(op, {.result = {result.impl().data(), 1, 1, 1, 1},
            .a = {self.impl().data(), 1, k, 0, self.stride(0)},
            .b = {other.impl().data(), k, 1, other.stride(0), 0},
            .dtype = self.dtype(),
            .device = self.device()});
  return record(kDotDerivative, op, std::move(result), NoParameters{}, self, other);
}

Tensor LinalgMembers::dot(const Tensor& other, At at) const {
  return notape::dot(self(), other, at);
}

}  // namespace notape
