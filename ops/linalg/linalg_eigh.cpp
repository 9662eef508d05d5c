// linalg_eigh(A) = {l, V} with A = V diag(l) V^T, V orthogonal. With E_ij = l_j - l_i and V's
// gradient H:  dA = V (diag(g) + S) V^T, S the symmetric part of (V^T H) / E off the diagonal.
#include "autograd/graph/record.h"
#include "ops/arithmetic.h"
#include "ops/core/composite.h"
#include "ops/linalg/decompositions.h"
#include "ops/linalg/matrices.h"
#include "ops/linalg/plain_orthogonal.h"
#include "ops/spec/joined_results.h"

namespace notape {
namespace {

/// (V^T H) / E, zero on the diagonal.
Tensor turning(const Tensor& product, const Tensor& values) {
  const Tensor gaps = unsqueeze(values, -2) - unsqueeze(values, -1) + diag_embed(ones_like(values));
  const Tensor quotient = product / gaps;
  return tril(quotient, -1) + triu(quotient, 1);
}

constexpr auto kLinalgEighDerivative =
    derivative(
        "LinalgEighBackward0",
        rule(
            [](const PerResult<2>& grads, const Output& values, const Result<1>& v) {
              Tensor inside;
              if (grads[1].defined()) {
                const Tensor turned = turning(matmul(transposed(v), grads[1]), values);
                inside = 0.5 * (turned + transposed(turned));
              }
              if (grads[0].defined()) {
                const Tensor diagonal = diag_embed(grads[0]);
                inside = inside.defined() ? inside + diagonal : diagonal;
              }
              return matmul(v, matmul(inside, transposed(v)));
            },
            [](const Tensor& tangent, const Output& values, const Result<1>& v) -> PerResult<2> {
              const Tensor inside = matmul(transposed(v), matmul(tangent, v));
              return {diagonal(inside, 0, -2, -1), matmul(v, turning(inside, values))};
            }))
        .with_results<"eigenvalues", "eigenvectors">();

/// Of the values alone, which are computed without vectors whether or not they have a derivative:
/// with vectors they would differ in last bits.
constexpr auto kLinalgEighOfValues =
    derivative("LinalgEighBackward0",
               rule(
                   [](const Tensor& grad, const Input<0>& self) {
                     const Tensor v = std::get<1>(linalg_eigh(self));
                     return matmul(v * unsqueeze(grad, -2), transposed(v));
                   },
                   [](const Tensor& tangent, const Input<0>& self) {
                     const Tensor v = std::get<1>(linalg_eigh(self));
                     return diagonal(matmul(transposed(v), matmul(tangent, v)), 0, -2, -1);
                   }));

PerResult<2> compute_linalg_eigh(const Operation& op, const Tensor& self, bool vectors) {
  if (is_batched(self))
    return over_batch_each([&](const Tensor& all) { return compute_linalg_eigh(op, all, vectors); },
                           self);
  const Tensor matrices = copy_columns(self);
  const int64_t count = matrices.size(0), n = matrices.size(1);
  const Tensor values = allocate(IntArrayRef({count, n}), self.dtype(), self.device());
  const Tensor infos = infos_for(matrices);
  eigh_kernel(op, self.dtype(), self.device(), matrices, values, vectors, infos);
  check_infos(op, self, infos, 0, 0,
              "The algorithm failed to converge because the input matrix is ill-conditioned or has "
              "too many repeated eigenvalues (error code: {}).");
  const IntArrayRef batch = batch_sizes(self);
  return {unflattened(values, batch), vectors ? unflattened(matrices, batch) : Tensor()};
}

bool reads_upper(const Operation& op, const Tensor& self, std::string_view UPLO) {
  check_square(op, self);
  if (UPLO != "L" && UPLO != "l" && UPLO != "U" && UPLO != "u")
    op.fail<ValueError>("Expected UPLO argument to be 'L' or 'U', but got {}", UPLO);
  return UPLO == "U" || UPLO == "u";
}

/// Symmetric, with eigenvalues that are apart.
Tensor symmetric_spread(const Tensor& x) { return spread(0.5 * x + 0.5 * transposed(x)); }

OpCase draw_eigen(Draw& draw) {
  const std::vector<int64_t> batch = draw.shape(0, 1, 0, 2);
  const int64_t n = draw.integer(0, 3);
  const bool upper = draw.boolean();
  OpCase one;
  one.label = upper ? "upper" : "lower";
  one.arguments = {{.sizes = sizes_of(batch, {n, n}), .domain = kUnitDomain}};
  one.call = [=](const variable_list& x) {
    const auto [values, vectors] = linalg_eigh(symmetric_spread(x[0]), upper ? "U" : "L");
    return joined_results({values, without_signs(vectors)});
  };
  one.reference = [=]<typename T>(const PlainList<T>& x) {
    const auto eigen_of = [](const PlainMatrix<T>& given) {
      PlainMatrix<T> a = given;
      for (int64_t i = 0; i < a.rows; ++i)
        for (int64_t j = 0; j < a.rows; ++j) a(i, j) = (given(i, j) + given(j, i)) / T(2);
      return plain_eigen(plain_spread(a));
    };
    PlainTensor<T> result = plain_of_matrices(x[0], {}, [&](const PlainMatrix<T>& a) {
      PlainMatrix<T> values(1, n);
      for (int64_t i = 0; i < n; ++i) values(0, i) = eigen_of(a).diagonal(i, i);
      return values;
    });
    const PlainTensor<T> vectors = plain_of_matrices(x[0], {}, [&](const PlainMatrix<T>& a) {
      return plain_without_signs(eigen_of(a).vectors);
    });
    result.values.insert(result.values.end(), vectors.values.begin(), vectors.values.end());
    result.sizes = {result.numel()};
    return result;
  };
  return one;
}

const RegisterOp linalg_eigh_row(
    {.name = "linalg_eigh", .family = "linalg", .draw = draw_eigen, .traits = Trait::Accumulates});

}  // namespace

std::tuple<Tensor, Tensor> linalg_eigh(const Tensor& self, std::string_view UPLO, At at) {
  const Operation op("linalg_eigh", at);
  const bool upper = reads_upper(op, self, UPLO);
  const Composite composite({&self});
  const Tensor a = upper ? transposed(self) : self;
  return std::tuple_cat(
      record(kLinalgEighDerivative, op, compute_linalg_eigh(op, a, true), NoParameters{}, a));
}

Tensor linalg_eigvalsh(const Tensor& self, std::string_view UPLO, At at) {
  const Operation op("linalg_eigvalsh", at);
  const bool upper = reads_upper(op, self, UPLO);
  const Composite composite({&self});
  const Tensor a = upper ? transposed(self) : self;
  return record(kLinalgEighOfValues, op, compute_linalg_eigh(op, a, false)[0], NoParameters{}, a);
}

}  // namespace notape
