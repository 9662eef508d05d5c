// linalg_solve_triangular(A, B) = X with A X = B, of A one triangle;  dB = A^-T G,  dA = the same
// triangle of -dB X^T. X A = B is the same of transposes.
#include "autograd/graph/record.h"
#include "ops/arithmetic.h"
#include "ops/core/composite.h"
#include "ops/linalg/decompositions.h"
#include "ops/linalg/matrices.h"
#include "ops/linalg/plain_matrices.h"

namespace notape {
namespace {

using LinalgSolveTriangularShape = std::vector<int64_t>;

/// A^-1 B, or A^-T B.
Tensor solved(const Tensor& a, const Tensor& b, const Triangle& p, bool of_transpose = false) {
  return of_transpose ? linalg_solve_triangular(transposed(a), b, !p.upper, true, p.unitriangular)
                      : linalg_solve_triangular(a, b, p.upper, true, p.unitriangular);
}

/// The entries that are read, the others zero.
Tensor read_part(const Tensor& matrices, const Triangle& p) {
  const int64_t beside = p.unitriangular ? 1 : 0;
  return p.upper ? triu(matrices, beside) : tril(matrices, -beside);
}

// A (.., n, n), B and X (.., n, m), of the same batches.
constexpr auto kLinalgSolveTriangularDerivative = derivative(
    "LinalgSolveTriangularBackward0",
    rule(
        [](const Tensor& grad, const Input<0>& a, const Output& x, const Triangle& p) {
          return -read_part(matmul(solved(a, grad, p, true), transposed(x)), p);
        },
        [](const Tensor& tangent, const Input<0>& a, const Output& x, const Triangle& p) {
          return -solved(a, matmul(read_part(tangent, p), x), p);
        }),
    rule([](const Tensor& grad, const Input<0>& a,
            const Triangle& p) { return solved(a, grad, p, true); },
         [](const Tensor& tangent, const Input<0>& a, const Triangle& p) {
           return solved(a, tangent, p);
         }));

Tensor compute_linalg_solve_triangular(const Operation& op, const Tensor& a, const Tensor& b,
                                       const Triangle& triangle) {
  if (any_batched(a, b))
    return over_batch(
        [&](int64_t, const Tensor& all_a, const Tensor& all_b) {
          return compute_linalg_solve_triangular(op, all_a, all_b, triangle);
        },
        a, b);
  const Tensor result = copy_columns(b);
  triangular_solve_kernel(op, a.dtype(), a.device(), copy_columns(a), result, triangle);
  return unflattened(result, batch_sizes(b));
}

/// A^-1 B by substitution, A the triangle of a + 5 on the diagonal, or with 1 there.
template <typename T>
PlainMatrix<T> plain_substituted(const PlainMatrix<T>& a, PlainMatrix<T> b, const Triangle& p) {
  for (int64_t step = 0; step < a.rows; ++step) {
    const int64_t i = p.upper ? a.rows - 1 - step : step;
    for (int64_t column = 0; column < b.columns; ++column) {
      for (int64_t j = p.upper ? i + 1 : 0; j < (p.upper ? a.rows : i); ++j)
        b(i, column) -= a(i, j) * b(j, column);
      if (!p.unitriangular) b(i, column) /= a(i, i) + T(5);
    }
  }
  return b;
}

OpCase draw_triangular(Draw& draw) {
  const LinalgSolveTriangularShape batch = draw.shape(0, 2, 0, 2);
  const int64_t n = draw.integer(0, 4), m = draw.integer(0, 3);
  const Triangle p{.upper = draw.boolean(), .unitriangular = draw.boolean()};
  const bool left = draw.boolean();
  const LinalgSolveTriangularShape a = sizes_of(draw.broadcast_of(batch), {n, n});
  const LinalgSolveTriangularShape b =
      sizes_of(draw.broadcast_of(batch), {left ? n : m, left ? m : n});
  OpCase one;
  one.label = format_message("{}, {}{}", {p.upper ? "upper" : "lower", left ? "left" : "right",
                                          p.unitriangular ? ", unitriangular" : ""});
  one.arguments = {{.sizes = a, .domain = kUnitDomain}, {.sizes = b}};
  one.call = [=](const variable_list& x) {
    return linalg_solve_triangular(dominant(x[0], false), x[1], p.upper, left, p.unitriangular);
  };
  one.reference = [=]<typename T>(const PlainList<T>& x) {
    const LinalgSolveTriangularShape of_a(a.begin(), a.end() - 2), of_b(b.begin(), b.end() - 2);
    const LinalgSolveTriangularShape all = plain_broadcast({&of_a, &of_b});
    const PlainTensor<T> each(all);  // only its shape is used
    PlainTensor<T> result;
    result.sizes = sizes_of(all, {b[b.size() - 2], b.back()});
    for (int64_t i = 0; i < each.numel(); ++i) {
      const PlainMatrix<T> matrix = plain_matrix(x[0], plain_position(of_a, all, i));
      const PlainMatrix<T> right = plain_matrix(x[1], plain_position(of_b, all, i));
      const PlainMatrix<T> solution =
          left ? plain_substituted(matrix, right, p)
               : plain_transposed(
                     plain_substituted(plain_transposed(matrix), plain_transposed(right),
                                       {.upper = !p.upper, .unitriangular = p.unitriangular}));
      result.values.insert(result.values.end(), solution.values.begin(), solution.values.end());
    }
    return result;
  };
  return one;
}

const RegisterOp linalg_solve_triangular_row({.name = "linalg_solve_triangular",
                                              .family = "linalg",
                                              .draw = draw_triangular,
                                              .traits = Trait::Accumulates});

}  // namespace

Tensor linalg_solve_triangular(const Tensor& self, const Tensor& other, bool upper, bool left,
                               bool unitriangular, At at) {
  const Operation op("linalg_solve_triangular", at);
  check_operands(op, {&self, &other});
  check_square(op, self);
  check_matrices(op, other, "B");
  check_same_type(op, self, other);
  const int64_t n = self.size(-1);
  if (other.size(left ? -2 : -1) != n)
    op.fail<ShapeError>("Incompatible shapes of A and B for the equation {} = B ({}x{} and {}x{})",
                        left ? "AX" : "XA", n, n, other.size(-2), other.size(-1));
  const Composite composite({&self, &other});
  const LinalgSolveTriangularShape batch =
      broadcast_sizes(op, batch_sizes(self), batch_sizes(other));
  const Tensor a = expand(left ? self : transposed(self), sizes_of(batch, {n, n}), at);
  Tensor b = left ? other : transposed(other);
  b = expand(b, sizes_of(batch, {b.size(-2), b.size(-1)}), at);
  const Triangle triangle{.upper = upper == left, .unitriangular = unitriangular};
  const Tensor x = record(kLinalgSolveTriangularDerivative, op,
                          compute_linalg_solve_triangular(op, a, b, triangle), triangle, a, b);
  return left ? x : transposed(x);
}

}  // namespace notape
