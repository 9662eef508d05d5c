// addmm(S, A, B) = beta S + alpha A B;  dS = beta G,  dA = alpha G B^T,  dB = alpha A^T G
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

struct AddmmFactors : ProductFactors {
  /// mat2 is a transpose, such as linear's weight: its gradient, laid out like it, then reaches the
  /// weight row-major, and .grad takes it as it is.
  bool mat2_by_columns = false;
};

AddmmFactors factors_of(Scalar beta, Scalar alpha, const Tensor& mat2) {
  AddmmFactors factors{{beta, alpha}};
  factors.mat2_by_columns =
      mat2.defined() && mat2.dim() == 2 && mat2.stride(0) == 1 && mat2.stride(1) > 1;
  return factors;
}

constexpr auto kAddmmDerivative =
    derivative("AddmmBackward0", elementwise([](const Tensor& grad, const AddmmFactors& f) {
                 return scaled(grad, f.beta);
               }),
               rule(
                   [](const Tensor& grad, const Input<2>& mat2, const AddmmFactors& f) {
                     return scaled(mm(grad, mat2, {false, true}), f.alpha);
                   },
                   [](const Tensor& tangent, const Input<2>& mat2, const AddmmFactors& f) {
                     return scaled(mm(tangent, mat2), f.alpha);
                   }),
               rule(
                   [](const Tensor& grad, const Input<1>& mat1, const AddmmFactors& f) {
                     if (f.mat2_by_columns)
                       return scaled(t(mm(grad, mat1, {true, false})), f.alpha);
                     return scaled(mm(mat1, grad, {true, false}), f.alpha);
                   },
                   [](const Tensor& tangent, const Input<1>& mat1, const AddmmFactors& f) {
                     return scaled(mm(mat1, tangent), f.alpha);
                   }))
        .with_arguments<"self", "mat1", "mat2">();

OpCase draw_addmm(Draw& draw) {
  const int64_t n = draw.integer(0, 4), k = draw.integer(0, 4), m = draw.integer(0, 4);
  const double beta = draw.real(-2, 2), alpha = draw.real(-2, 2);
  const bool in_place = draw.boolean();
  OpCase one;
  one.label = format_message("{}x{} by {}x{}, beta={}, alpha={}", {n, k, k, m, beta, alpha});
  const std::vector<int64_t> sizes = {n, m};
  one.arguments = {
      {.sizes = in_place ? sizes : draw.broadcast_of(sizes)}, {.sizes = {n, k}}, {.sizes = {k, m}}};
  one.call = [=](const variable_list& x) { return addmm(x[0], x[1], x[2], beta, alpha); };
  if (in_place)
    one.call_in_place = [=](variable_list& x) { addmm_(x[0], x[1], x[2], beta, alpha); };
  one.reference = [=]<typename T>(const PlainList<T>& x) {
    return plain_add_product(x[0], plain_product(x[1], x[2]), beta, alpha);
  };
  return one;
}

const RegisterOp addmm_row(
    {.name = "addmm", .family = "linalg", .draw = draw_addmm, .traits = Trait::Accumulates});

void check_addmm(const Operation& op, const Tensor& self, const Tensor& mat1, const Tensor& mat2,
                 const AddmmFactors& factors) {
  check_operands(op, {&self, &mat1, &mat2});
  if (mat1.dim() != 2) op.fail<ShapeError>("mat1 must be a matrix, got {}-D tensor", mat1.dim());
  if (mat2.dim() != 2) op.fail<ShapeError>("mat2 must be a matrix, got {}-D tensor", mat2.dim());
  if (mat1.size(1) != mat2.size(0))
    op.fail<ShapeError>("mat1 and mat2 shapes cannot be multiplied ({}x{} and {}x{})", mat1.size(0),
                        mat1.size(1), mat2.size(0), mat2.size(1));
  check_add_product(op, self, mat1, mat2, factors);
}

Tensor compute_addmm(const Operation& op, const Tensor& self, const Tensor& mat1,
                     const Tensor& mat2, const AddmmFactors& factors) {
  if (any_batched(self, mat1, mat2))
    return over_batch([&](int64_t, const Tensor& s, const Tensor& a,
                          const Tensor& b) { return compute_add_products(op, s, a, b, factors); },
                      expand(raw_alias(self, self.impl().geometry()), {mat1.size(0), mat2.size(1)}),
                      mat1, mat2);
  Tensor result = allocate({mat1.size(0), mat2.size(1)}, self.dtype(), self.device());
  if (result.is_cuda())
    addmm_kernel(op, result.dtype(), result.device(), result, self, mat1, mat2, factors);
  else
    add_product_to_copy(op, result, self, mat1, mat2, factors);
  return result;
}

}  // namespace

Tensor addmm(const Tensor& self, const Tensor& mat1, const Tensor& mat2, Scalar beta, Scalar alpha,
             At at) {
  if (in_autocast(mat1)) [[unlikely]]
    return autocast_to_low(
        at, [&](auto... x) { return addmm(x..., beta, alpha, at); }, self, mat1, mat2);
  const Operation op("addmm", at);
  const AddmmFactors factors = factors_of(beta, alpha, mat2);
  check_addmm(op, self, mat1, mat2, factors);
  if (!is_expandable_to(self.sizes(), {mat1.size(0), mat2.size(1)}))
    op.fail<ShapeError>("the shape of self, {}, cannot be expanded to that of the product, {}",
                        to_string(self.sizes()), to_string({mat1.size(0), mat2.size(1)}));
  return record(kAddmmDerivative, op, compute_addmm(op, self, mat1, mat2, factors), factors, self,
                mat1, mat2);
}

Tensor& addmm_(Tensor& self, const Tensor& mat1, const Tensor& mat2, Scalar beta, Scalar alpha,
               At at) {
  const Operation op("addmm_", at);
  const AddmmFactors factors = factors_of(beta, alpha, mat2);
  check_addmm(op, self, mat1, mat2, factors);
  if (self.sizes() != IntArrayRef({mat1.size(0), mat2.size(1)}))
    op.fail<ShapeError>(
        "Bad in-place call: input tensor size {} and output tensor size {} should "
        "match",
        to_string(self.sizes()), to_string({mat1.size(0), mat2.size(1)}));
  write_in_place(
      kAddmmDerivative, op, self,
      [&] {
        if (self.is_alias_of(mat1) || self.is_alias_of(mat2) || is_batched(self))
          raw_copy(self, compute_addmm(op, self, mat1, mat2, factors));
        else
          add_product(op, self, mat1, mat2, factors);
      },
      factors, self, mat1, mat2);
  return self;
}

Tensor LinalgMembers::addmm(const Tensor& mat1, const Tensor& mat2, Scalar beta, Scalar alpha,
                            At at) const {
  return notape::addmm(self(), mat1, mat2, beta, alpha, at);
}
Tensor& LinalgMembers::addmm_(const Tensor& mat1, const Tensor& mat2, Scalar beta, Scalar alpha,
                              At at) const {
  return notape::addmm_(self(), mat1, mat2, beta, alpha, at);
}

}  // namespace notape
