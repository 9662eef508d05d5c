// inner(a, b)_ij = sum over k of a_ik b_jk. Made of tensordot, which carries the derivative.
#include "ops/arithmetic.h"
#include "ops/core/composite.h"
#include "ops/core/promotion.h"
#include "ops/linalg.h"
#include "ops/spec/plain.h"

namespace notape {
namespace {

using InnerShape = std::vector<int64_t>;

OpCase draw_inner(Draw& draw) {
  InnerShape a = draw.shape(0, 2, 0, 3), b = draw.shape(0, 2, 0, 3);
  const int64_t k = draw.integer(0, 3);
  const bool multiplies = draw.integer(0, 3) == 0;
  if (multiplies)
    (draw.boolean() ? a : b).clear();
  else
    for (InnerShape* each : {&a, &b}) each->push_back(k);
  OpCase one;
  one.label = to_string(a) + " with " + to_string(b);
  one.arguments = {{.sizes = a}, {.sizes = b}};
  one.call = [](const variable_list& x) { return inner(x[0], x[1]); };
  one.reference = [=]<typename T>(const PlainList<T>& x) {
    if (multiplies) return plain_map([](const T& p, const T& q) { return p * q; }, x[0], x[1]);
    InnerShape sizes(a.begin(), a.end() - 1);
    sizes.insert(sizes.end(), b.begin(), b.end() - 1);
    PlainTensor<T> result(sizes);
    int64_t rows = 1;  // of b
    for (std::size_t d = 0; d + 1 < b.size(); ++d) rows *= b[d];
    for (int64_t i = 0; i < result.numel(); ++i)
      for (int64_t p = 0; p < k; ++p)
        result.values[static_cast<std::size_t>(i)] +=
            x[0].values[static_cast<std::size_t>(i / rows * k + p)] *
            x[1].values[static_cast<std::size_t>(i % rows * k + p)];
    return result;
  };
  return one;
}

const RegisterOp inner_row(
    {.name = "inner", .family = "linalg", .draw = draw_inner, .traits = Trait::Accumulates});

}  // namespace

Tensor inner(const Tensor& self, const Tensor& other, At at) {
  const Operation op("inner", at);
  check_operands(op, {&self, &other});
  if (self.dim() == 0 || other.dim() == 0) return mul(self, other, at);
  if (self.size(-1) != other.size(-1))
    op.fail<ShapeError>(
        "the last dimension must match on both input tensors but got shapes {} and {}",
        to_string(self.sizes()), to_string(other.sizes()));
  check_same_type(op, self, other);
  const Composite composite({&self, &other});
  return tensordot(self, other, {-1}, {-1}, at);
}

Tensor LinalgMembers::inner(const Tensor& other, At at) const {
  return notape::inner(self(), other, at);
}

}  // namespace notape
