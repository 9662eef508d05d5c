// C_ij = (-1)^(i+j) det(M_ij), M_ij = A without row i and column j. It is the gradient of det, so
// its own derivative is symmetric; along T:
//   dC_ij = (-1)^(i+j) <cofactors(M_ij), T without row i and column j>,
// which holds for singular matrices, too, and at the cost of one inverse for the others
//   dC = (C <C, T> - C T^T C) / det(A).
#include "autograd/graph/record.h"
#include "autograd/tensor/factories.h"
#include "ops/arithmetic.h"
#include "ops/comparison.h"
#include "ops/index.h"
#include "ops/linalg/decompositions.h"
#include "ops/linalg/determinant.h"
#include "ops/linalg/inverse.h"
#include "ops/linalg/matrices.h"
#include "ops/linalg/plain_matrices.h"

namespace notape {
namespace {

/// The same values as a plain tensor, batches in front; no graph.
Tensor all_samples(const Tensor& tensor) {
  return with_batch_dims(tensor, levels_of(tensor), tensor.dim());
}

/// For each of 0 .. n - 1 in turn all of the others.
Tensor all_but_each(int64_t n, const Tensor& like) {
  const Tensor places = empty({n * (n - 1)}, kInt64);
  int64_t* to = places.data_ptr<int64_t>();
  for (int64_t i = 0; i < n; ++i)
    for (int64_t j = 0; j < n; ++j)
      if (i != j) *to++ = j;
  return places.to(all_samples(like).device());
}

/// (.., n, n) -> (.., n, n, n - 1, n - 1), at i, j the matrix without row i and column j.
Tensor minors(const Tensor& matrices) {
  const int64_t n = matrices.size(-1);
  const Tensor places = all_but_each(n, matrices);
  const Tensor rows = unflatten(index_select(matrices, -2, places), -2, {n, n - 1});
  return transpose(unflatten(index_select(rows, -1, places), -2 + 1, {n, n - 1}), -3, -2);
}

/// (n, n): (-1)^(i + j)
Tensor signs(int64_t n, const Tensor& like) {
  Tensor alternating = ones({n}, like.dtype());
  for (int64_t i = 1; i < n; i += 2) alternating.select(0, i).fill_(-1);
  return outer(alternating, alternating).to(all_samples(like).device());
}

bool any_singular(const Tensor& matrices) {
  return !all(ne(linalg_det(all_samples(matrices)), 0)).item<bool>();
}

Tensor along(const Tensor& t, const Tensor& a, const Tensor& c) {
  const int64_t n = a.size(-1);
  if (n == 0) return t;
  if (n <= 3 || any_singular(a))
    return signs(n, t) * sum(cofactors(minors(a)) * minors(t), {-2, -1});
  const Tensor product = sum(c * t, {-2, -1}, true);
  return (c * product - matmul(c, matmul(transposed(t), c))) /
         unsqueeze(unsqueeze(linalg_det(a), -1), -1);
}

constexpr auto kCofactorsDerivative = derivative(
    "CofactorsBackward0",
    symmetric([](const Tensor& t, const Input<0>& a, const Output& c) { return along(t, a, c); }));

/// (count, n, n), of small matrices by their definition, of others by singular values: with A = U S
/// V^T they are det(U) det(V) U D V^T, D_i the product of the others.
Tensor of_singular(const Tensor& a) {
  const int64_t n = a.size(-1);
  if (n <= 8) return signs(n, a) * linalg_det(minors(a));
  const auto [u, s, vh] = linalg_svd(a);
  const Tensor others =
      prod(unflatten(index_select(s, -1, all_but_each(n, a)), -1, {n, n - 1}), -1);
  const Tensor sign = linalg_det(u) * linalg_det(vh);
  return matmul(u * unsqueeze(others * unsqueeze(sign, -1), -2), vh);
}

Tensor compute_cofactors(const Operation& op, const Tensor& self) {
  if (is_batched(self))
    return over_batch([&](int64_t, const Tensor& all) { return compute_cofactors(op, all); }, self);
  const int64_t n = self.size(-1);
  const Tensor a = raw_alias(self, self.impl().geometry());
  const LuDiagonal lu = lu_diagonal(op, a);
  const Tensor values = lu.sign * prod(lu.diagonal, -1);
  Tensor result =
      unsqueeze(unsqueeze(values, -1), -1) * transposed(inverse(a, Singular::Divergent));
  const Tensor where = nonzero(reshape(eq(values, 0), {values.numel()}));
  if (where.numel() == 0 || n == 0) return result;
  const Tensor places = reshape(where, {where.numel()});
  const Tensor flat = reshape(a, {values.numel(), n, n});
  result = index_copy(reshape(result, flat.sizes()), 0, places,
                      of_singular(index_select(flat, 0, places)));
  return reshape(result, a.sizes());
}

OpCase draw_cofactors(Draw& draw) {
  std::vector<int64_t> sizes = draw.shape(0, 1, 0, 2);
  const int64_t n = draw.integer(0, 4);
  sizes.insert(sizes.end(), {n, n});
  const bool turned = draw.boolean();
  OpCase one;
  one.label = turned ? "rows exchanged" : "dominant diagonal";
  one.arguments = {{.sizes = sizes, .domain = kUnitDomain}};
  one.call = [=](const variable_list& x) { return cofactors(dominant(x[0], turned)); };
  one.reference = [=]<typename T>(const PlainList<T>& x) {
    return plain_of_matrices(x[0], sizes, [&](const PlainMatrix<T>& given) {
      const PlainMatrix<T> a = plain_dominant(given, turned);
      PlainMatrix<T> result(n, n);
      for (int64_t i = 0; i < n; ++i)
        for (int64_t j = 0; j < n; ++j) {
          const T minor = plain_determinant(plain_minor(a, i, j));
          result(i, j) = (i + j) % 2 == 0 ? minor : -minor;
        }
      return result;
    });
  };
  return one;
}

const RegisterOp cofactors_row({.name = "cofactors",
                                .family = "linalg",
                                .draw = draw_cofactors,
                                .traits = Trait::Accumulates});

}  // namespace

Tensor cofactors(const Tensor& self, At at) {
  const Operation op("cofactors", at);
  check_square(op, self);
  return record(kCofactorsDerivative, op, compute_cofactors(op, self), NoParameters{}, self);
}

}  // namespace notape
