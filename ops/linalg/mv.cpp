// mv(A, v) = A v, and addmv(s, A, v) = beta s + alpha A v: mm and addmm of the vector as a column,
// which carry the derivatives.
#include "ops/core/autocast.h"
#include "ops/core/composite.h"
#include "ops/core/promotion.h"
#include "ops/linalg.h"
#include "ops/linalg/add_product.h"
#include "ops/linalg/plain_product.h"
#include "ops/shape.h"

namespace notape {
namespace {

template <typename T>
PlainTensor<T> plain_mv(const PlainTensor<T>& mat, PlainTensor<T> vec) {
  vec.sizes.push_back(1);
  PlainTensor<T> result = plain_product(mat, vec);
  result.sizes.pop_back();
  return result;
}

OpCase draw_mv(Draw& draw) {
  const int64_t n = draw.integer(0, 5), k = draw.integer(0, 5);
  OpCase one;
  one.label = format_message("{}x{}", {n, k});
  one.arguments = {{.sizes = {n, k}}, {.sizes = {k}}};
  one.call = [](const variable_list& x) { return mv(x[0], x[1]); };
  one.reference = []<typename T>(const PlainList<T>& x) { return plain_mv(x[0], x[1]); };
  return one;
}

OpCase draw_addmv(Draw& draw) {
  const int64_t n = draw.integer(0, 5), k = draw.integer(0, 5);
  const double beta = draw.real(-2, 2), alpha = draw.real(-2, 2);
  const bool in_place = draw.boolean();
  const std::vector<int64_t> sizes = {n};
  OpCase one;
  one.label = format_message("{}x{}, beta={}, alpha={}", {n, k, beta, alpha});
  one.arguments = {
      {.sizes = in_place ? sizes : draw.broadcast_of(sizes)}, {.sizes = {n, k}}, {.sizes = {k}}};
  one.call = [=](const variable_list& x) { return addmv(x[0], x[1], x[2], beta, alpha); };
  if (in_place)
    one.call_in_place = [=](variable_list& x) { addmv_(x[0], x[1], x[2], beta, alpha); };
  one.reference = [=]<typename T>(const PlainList<T>& x) {
    return plain_add_product(x[0], plain_mv(x[1], x[2]), beta, alpha);
  };
  return one;
}

const RegisterOp mv_row(
    {.name = "mv", .family = "linalg", .draw = draw_mv, .traits = Trait::Accumulates});
const RegisterOp addmv_row(
    {.name = "addmv", .family = "linalg", .draw = draw_addmv, .traits = Trait::Accumulates});

void check_mv(const Operation& op, const Tensor& mat, const Tensor& vec) {
  if (mat.dim() != 2 || vec.dim() != 1)
    op.fail<ShapeError>(
        "vector + matrix @ vector expected, got a matrix of size {}, a vector of "
        "size {}",
        to_string(mat.sizes()), to_string(vec.sizes()));
  if (mat.size(1) != vec.size(0))
    op.fail<ShapeError>("size mismatch, got mat ({}x{}), vec ({})", mat.size(0), mat.size(1),
                        vec.size(0));
}

void check_addmv(const Operation& op, const Tensor& self, const Tensor& mat, const Tensor& vec,
                 Scalar beta, Scalar alpha, bool in_place) {
  check_operands(op, {&self, &mat, &vec});
  check_mv(op, mat, vec);
  const int64_t n = mat.size(0);
  const bool fits = in_place ? self.sizes() == IntArrayRef(n) : is_expandable_to(self.sizes(), n);
  if (!fits)
    op.fail<ShapeError>("size mismatch, got input {}, mat ({}x{}), vec ({})",
                        to_string(self.sizes()), n, mat.size(1), vec.size(0));
  check_add_product(op, self, mat, vec, {beta, alpha});
}

Tensor as_column(const Tensor& vec, At at) { return unsqueeze(vec, -1, at); }

}  // namespace

Tensor mv(const Tensor& self, const Tensor& vec, At at) {
  if (in_autocast(self)) [[unlikely]]
    return autocast_to_low(
        at, [&](auto... x) { return mv(x..., at); }, self, vec);
  const Operation op("mv", at);
  check_operands(op, {&self, &vec});
  check_mv(op, self, vec);
  check_same_type(op, self, vec);
  const Composite composite({&self, &vec});
  return squeeze(mm(self, as_column(vec, at), at), 1, at);
}

Tensor addmv(const Tensor& self, const Tensor& mat, const Tensor& vec, Scalar beta, Scalar alpha,
             At at) {
  if (in_autocast(mat)) [[unlikely]]
    return autocast_to_low(
        at, [&](auto... x) { return addmv(x..., beta, alpha, at); }, self, mat, vec);
  const Operation op("addmv", at);
  check_addmv(op, self, mat, vec, beta, alpha, false);
  const Composite composite({&self, &mat, &vec});
  const Tensor before = self.dim() == 1 ? as_column(self, at) : self;
  return squeeze(addmm(before, mat, as_column(vec, at), beta, alpha, at), 1, at);
}

Tensor& addmv_(Tensor& self, const Tensor& mat, const Tensor& vec, Scalar beta, Scalar alpha,
               At at) {
  const Operation op("addmv_", at);
  check_addmv(op, self, mat, vec, beta, alpha, true);
  Tensor column = as_column(self, at);
  addmm_(column, mat, as_column(vec, at), beta, alpha, at);
  return self;
}

Tensor LinalgMembers::mv(const Tensor& vec, At at) const { return notape::mv(self(), vec, at); }
Tensor LinalgMembers::addmv(const Tensor& mat, const Tensor& vec, Scalar beta, Scalar alpha,
                            At at) const {
  return notape::addmv(self(), mat, vec, beta, alpha, at);
}
Tensor& LinalgMembers::addmv_(const Tensor& mat, const Tensor& vec, Scalar beta, Scalar alpha,
                              At at) const {
  return notape::addmv_(self(), mat, vec, beta, alpha, at);
}

}  // namespace notape
