// x.index_put_({...}, v): x[...] = v, one write to x. The overwritten elements' gradient is zero,
// that of v is read where it was written; of repeated indices the last write counts.
#include "autograd/graph/record.h"
#include "autograd/modes/grad_mode.h"
#include "autograd/tensor/factories.h"
#include "ops/core/allocate.h"
#include "ops/core/composite.h"
#include "ops/core/promotion.h"
#include "ops/index.h"
#include "ops/index/expression.h"
#include "ops/index/index_spec.h"
#include "ops/shape.h"

namespace notape {
namespace {

// The overwritten value gets no gradient at all: undefined stands for zero.
constexpr auto overwritten = [](const Tensor&) { return Tensor(); };
constexpr auto kPutPart = derivative("IndexPutBackward0", elementwise(overwritten),
                                     elementwise([](const Tensor& grad) { return grad; }));
constexpr auto kPutAt = derivative(
    "IndexPutBackward0",
    selection([](const Tensor& grad, const Input<1>& positions, const Places& places) {
      return put_at(grad, positions, places, zeros({}, grad.options()));
    }),
    not_differentiable,
    selection([](const Tensor& grad, const Input<1>& positions,
                 const Places& places) { return take_winners(grad, positions, places); },
              [](const Tensor& tangent, const Input<1>& positions, const Places& places) {
                return put_at(zeros(places.sizes, tangent.options()), positions, places, tangent);
              }));

OpCase draw_index_put_(Draw& draw) {
  const DrawnIndex drawn = draw_index_list(draw);
  OpCase one;
  one.label = drawn.label;
  one.arguments = drawn.arguments;
  one.arguments.push_back({.sizes = draw.boolean() ? std::vector<int64_t>{} : drawn.value_sizes});
  one.call_in_place = [=](variable_list& x) { index_put_(x[0], drawn.indices(x), x.back()); };
  one.call = [=](const variable_list& x) {
    Tensor copy = x[0].clone();
    return index_put_(copy, drawn.indices(x), x.back());
  };
  one.reference = [=]<typename T>(const PlainList<T>& x) {
    const PlainPlaces plain = drawn.plain(x);
    PlainTensor<T> result = x[0];
    int64_t flat = 0;
    for_each_index(plain.sizes, [&](const IndexTuple& i) {
      result.values[flat_index(x[0].sizes, plain.map(i))] =
          x.back().values[static_cast<std::size_t>(plain_position(x.back(), plain.sizes, flat++))];
    });
    return result;
  };
  return one;
}

const RegisterOp index_put__row(op_row("index_put", "index", draw_index_put_,
                                       Trait::Locates | Trait::Overwrites));

}  // namespace

Tensor& index_put_(Tensor& self, const std::vector<indexing::TensorIndex>& indices,
                   const Tensor& values, At at) {
  const Operation op("index_put_", at);
  check_operands(op, {&self, &values});
  const IndexExpression where(op, self, indices);
  Tensor value = [&] {
    const Composite composite({&self, &values});
    return fit_values(op, values, where.result_sizes());
  }();
  // To the paper's rule this is one operation on self: the part written to is no second sharer.
  AliasPolicy policy = thread_state.alias_policy;
  if (policy == AliasPolicy::Paper2017) {
    // Of the rest of check_write the part is asked below: self may overlap itself where it does
    // not.
    if (GradMode::is_enabled() && self.impl().storage()->tensors() > 1)
      check_write(op, self, {&self});
    policy = AliasPolicy::Default;
  }
  const AliasPolicyGuard counted(policy);
  const Tensor target =
      where.is_whole ? self : view_part("BasicIndexBackward0", op, self, where.part);
  if (!where.has_positions()) {
    if (value.is_same(self)) return self;
    write_in_place(
        kPutPart, op, target, [&] { raw_copy(target, value); }, NoParameters{}, target, value);
    return self;
  }
  if (value.is_alias_of(self)) value = clone(value, at);  // read before anything is written
  write_in_place(
      kPutAt, op, target, [&] { raw_put_at(op, target, where.positions, where.places, value); },
      where.places, target, where.positions, value);
  return self;
}

Tensor& index_put_(Tensor& self, const std::vector<indexing::TensorIndex>& indices, Scalar value,
                   At at) {
  const Operation op("index_put_", at);
  check_operands(op, {&self});
  if (!value.fits(self.dtype()))  // asked here, before there is a tensor of the value
    op.fail<ValueError>("value cannot be converted to type {} without overflow",
                        c_name_of(self.dtype()));
  return index_put_(self, indices, scalar_tensor(value, self.dtype()), at);
}

Tensor& IndexMembers::index_put_(const std::vector<indexing::TensorIndex>& indices,
                                 const Tensor& values, At at) const {
  return notape::index_put_(self(), indices, values, at);
}
Tensor& IndexMembers::index_put_(const std::vector<indexing::TensorIndex>& indices,
                                 const Tensor& values, bool accumulate, At at) const {
  return notape::index_put_(self(), indices, values, accumulate, at);
}
Tensor& IndexMembers::index_put_(const std::vector<indexing::TensorIndex>& indices, Scalar value,
                                 At at) const {
  return notape::index_put_(self(), indices, value, at);
}

}  // namespace notape
