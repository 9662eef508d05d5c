// linalg_slogdet(A) = {sign, log |det(A)|};  dA = g A^-T. The sign has derivative 0.
#include "autograd/graph/record.h"
#include "ops/arithmetic.h"
#include "ops/comparison.h"
#include "ops/core/composite.h"
#include "ops/linalg/decompositions.h"
#include "ops/linalg/determinant.h"
#include "ops/linalg/inverse.h"
#include "ops/linalg/matrices.h"
#include "ops/linalg/plain_matrices.h"
#include "ops/reduce.h"
#include "ops/selection.h"
#include "ops/spec/joined_results.h"
#include "ops/transcendental.h"

namespace notape {
namespace {

constexpr auto kLinalgSlogdetDerivative =
    derivative("LinalgSlogdetBackward0",
               rule(
                   [](const PerResult<2>& grads, const Input<0>& a) -> Tensor {
                     if (!grads[1].defined()) return {};
                     return unsqueeze(unsqueeze(grads[1], -1), -1) *
                            transposed(inverse(a, Singular::Divergent));
                   },
                   [](const Tensor& tangent, const Input<0>& a) -> PerResult<2> {
                     const Tensor slopes = transposed(inverse(a, Singular::Divergent));
                     return {Tensor(), sum(tangent * slopes, {-2, -1})};
                   }))
        .with_results<"sign", "logabsdet">();

PerResult<2> compute_linalg_slogdet(const Operation& op, const Tensor& self) {
  if (is_batched(self))
    return over_batch_each([&](const Tensor& all) { return compute_linalg_slogdet(op, all); },
                           self);
  const LuDiagonal lu = lu_diagonal(op, self);
  return {lu.sign * prod(sign(lu.diagonal), -1), sum(log(abs(lu.diagonal)), {-1})};
}

/// What both rows draw: matrices of positive determinant, or of any that is not zero.
struct DrawnMatrices {
  OpCase one;
  std::vector<int64_t> batch;
  bool turned = false;
};

DrawnMatrices draw_matrices(Draw& draw, bool may_be_turned) {
  DrawnMatrices drawn;
  drawn.batch = draw.shape(0, 2, 0, 2);
  const int64_t n = draw.integer(0, 4);
  drawn.turned = may_be_turned && draw.boolean();
  drawn.one.label = drawn.turned ? "rows exchanged" : "dominant diagonal";
  drawn.one.arguments = {{.sizes = sizes_of(drawn.batch, {n, n}), .domain = kUnitDomain}};
  return drawn;
}

/// {sign, log |det|}, one or the other.
template <typename T>
PlainTensor<T> plain_part(const PlainTensor<T>& x, const std::vector<int64_t>& batch, bool turned,
                          bool is_sign) {
  return plain_of_matrices(x, batch, [=](const PlainMatrix<T>& a) {
    PlainMatrix<T> result(1, 1);
    // Its sign is that of the rotation of rows.
    const bool negative = turned && a.rows % 2 == 0 && a.rows > 0;
    const T value = plain_determinant(plain_dominant(a, turned));
    if (is_sign)
      result(0, 0) = T(negative ? -1 : 1);
    else
      result(0, 0) = math::log(negative ? -value : value);
    return result;
  });
}

OpCase draw_slogdet(Draw& draw) {
  auto [one, batch, turned] = draw_matrices(draw, true);
  one.call = [turned = turned](const variable_list& x) {
    const auto [sign, logarithm] = linalg_slogdet(dominant(x[0], turned));
    return joined_results({sign, logarithm});
  };
  one.reference = [turned = turned, batch = batch]<typename T>(const PlainList<T>& x) {
    PlainTensor<T> result = plain_part(x[0], batch, turned, true);
    const PlainTensor<T> logarithms = plain_part(x[0], batch, turned, false);
    result.values.insert(result.values.end(), logarithms.values.begin(), logarithms.values.end());
    result.sizes = {result.numel()};
    return result;
  };
  return one;
}

OpCase draw_logdet(Draw& draw) {
  auto [one, batch, turned] = draw_matrices(draw, false);
  one.call = [](const variable_list& x) { return logdet(dominant(x[0], false)); };
  one.reference = [batch = batch]<typename T>(const PlainList<T>& x) {
    return plain_part(x[0], batch, false, false);
  };
  return one;
}

const RegisterOp slogdet_row({.name = "linalg_slogdet",
                              .family = "linalg",
                              .draw = draw_slogdet,
                              .traits = Trait::Accumulates});
const RegisterOp logdet_row(
    {.name = "logdet", .family = "linalg", .draw = draw_logdet, .traits = Trait::Accumulates});

}  // namespace

std::tuple<Tensor, Tensor> linalg_slogdet(const Tensor& self, At at) {
  const Operation op("linalg_slogdet", at);
  check_square(op, self);
  return std::tuple_cat(
      record(kLinalgSlogdetDerivative, op, compute_linalg_slogdet(op, self), NoParameters{}, self));
}

std::tuple<Tensor, Tensor> slogdet(const Tensor& self, At at) { return linalg_slogdet(self, at); }

Tensor logdet(const Tensor& self, At at) {
  const Operation op("logdet", at);
  check_square(op, self);
  const Composite composite({&self});
  const auto [sign, logarithm] = linalg_slogdet(self, at);
  return where(eq(sign, -1), std::numeric_limits<double>::quiet_NaN(), logarithm, at);
}

std::tuple<Tensor, Tensor> LinalgMembers::slogdet(At at) const {
  return linalg_slogdet(self(), at);
}
Tensor LinalgMembers::logdet(At at) const { return notape::logdet(self(), at); }

}  // namespace notape
