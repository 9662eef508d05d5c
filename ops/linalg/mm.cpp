// mm(A, B) = A B, c_ij = sum over p of a_ip b_pj;  dA = G B^T,  dB = A^T G
#include "ops/linalg/product.h"

#include "autograd/graph/record.h"
#include "ops/core/allocate.h"
#include "ops/core/autocast.h"
#include "ops/core/promotion.h"
#include "ops/linalg.h"
#include "ops/linalg/gemm.h"
#include "ops/linalg/plain_product.h"
#include "ops/shape.h"

namespace notape {
namespace {

constexpr auto kMmDerivative =
    derivative(
        "MmBackward0",
        rule(
            [](const Tensor& grad, const Input<1>& b, const Transposed& t) {
              return t.first ? mm(b, grad, {t.second, true}) : mm(grad, b, {false, !t.second});
            },
            [](const Tensor& tangent, const Input<1>& b, const Transposed& t) {
              return mm(tangent, b, t);
            }),
        rule(
            [](const Tensor& grad, const Input<0>& a, const Transposed& t) {
              return t.second ? mm(grad, a, {true, t.first}) : mm(a, grad, {!t.first, false});
            },
            [](const Tensor& tangent, const Input<0>& a, const Transposed& t) {
              return mm(a, tangent, t);
            }))
        .with_arguments<"self", "mat2">();

/// With one matrix for all samples on the right, their rows make one product.
Tensor multiply_mm_samples(const Tensor& a, const Tensor& b, const Transposed& t) {
  if (is_batched(b) || t.first)
    return over_batch(
        [&](int64_t, const Tensor& all_a, const Tensor& all_b) { return bmm(all_a, all_b, t); }, a,
        b);
  return over_batch(
      [&](int64_t size, const Tensor& all) {
        const Tensor rows = mm(reshape(all, {size * a.size(0), a.size(1)}), b, t);
        return reshape(rows, {size, a.size(0), rows.size(1)});
      },
      a);
}

OpCase draw_mm(Draw& draw) {
  const int64_t n = draw.integer(0, 5), k = draw.integer(0, 5), m = draw.integer(0, 5);
  OpCase one;
  one.label = format_message("{}x{} by {}x{}", {n, k, k, m});
  one.arguments = {{.sizes = {n, k}}, {.sizes = {k, m}}};
  one.call = [](const variable_list& x) { return mm(x[0], x[1]); };
  one.reference = []<typename T>(const PlainList<T>& x) { return plain_product(x[0], x[1]); };
  return one;
}

const RegisterOp mm_row(
    {.name = "mm", .family = "linalg", .draw = draw_mm, .traits = Trait::Multiplies});

}  // namespace

Tensor mm(const Tensor& a, const Tensor& b, Transposed transposed, At at) {
  if (in_autocast(a)) [[unlikely]]
    return autocast_to_low(
        at, [&](auto... x) { return mm(x..., transposed, at); }, a, b);
  const Operation op("mm", at);
  check_operands(op, {&a, &b});
  if (a.dim() != 2)
    op.fail<ShapeError>("self must be a matrix, but has shape {}", to_string(a.sizes()));
  if (b.dim() != 2)
    op.fail<ShapeError>("mat2 must be a matrix, but has shape {}", to_string(b.sizes()));
  const Matrix left = matrix_of(a).transposed_if(transposed.first);
  const Matrix right = matrix_of(b).transposed_if(transposed.second);
  if (left.columns != right.rows)
    op.fail<ShapeError>("mat1 and mat2 shapes cannot be multiplied ({}x{} and {}x{})", left.rows,
                        left.columns, right.rows, right.columns);
  check_same_type(op, a, b);
  if (any_batched(a, b)) [[unlikely]]
    return record(kMmDerivative, op, multiply_mm_samples(a, b, transposed), transposed, a, b);
  Tensor result = allocate({left.rows, right.columns}, a.dtype(), a.device());
  gemm(op, {.result = matrix_of(result),
            .a = left,
            .b = right,
            .dtype = a.dtype(),
            .device = a.device()});
  return record(kMmDerivative, op, std::move(result), transposed, a, b);
}

Tensor mm(const Tensor& self, const Tensor& mat2, At at) { return mm(self, mat2, {}, at); }

Tensor LinalgMembers::mm(const Tensor& mat2, At at) const { return notape::mm(self(), mat2, at); }

}  // namespace notape
