// bmm(A, B)_b = A_b B_b for each b;  dA_b = G_b B_b^T,  dB_b = A_b^T G_b
#include "autograd/graph/record.h"
#include "ops/core/allocate.h"
#include "ops/core/autocast.h"
#include "ops/core/promotion.h"
#include "ops/linalg.h"
#include "ops/linalg/gemm.h"
#include "ops/linalg/plain_product.h"
#include "ops/linalg/product.h"
#include "ops/shape.h"

namespace notape {
namespace {

constexpr auto kBmmDerivative =
    derivative(
        "BmmBackward0",
        rule(
            [](const Tensor& grad, const Input<1>& b, const Transposed& t) {
              return t.first ? bmm(b, grad, {t.second, true}) : bmm(grad, b, {false, !t.second});
            },
            [](const Tensor& tangent, const Input<1>& b, const Transposed& t) {
              return bmm(tangent, b, t);
            }),
        rule(
            [](const Tensor& grad, const Input<0>& a, const Transposed& t) {
              return t.second ? bmm(grad, a, {true, t.first}) : bmm(a, grad, {!t.first, false});
            },
            [](const Tensor& tangent, const Input<0>& a, const Transposed& t) {
              return bmm(a, tangent, t);
            }))
        .with_arguments<"self", "mat2">();

/// (samples, batch, ...) as one batch.
Tensor flattened(const Tensor& all) {
  return reshape(all, {all.size(0) * all.size(1), all.size(2), all.size(3)});
}

Tensor multiply_bmm_samples(const Tensor& a, const Tensor& b, const Transposed& t) {
  return over_batch(
      [&](int64_t size, const Tensor& all_a, const Tensor& all_b) {
        const Tensor result = bmm(flattened(all_a), flattened(all_b), t);
        return reshape(result, {size, a.size(0), result.size(1), result.size(2)});
      },
      a, b);
}

OpCase draw_bmm(Draw& draw) {
  const int64_t batch = draw.integer(0, 3);
  const int64_t n = draw.integer(0, 4), k = draw.integer(0, 4), m = draw.integer(0, 4);
  OpCase one;
  one.label = format_message("{} times {}x{} by {}x{}", {batch, n, k, k, m});
  one.arguments = {{.sizes = {batch, n, k}}, {.sizes = {batch, k, m}}};
  one.call = [](const variable_list& x) { return bmm(x[0], x[1]); };
  one.reference = []<typename T>(const PlainList<T>& x) { return plain_product(x[0], x[1]); };
  return one;
}

const RegisterOp bmm_row(
    {.name = "bmm", .family = "linalg", .draw = draw_bmm, .traits = Trait::Multiplies});

}  // namespace

Tensor bmm(const Tensor& a, const Tensor& b, Transposed transposed, At at) {
  if (in_autocast(a)) [[unlikely]]
    return autocast_to_low(
        at, [&](auto... x) { return bmm(x..., transposed, at); }, a, b);
  const Operation op("bmm", at);
  check_operands(op, {&a, &b});
  if (a.dim() != 3)
    op.fail<ShapeError>("batch1 must be a 3D tensor, but has shape {}", to_string(a.sizes()));
  if (b.dim() != 3)
    op.fail<ShapeError>("batch2 must be a 3D tensor, but has shape {}", to_string(b.sizes()));
  const Matrix left = matrix_of(a).transposed_if(transposed.first);
  const Matrix right = matrix_of(b).transposed_if(transposed.second);
  const int64_t batch = a.size(0);
  if (b.size(0) != batch || left.columns != right.rows)
    op.fail<ShapeError>(
        "Expected size for first two dimensions of batch2 tensor to be: {} but got: {}",
        to_string({batch, left.columns}), to_string({b.size(0), right.rows}));
  check_same_type(op, a, b);
  if (any_batched(a, b)) [[unlikely]]
    return record(kBmmDerivative, op, multiply_bmm_samples(a, b, transposed), transposed, a, b);
  Tensor result = allocate(IntArrayRef({batch, left.rows, right.columns}), a.dtype(), a.device());
  gemm(op, {.result = matrix_of(result),
            .a = left,
            .b = right,
            .batch = batch,
            .dtype = a.dtype(),
            .device = a.device()});
  return record(kBmmDerivative, op, std::move(result), transposed, a, b);
}

Tensor bmm(const Tensor& self, const Tensor& mat2, At at) { return bmm(self, mat2, {}, at); }

Tensor LinalgMembers::bmm(const Tensor& mat2, At at) const { return notape::bmm(self(), mat2, at); }

}  // namespace notape
