// linalg_solve(A, B) = X with A X = B;  dB = A^-T G,  dA = -dB X^T. X A = B is the same of
// transposes.
#include "autograd/graph/record.h"
#include "ops/arithmetic.h"
#include "ops/core/composite.h"
#include "ops/linalg/decompositions.h"
#include "ops/linalg/matrices.h"
#include "ops/linalg/plain_matrices.h"

namespace notape {
namespace {

using LinalgSolveShape = std::vector<int64_t>;

// A (.., n, n), B and X (.., n, m), of the same batches.
constexpr auto kLinalgSolveDerivative = derivative(
    "LinalgSolveBackward0",
    rule([](const Tensor& grad, const Input<0>& a,
            const Output& x) { return -matmul(linalg_solve(transposed(a), grad), transposed(x)); },
         [](const Tensor& tangent, const Input<0>& a, const Output& x) {
           return -linalg_solve(a, matmul(tangent, x));
         }),
    rule([](const Tensor& grad, const Input<0>& a) { return linalg_solve(transposed(a), grad); },
         [](const Tensor& tangent, const Input<0>& a) { return linalg_solve(a, tangent); }));

Tensor compute_linalg_solve(const Operation& op, const Tensor& a, const Tensor& b) {
  if (any_batched(a, b))
    return over_batch([&](int64_t, const Tensor& all_a,
                          const Tensor& all_b) { return compute_linalg_solve(op, all_a, all_b); },
                      a, b);
  const Tensor lu = copy_columns(a), result = copy_columns(b);
  const Tensor infos = infos_for(lu);
  solve_kernel(op, a.dtype(), a.device(), lu, result, infos);
  check_infos(op, a, infos, 0, 0, "The solver failed because the input matrix is singular.");
  return unflattened(result, batch_sizes(b));
}

/// Whether other is one vector, or one for each matrix.
bool is_vector(IntArrayRef matrices, IntArrayRef other) {
  return other.size() == 1 || (other.size() + 1 == matrices.size() &&
                               std::equal(other.begin(), other.end(), matrices.begin()));
}

void check_equation(const Operation& op, const Tensor& self, const Tensor& other, bool left) {
  const int64_t n = self.size(-1);
  if (other.size(left ? -2 : -1) != n)
    op.fail<ShapeError>("Incompatible shapes of A and B for the equation {} = B ({}x{} and {}x{})",
                        left ? "AX" : "XA", n, n, other.size(-2), other.size(-1));
}

struct SolveCase {
  LinalgSolveShape a, b;
  bool left = true;
};

SolveCase draw_equation(Draw& draw) {
  const LinalgSolveShape batch = draw.shape(0, 2, 0, 2);
  const int64_t n = draw.integer(0, 4), m = draw.integer(0, 3);
  SolveCase one;
  one.a = sizes_of(draw.broadcast_of(batch), {n, n});
  if (draw.integer(0, 3) == 0) {
    one.b = draw.boolean() ? LinalgSolveShape{n} : LinalgSolveShape(one.a.begin(), one.a.end() - 1);
    return one;
  }
  one.left = draw.boolean();
  one.b = sizes_of(draw.broadcast_of(batch), {one.left ? n : m, one.left ? m : n});
  // Else it would be taken for vectors.
  if (is_vector(one.a, one.b)) one.b.insert(one.b.begin(), 1);
  return one;
}

/// A^-1 B, or B A^-1 if not left; A and B broadcast.
template <typename T>
PlainTensor<T> plain_solution(const PlainTensor<T>& a, PlainTensor<T> b, bool left, bool turned) {
  const bool vector = is_vector(a.sizes, b.sizes);
  if (vector) b.sizes.push_back(1);
  const LinalgSolveShape of_a(a.sizes.begin(), a.sizes.end() - 2),
      of_b(b.sizes.begin(), b.sizes.end() - 2);
  const LinalgSolveShape batch = plain_broadcast({&of_a, &of_b});
  const PlainTensor<T> each(batch);  // only its shape is used
  PlainTensor<T> result;
  result.sizes = sizes_of(batch, {b.sizes[b.sizes.size() - 2]});
  if (!vector) result.sizes.push_back(b.sizes.back());
  for (int64_t i = 0; i < each.numel(); ++i) {
    const PlainMatrix<T> inverse =
        plain_inverse(plain_dominant(plain_matrix(a, plain_position(of_a, batch, i)), turned));
    const PlainMatrix<T> right = plain_matrix(b, plain_position(of_b, batch, i));
    const PlainMatrix<T> x = left ? inverse * right : right * inverse;
    result.values.insert(result.values.end(), x.values.begin(), x.values.end());
  }
  return result;
}

OpCase draw_solve(Draw& draw) {
  const SolveCase drawn = draw_equation(draw);
  const bool turned = draw.boolean(), left = drawn.left;
  OpCase one;
  one.label = to_string(drawn.a) + (left ? " on the left of " : " on the right of ") +
              to_string(drawn.b) + (turned ? ", rows exchanged" : "");
  one.arguments = {{.sizes = drawn.a, .domain = kUnitDomain}, {.sizes = drawn.b}};
  one.call = [=](const variable_list& x) {
    return linalg_solve(dominant(x[0], turned), x[1], left);
  };
  one.reference = [=]<typename T>(const PlainList<T>& x) {
    return plain_solution(x[0], x[1], left, turned);
  };
  return one;
}

const RegisterOp linalg_solve_row(
    {.name = "linalg_solve", .family = "linalg", .draw = draw_solve, .traits = Trait::Accumulates});

}  // namespace

Tensor linalg_solve(const Tensor& self, const Tensor& other, bool left, At at) {
  const Operation op("linalg_solve", at);
  check_operands(op, {&self, &other});
  check_square(op, self);
  if (self.dtype() != other.dtype())
    op.fail<DtypeError>(
        "Expected A and B to have the same dtype, but found A of type {} and B of type {} instead",
        type_name_of(self.dtype()), type_name_of(other.dtype()));
  const bool vector = is_vector(self.sizes(), other.sizes());
  if (other.dim() < 1) op.fail<ShapeError>("The input tensor B must have at least 2 dimensions.");
  const Composite composite({&self, &other});
  Tensor a = self, b = vector ? unsqueeze(other, -1, at) : other;
  check_equation(op, a, b, left);
  const LinalgSolveShape batch = broadcast_sizes(op, batch_sizes(a), batch_sizes(b));
  a = expand(left ? a : transposed(a), sizes_of(batch, {a.size(-1), a.size(-1)}), at);
  if (!left) b = transposed(b);
  b = expand(b, sizes_of(batch, {b.size(-2), b.size(-1)}), at);
  const Tensor x =
      record(kLinalgSolveDerivative, op, compute_linalg_solve(op, a, b), NoParameters{}, a, b);
  if (!left) return transposed(x);
  return vector ? squeeze(x, -1, at) : x;
}

}  // namespace notape
