// linalg_det(A) = the product of the diagonal of U in P A = L U, with the sign of P;  dA = g C, the
// cofactors of A.
#include "autograd/graph/record.h"
#include "ops/arithmetic.h"
#include "ops/linalg/decompositions.h"
#include "ops/linalg/determinant.h"
#include "ops/linalg/matrices.h"
#include "ops/linalg/plain_matrices.h"

namespace notape {
namespace {

constexpr auto kLinalgDetDerivative = derivative(
    "LinalgDetBackward0",
    rule([](const Tensor& grad,
            const Input<0>& a) { return unsqueeze(unsqueeze(grad, -1), -1) * cofactors(a); },
         [](const Tensor& tangent, const Input<0>& a) {
           return sum(tangent * cofactors(a), {-2, -1});
         }));

Tensor compute_linalg_det(const Operation& op, const Tensor& self) {
  if (is_batched(self))
    return over_batch([&](int64_t, const Tensor& all) { return compute_linalg_det(op, all); },
                      self);
  const LuDiagonal lu = lu_diagonal(op, self);
  return lu.sign * prod(lu.diagonal, -1);
}

OpCase draw_determinant(Draw& draw) {
  const std::vector<int64_t> batch = draw.shape(0, 2, 0, 2);
  const int64_t n = draw.integer(0, 4);
  const bool singular = n > 0 && draw.integer(0, 3) == 0;
  OpCase one;
  one.label = singular ? "a row of zeros" : "any";
  one.arguments = {{.sizes = sizes_of(batch, {n, n}), .domain = kUnitDomain}};
  if (singular) {
    // Whatever its first row is.
    one.arguments.push_back({.sizes = sizes_of(batch, {n, n}), .domain = kUnitDomain});
    one.arguments[0].fixed = std::vector<double>(
        static_cast<std::size_t>(Geometry(IntArrayRef(one.arguments[0].sizes)).numel()), 0.0);
  }
  one.call = [=](const variable_list& x) {
    if (!singular) return linalg_det(x[0]);
    const Tensor first = narrow(x[0], -2, 0, 1), others = narrow(x[1], -2, 1, n - 1);
    return linalg_det(cat({first, others}, -2));
  };
  one.reference = [=]<typename T>(const PlainList<T>& x) {
    PlainTensor<T> matrices = x[0];
    if (singular)
      for (int64_t i = 0; i < matrices.numel(); ++i)
        if (i / n % n > 0)
          matrices.values[static_cast<std::size_t>(i)] = x[1].values[static_cast<std::size_t>(i)];
    return plain_of_matrices(matrices, batch, [](const PlainMatrix<T>& a) {
      PlainMatrix<T> result(1, 1);
      result(0, 0) = plain_determinant(a);
      return result;
    });
  };
  return one;
}

const RegisterOp linalg_det_row({.name = "linalg_det",
                                 .family = "linalg",
                                 .draw = draw_determinant,
                                 .traits = Trait::Accumulates});

}  // namespace

LuDiagonal lu_diagonal(const Operation& op, const Tensor& self) {
  const Tensor lu = copy_columns(self);
  const Tensor signs = allocate(IntArrayRef({lu.size(0)}), self.dtype(), self.device());
  lu_kernel(op, self.dtype(), self.device(), lu, signs);
  const IntArrayRef batch = batch_sizes(self);
  return {reshape(diagonal(lu, 0, 1, 2), sizes_of(batch, {self.size(-1)})), reshape(signs, batch)};
}

Tensor linalg_det(const Tensor& self, At at) {
  const Operation op("linalg_det", at);
  check_square(op, self);
  return record(kLinalgDetDerivative, op, compute_linalg_det(op, self), NoParameters{}, self);
}

Tensor det(const Tensor& self, At at) { return linalg_det(self, at); }
Tensor LinalgMembers::det(At at) const { return linalg_det(self(), at); }

}  // namespace notape
