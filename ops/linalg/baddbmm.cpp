// baddbmm(S, A, B)_b = beta S_b + alpha A_b B_b;  dS = beta G,  dA_b = alpha G_b B_b^T,
// dB_b = alpha A_b^T G_b
#include "autograd/graph/record.h"
#include "ops/core/allocate.h"
#include "ops/core/autocast.h"
#include "ops/core/promotion.h"
#include "ops/linalg.h"
#include "ops/linalg/add_product.h"
#include "ops/linalg/plain_product.h"
#include "ops/linalg/product.h"
#include "ops/shape.h"

namespace notape {
namespace {

using BaddbmmFactors = ProductFactors;

constexpr auto kBaddbmmDerivative =
    derivative("BaddbmmBackward0", elementwise([](const Tensor& grad, const BaddbmmFactors& f) {
                 return scaled(grad, f.beta);
               }),
               rule(
                   [](const Tensor& grad, const Input<2>& batch2, const BaddbmmFactors& f) {
                     return scaled(bmm(grad, batch2, {false, true}), f.alpha);
                   },
                   [](const Tensor& tangent, const Input<2>& batch2, const BaddbmmFactors& f) {
                     return scaled(bmm(tangent, batch2), f.alpha);
                   }),
               rule(
                   [](const Tensor& grad, const Input<1>& batch1, const BaddbmmFactors& f) {
                     return scaled(bmm(batch1, grad, {true, false}), f.alpha);
                   },
                   [](const Tensor& tangent, const Input<1>& batch1, const BaddbmmFactors& f) {
                     return scaled(bmm(batch1, tangent), f.alpha);
                   }))
        .with_arguments<"self", "batch1", "batch2">();

OpCase draw_baddbmm(Draw& draw) {
  const int64_t batch = draw.integer(0, 3);
  const int64_t n = draw.integer(0, 4), k = draw.integer(0, 4), m = draw.integer(0, 4);
  const double beta = draw.real(-2, 2), alpha = draw.real(-2, 2);
  const bool in_place = draw.boolean();
  OpCase one;
  one.label = format_message("{} times {}x{} by {}x{}, beta={}, alpha={}",
                             {batch, n, k, k, m, beta, alpha});
  const std::vector<int64_t> sizes = {batch, n, m};
  one.arguments = {{.sizes = in_place ? sizes : draw.broadcast_of(sizes)},
                   {.sizes = {batch, n, k}},
                   {.sizes = {batch, k, m}}};
  one.call = [=](const variable_list& x) { return baddbmm(x[0], x[1], x[2], beta, alpha); };
  if (in_place)
    one.call_in_place = [=](variable_list& x) { baddbmm_(x[0], x[1], x[2], beta, alpha); };
  one.reference = [=]<typename T>(const PlainList<T>& x) {
    return plain_add_product(x[0], plain_product(x[1], x[2]), beta, alpha);
  };
  return one;
}

const RegisterOp baddbmm_row(
    {.name = "baddbmm", .family = "linalg", .draw = draw_baddbmm, .traits = Trait::Accumulates});

/// The shape of the result.
std::vector<int64_t> check_baddbmm(const Operation& op, const Tensor& self, const Tensor& batch1,
                                   const Tensor& batch2, const BaddbmmFactors& factors) {
  check_operands(op, {&self, &batch1, &batch2});
  if (batch1.dim() != 3)
    op.fail<ShapeError>("batch1 must be a 3D tensor, but has shape {}", to_string(batch1.sizes()));
  if (batch2.dim() != 3)
    op.fail<ShapeError>("batch2 must be a 3D tensor, but has shape {}", to_string(batch2.sizes()));
  if (batch2.size(0) != batch1.size(0) || batch2.size(1) != batch1.size(2))
    op.fail<ShapeError>(
        "Expected size for first two dimensions of batch2 tensor to be: {} but got: {}",
        to_string({batch1.size(0), batch1.size(2)}), to_string({batch2.size(0), batch2.size(1)}));
  check_add_product(op, self, batch1, batch2, factors);
  return {batch1.size(0), batch1.size(1), batch2.size(2)};
}

Tensor compute_baddbmm(const Operation& op, const Tensor& self, const Tensor& batch1,
                       const Tensor& batch2, IntArrayRef sizes, const BaddbmmFactors& factors) {
  return compute_add_products(op, expand(raw_alias(self, self.impl().geometry()), sizes), batch1,
                              batch2, factors);
}

}  // namespace

Tensor baddbmm(const Tensor& self, const Tensor& batch1, const Tensor& batch2, Scalar beta,
               Scalar alpha, At at) {
  if (in_autocast(batch1)) [[unlikely]]
    return autocast_to_low(
        at, [&](auto... x) { return baddbmm(x..., beta, alpha, at); }, self, batch1, batch2);
  const Operation op("baddbmm", at);
  const BaddbmmFactors factors{beta, alpha};
  const std::vector<int64_t> sizes = check_baddbmm(op, self, batch1, batch2, factors);
  if (!is_expandable_to(self.sizes(), sizes))
    op.fail<ShapeError>("the shape of self, {}, cannot be expanded to that of the product, {}",
                        to_string(self.sizes()), to_string(sizes));
  return record(kBaddbmmDerivative, op, compute_baddbmm(op, self, batch1, batch2, sizes, factors),
                factors, self, batch1, batch2);
}

Tensor& baddbmm_(Tensor& self, const Tensor& batch1, const Tensor& batch2, Scalar beta,
                 Scalar alpha, At at) {
  const Operation op("baddbmm_", at);
  const BaddbmmFactors factors{beta, alpha};
  const std::vector<int64_t> sizes = check_baddbmm(op, self, batch1, batch2, factors);
  if (self.sizes() != IntArrayRef(sizes))
    op.fail<ShapeError>(
        "Bad in-place call: input tensor size {} and output tensor size {} should match",
        to_string(self.sizes()), to_string(sizes));
  write_in_place(
      kBaddbmmDerivative, op, self,
      [&] {
        if (self.is_alias_of(batch1) || self.is_alias_of(batch2) || is_batched(self))
          raw_copy(self, compute_baddbmm(op, self, batch1, batch2, sizes, factors));
        else
          add_product(op, self, batch1, batch2, factors);
      },
      factors, self, batch1, batch2);
  return self;
}

Tensor LinalgMembers::baddbmm(const Tensor& batch1, const Tensor& batch2, Scalar beta, Scalar alpha,
                              At at) const {
  return notape::baddbmm(self(), batch1, batch2, beta, alpha, at);
}
Tensor& LinalgMembers::baddbmm_(const Tensor& batch1, const Tensor& batch2, Scalar beta,
                                Scalar alpha, At at) const {
  return notape::baddbmm_(self(), batch1, batch2, beta, alpha, at);
}

}  // namespace notape
