// sum(x, dims): the sum over some dimensions; its derivative spreads the gradient over them.
#include "ops/reduce.h"
#include "ops/reduce/reduction.h"
#include "ops/reduce/reduction_spec.h"
#include "ops/shape.h"
#include "ops/shape/view_op.h"

namespace notape {
namespace {

struct SumOver {
  Sizes dim;
  bool keepdim;
};

constexpr auto kSum = derivative(
    "SumBackward1",
    movement(
        [](const Tensor& grad, const Meta<0>& self, const SumOver& p) {
          return spread(grad, self.sizes(), p.dim, p.keepdim);
        },
        [](const Tensor& tangent, const SumOver& p) { return sum(tangent, p.dim, p.keepdim); }));
constexpr auto kSumTo = derivative(
    "SumToSizeBackward0",
    movement([](const Tensor& grad, const Meta<0>& self) { return expand(grad, self.sizes()); },
             [](const Tensor& tangent, const Sizes& size) { return sum_to_size(tangent, size); }));

constexpr auto sum_of = []<typename T>(const std::vector<T>& group) {
  T sum = 0;
  for (T value : group) sum += value;
  return sum;
};

OpCase draw_sum(Draw& draw) {
  return reduction_case(
      draw, {.call = [](const Tensor& x,
                        const DrawnReduction& how) { return sum(x, how.dim, how.keepdim); },
             .of_group = sum_of,
             .over = ReductionCase::Over::AllOrSeveralDims});
}

OpCase draw_to_size_case(Draw& draw) {
  const std::vector<int64_t> full = draw.shape(0, 4), size = draw.broadcast_of(full);
  OpCase one;
  one.label = to_string(size);
  one.arguments = {{.sizes = full}};
  one.call = [=](const variable_list& x) { return sum_to_size(x[0], size); };
  one.reference = [=]<typename T>(const PlainList<T>& x) {
    PlainTensor<T> result(size);
    for (int64_t i = 0; i < x[0].numel(); ++i)
      result.values[static_cast<std::size_t>(plain_position(result, full, i))] +=
          x[0].values[static_cast<std::size_t>(i)];
    return result;
  };
  return one;
}

const RegisterOp sum_all_row(op_row("sum", "reduce", draw_sum, Trait::Reduces));
const RegisterOp to_size_row(op_row("sum_to_size", "reduce", draw_to_size_case, Trait::Reduces));

}  // namespace

Tensor sum(const Tensor& self, At at) { return sum(self, IntArrayRef(), false, at); }

Tensor sum(const Tensor& self, IntArrayRef dim, bool keepdim, At at) {
  const Operation op("sum", at);
  check_operands(op, {&self});
  const ReducedDims dims = reduced_dims(op, self, dim, keepdim);
  return record(kSum, op, raw_sum(op, self, dims), SumOver{dim, keepdim}, self);
}

Tensor sum_to_size(const Tensor& self, IntArrayRef size, At at) {
  const Operation op("sum_to_size", at);
  check_operands(op, {&self});
  if (!is_expandable_to(size, self.sizes()))
    op.fail<ShapeError>("size {} is not expandable to size {}", to_string(size),
                        to_string(self.sizes()));
  if (self.sizes() == size) return self;
  const std::size_t leading = self.sizes().size() - size.size();
  DimVector dim;
  for (std::size_t d = 0; d < self.sizes().size(); ++d)
    if (d < leading || (size[d - leading] == 1 && self.sizes()[d] != 1))
      dim.push_back(static_cast<int64_t>(d));
  const ReducedDims dims = reduced_dims(op, self, dim, false);
  const Tensor result = raw_sum(op, self, dims);
  return record(kSumTo, op, raw_alias(result, Geometry(size)), Sizes(size), self);
}

Tensor ReduceMembers::sum(At at) const { return notape::sum(self(), at); }
Tensor ReduceMembers::sum(IntArrayRef dim, bool keepdim, At at) const {
  return notape::sum(self(), dim, keepdim, at);
}
Tensor ReduceMembers::sum_to_size(IntArrayRef size, At at) const {
  return notape::sum_to_size(self(), size, at);
}

}  // namespace notape
