// linalg_inv(A) = A^-1;  dA = -A^-T G A^-T
#include "autograd/graph/record.h"
#include "autograd/tensor/factories.h"
#include "ops/arithmetic.h"
#include "ops/linalg/decompositions.h"
#include "ops/linalg/inverse.h"
#include "ops/linalg/matrices.h"
#include "ops/linalg/plain_matrices.h"

namespace notape {
namespace {

constexpr auto kLinalgInvDerivative = derivative(
    "LinalgInvBackward0",
    rule(
        [](const Tensor& grad, const Output& y) {
          const Tensor t = transposed(y);
          return -matmul(t, matmul(grad, t));
        },
        [](const Tensor& tangent, const Output& y) { return -matmul(y, matmul(tangent, y)); }));

Tensor compute_linalg_inv(const Operation& op, const Tensor& self, Singular singular) {
  if (is_batched(self))
    return over_batch(
        [&](int64_t, const Tensor& all) { return compute_linalg_inv(op, all, singular); }, self);
  const Tensor lu = copy_columns(self);
  const Tensor result = allocate_columns(lu.size(0), lu.size(1), lu.size(1), self);
  raw_copy(result, eye(lu.size(1), TensorOptions(self.dtype()).device(self.device())));
  const Tensor infos = infos_for(lu);
  solve_kernel(op, self.dtype(), self.device(), lu, result, infos);
  if (singular == Singular::Refused)
    check_infos(op, self, infos, 0, 0,
                "The diagonal element {} is zero, the inversion could not be completed because "
                "the input matrix is singular.");
  return unflattened(result, batch_sizes(self));
}

OpCase draw_inverse(Draw& draw) {
  std::vector<int64_t> sizes = draw.shape(0, 2, 0, 2);
  const int64_t n = draw.integer(0, 4);
  sizes.insert(sizes.end(), {n, n});
  const bool turned = draw.boolean();
  OpCase one;
  one.label = turned ? "rows exchanged" : "dominant diagonal";
  one.arguments = {{.sizes = sizes, .domain = kUnitDomain}};
  one.call = [=](const variable_list& x) { return linalg_inv(dominant(x[0], turned)); };
  one.reference = [=]<typename T>(const PlainList<T>& x) {
    return plain_of_matrices(x[0], sizes, [&](const PlainMatrix<T>& a) {
      return plain_inverse(plain_dominant(a, turned));
    });
  };
  return one;
}

const RegisterOp linalg_inv_row(
    {.name = "linalg_inv", .family = "linalg", .draw = draw_inverse, .traits = Trait::Accumulates});

}  // namespace

Tensor inverse(const Tensor& self, Singular singular, At at) {
  const Operation op("linalg_inv", at);
  check_square(op, self);
  return record(kLinalgInvDerivative, op, compute_linalg_inv(op, self, singular), NoParameters{},
                self);
}

Tensor linalg_inv(const Tensor& self, At at) { return inverse(self, Singular::Refused, at); }
Tensor inverse(const Tensor& self, At at) { return linalg_inv(self, at); }
Tensor LinalgMembers::inverse(At at) const { return linalg_inv(self(), at); }

}  // namespace notape
