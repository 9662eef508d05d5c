// linalg_svd(A) = {U, S, Vh} with A = U diag(S) Vh. With gradients H of U and K of Vh, skew(X) = X
// - X^T and E_ij = S_j^2 - S_i^2:
//   dA = U (diag(g) + skew(U^T H) / E diag(S) + diag(S) skew(Vh K^T) / E) Vh
//        + (1 - U U^T) H S^-1 Vh + U S^-1 K (1 - Vh^T Vh).
#include "autograd/graph/record.h"
#include "ops/arithmetic.h"
#include "ops/linalg/decompositions.h"
#include "ops/linalg/matrices.h"
#include "ops/linalg/plain_orthogonal.h"
#include "ops/spec/joined_results.h"

namespace notape {
namespace {

/// E with ones on its diagonal, where the numerators are zero.
Tensor square_gaps(const Tensor& s) {
  const Tensor squares = s * s;
  return unsqueeze(squares, -2) - unsqueeze(squares, -1) + diag_embed(ones_like(s));
}
Tensor skew(const Tensor& x) { return x - transposed(x); }
Tensor twice_symmetric(const Tensor& x) { return x + transposed(x); }

/// Whether U or Vh has more vectors than there are singular values. These are any that are
/// orthogonal to the others, so they have no derivative.
bool has_free_vectors(const Tensor& u, const Tensor& s, const Tensor& vh) {
  return u.size(-1) != s.size(-1) || vh.size(-2) != s.size(-1);
}
void refuse_free_vectors(const Tensor& u, const Tensor& s, const Tensor& vh) {
  if (has_free_vectors(u, s, vh))
    throw DerivativeNotImplemented(
        "linalg_svd: the derivative of U and Vh is not implemented for full_matrices=true where "
        "the matrix is not square; full_matrices=false has one.");
}

Tensor pull_back_linalg_svd(const PerResult<3>& grads, const Tensor& all_u, const Tensor& s,
                            const Tensor& all_vh) {
  const Tensor &of_u = grads[0], &of_s = grads[1], &of_vh = grads[2];
  if (of_u.defined() || of_vh.defined()) refuse_free_vectors(all_u, s, all_vh);
  const int64_t k = s.size(-1);
  const Tensor u = narrow(all_u, -1, 0, k), vh = narrow(all_vh, -2, 0, k);
  const Tensor row = unsqueeze(s, -2), column = unsqueeze(s, -1);
  Tensor inside = of_s.defined() ? diag_embed(of_s) : diag_embed(zeros_like(s));
  if (of_u.defined()) inside = inside + skew(matmul(transposed(u), of_u)) / square_gaps(s) * row;
  if (of_vh.defined())
    inside = inside + column * (skew(matmul(vh, transposed(of_vh))) / square_gaps(s));
  Tensor result = matmul(u, matmul(inside, vh));
  if (of_u.defined() && u.size(-2) > k) {
    const Tensor h = of_u / row;
    result = result + matmul(h - matmul(u, matmul(transposed(u), h)), vh);
  }
  if (of_vh.defined() && vh.size(-1) > k) {
    const Tensor h = of_vh / column;
    result = result + matmul(u, h - matmul(matmul(h, transposed(vh)), vh));
  }
  return result;
}

PerResult<3> push_forward_linalg_svd(const Tensor& tangent, const Tensor& u, const Tensor& s,
                                     const Tensor& vh) {
  refuse_free_vectors(u, s, vh);
  const int64_t k = s.size(-1);
  const Tensor row = unsqueeze(s, -2), column = unsqueeze(s, -1), gaps = square_gaps(s);
  const Tensor left = matmul(transposed(u), tangent), right = matmul(tangent, transposed(vh));
  const Tensor inside = matmul(left, transposed(vh));
  const Tensor beside = tril(inside, -1) + triu(inside, 1);
  Tensor of_u = matmul(u, twice_symmetric(beside * row) / gaps);
  Tensor of_vh = matmul(transposed(twice_symmetric(column * beside) / gaps), vh);
  if (u.size(-2) > k) of_u = of_u + (right - matmul(u, inside)) / row;
  if (vh.size(-1) > k) of_vh = of_vh + (left - matmul(inside, vh)) / column;
  return {of_u, diagonal(inside, 0, -2, -1), of_vh};
}

constexpr auto kLinalgSvdDerivative =
    derivative("LinalgSvdBackward0",
               rule([](const PerResult<3>& grads, const Output& u, const Result<1>& s,
                       const Result<2>& vh) { return pull_back_linalg_svd(grads, u, s, vh); },
                    [](const Tensor& tangent, const Output& u, const Result<1>& s,
                       const Result<2>& vh) { return push_forward_linalg_svd(tangent, u, s, vh); }))
        .with_results<"U", "S", "Vh">();

/// Of the values alone, which are computed without vectors whether or not they have a derivative:
/// with vectors they would differ in last bits.
constexpr auto kLinalgSvdOfValues =
    derivative("LinalgSvdBackward0", rule(
                                         [](const Tensor& grad, const Input<0>& self) {
                                           const auto [u, s, vh] = linalg_svd(self, false);
                                           return matmul(u * unsqueeze(grad, -2), vh);
                                         },
                                         [](const Tensor& tangent, const Input<0>& self) {
                                           const auto [u, s, vh] = linalg_svd(self, false);
                                           const Tensor inside = matmul(
                                               transposed(u), matmul(tangent, transposed(vh)));
                                           return diagonal(inside, 0, -2, -1);
                                         }));

enum class Vectors : uint8_t { None, Reduced, Full };

/// Ones on the diagonals: U or Vh of matrices without rows or columns.
void make_identity(const Tensor& matrices) {
  raw_copy(matrices, eye(matrices.size(1), matrices.size(2), matrices.dtype()));
}

PerResult<3> compute_linalg_svd(const Operation& op, const Tensor& self, Vectors vectors) {
  if (is_batched(self))
    return over_batch_each([&](const Tensor& all) { return compute_linalg_svd(op, all, vectors); },
                           self);
  const Tensor matrices = copy_columns(self);
  const int64_t count = matrices.size(0), m = matrices.size(1), n = matrices.size(2);
  const int64_t k = std::min(m, n);
  const bool full = vectors == Vectors::Full;
  const Tensor s = allocate(IntArrayRef({count, k}), self.dtype(), self.device());
  Tensor u, vh;
  if (vectors != Vectors::None) {
    u = allocate_columns(count, m, full ? m : k, self);
    vh = allocate_columns(count, full ? n : k, n, self);
    if (k == 0) {
      make_identity(u);
      make_identity(vh);
    }
  }
  const Tensor infos = infos_for(matrices);
  svd_kernel(op, self.dtype(), self.device(), matrices, u, s, vh, infos);
  check_infos(op, self, infos, 0, HUGE_VAL,
              "The algorithm failed to converge because the input matrix contained non-finite "
              "values.");
  check_infos(op, self, infos, 0, 0,
              "The algorithm failed to converge because the input matrix is ill-conditioned or has "
              "too many repeated singular values (error code: {}).");
  const IntArrayRef batch = batch_sizes(self);
  if (vectors == Vectors::None) return {Tensor(), unflattened(s, batch), Tensor()};
  return {unflattened(u, batch), unflattened(s, batch), unflattened(vh, batch)};
}

/// Singular values, descending, and U diag(1, 2, ..) U^T and U Vh, which do not change with the
/// signs of pairs of vectors.
template <typename T>
std::array<PlainMatrix<T>, 3> plain_svd(const PlainMatrix<T>& a) {
  if (a.rows < a.columns) {
    auto [values, left, product] = plain_svd(plain_transposed(a));
    const PlainMatrix<T> turned = plain_transposed(product);
    // U diag(1, 2, ..) U^T = P (V diag(1, 2, ..) V^T) P^T with P = U Vh.
    return {values, turned * left * product, turned};
  }
  const int64_t k = a.columns;
  const PlainEigen<T> eigen = plain_eigen(plain_transposed(a) * a);
  PlainMatrix<T> values(1, k), u = a * eigen.vectors;
  PlainMatrix<T> sorted(a.rows, k);
  for (int64_t j = 0; j < k; ++j) {
    const T value = math::sqrt(eigen.diagonal(j, j));
    values(0, k - 1 - j) = value;
    for (int64_t i = 0; i < a.rows; ++i) {
      u(i, j) /= value;
      sorted(i, k - 1 - j) = u(i, j);
    }
  }
  return {values, plain_without_signs(sorted), u * plain_transposed(eigen.vectors)};
}

OpCase draw_svd(Draw& draw) {
  const std::vector<int64_t> batch = draw.shape(0, 1, 0, 2);
  int64_t n = draw.integer(0, 3), m = n + draw.integer(0, 1);
  if (draw.boolean()) std::swap(m, n);
  const bool full = m == n && draw.boolean();
  OpCase one;
  one.label = full ? "full_matrices" : "reduced";
  one.arguments = {{.sizes = sizes_of(batch, {m, n}), .domain = kUnitDomain}};
  one.call = [=](const variable_list& x) {
    const auto [u, s, vh] = linalg_svd(spread(x[0]), full);
    return joined_results({s, without_signs(u), matmul(u, vh)});
  };
  one.reference = [=]<typename T>(const PlainList<T>& x) {
    PlainTensor<T> result;
    for (std::size_t part = 0; part < 3; ++part) {
      const PlainTensor<T> of_part = plain_of_matrices(
          x[0], {}, [&](const PlainMatrix<T>& a) { return plain_svd(plain_spread(a))[part]; });
      result.values.insert(result.values.end(), of_part.values.begin(), of_part.values.end());
    }
    result.sizes = {result.numel()};
    return result;
  };
  return one;
}

const RegisterOp linalg_svd_row(
    {.name = "linalg_svd", .family = "linalg", .draw = draw_svd, .traits = Trait::Accumulates});

}  // namespace

std::tuple<Tensor, Tensor, Tensor> linalg_svd(const Tensor& self, bool full_matrices, At at) {
  const Operation op("linalg_svd", at);
  check_matrices(op, self);
  const Vectors vectors = full_matrices ? Vectors::Full : Vectors::Reduced;
  return std::tuple_cat(record(kLinalgSvdDerivative, op, compute_linalg_svd(op, self, vectors),
                               NoParameters{}, self));
}

Tensor linalg_svdvals(const Tensor& self, At at) {
  const Operation op("linalg_svdvals", at);
  check_matrices(op, self);
  return record(kLinalgSvdOfValues, op, compute_linalg_svd(op, self, Vectors::None)[1],
                NoParameters{}, self);
}

}  // namespace notape
