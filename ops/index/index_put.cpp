// index_put(x, {...}, v): a copy of x with x[...] = v, or += v. The index expression says which
// elements it leads to by picking them from their numbers.
#include "autograd/tensor/factories.h"
#include "ops/arithmetic.h"
#include "ops/core/autocast.h"
#include "ops/core/batching.h"
#include "ops/core/composite.h"
#include "ops/core/promotion.h"
#include "ops/index.h"
#include "ops/index/expression.h"
#include "ops/index/index_spec.h"
#include "ops/shape.h"
#include "ops/shape/view_op.h"

namespace notape {
namespace {

/// Which elements of a row-major tensor of `sizes` an expression selects.
Tensor numbers_at(const Operation& op, const Tensor& self,
                  const std::vector<indexing::TensorIndex>& indices) {
  const TensorOptions options = TensorOptions(kInt64).device(self.device());
  const Tensor numbers = reshape(arange(self.numel(), options), self.sizes());
  const IndexExpression where(op, numbers, indices);
  const Tensor part =
      where.is_whole ? numbers : view_part("BasicIndexBackward0", op, numbers, where.part);
  return where.has_positions() ? take_at("IndexBackward0", op, part, where.positions, where.places)
                               : part;
}

void check_values(const Operation& op, const Tensor& self, const Tensor& values) {
  check_operands(op, {&self, &values});
  if (self.dtype() != values.dtype())
    op.fail<DtypeError>(
        "Index put requires the source and destination dtypes match, got {} for the destination "
        "and {} for the source.",
        type_name_of(self.dtype()), type_name_of(values.dtype()));
}

/// The expression, if tensors alone are in it: then their positions count through self, and no
/// numbers are needed.
std::optional<IndexExpression> positions_in(const Operation& op, const Tensor& self,
                                            const std::vector<indexing::TensorIndex>& indices) {
  IndexExpression where(op, self, indices);
  if (where.is_whole && where.has_positions()) return where;
  return {};
}

/// Zeros of self's shape with the values added in where the expression leads.
Tensor spread(const Operation& op, const Tensor& self,
              const std::vector<indexing::TensorIndex>& indices, const Tensor& values) {
  if (const auto where = positions_in(op, self, indices)) {
    const DimVector sizes = where->result_sizes();
    return add_at(expand(fit_values(op, values, sizes), sizes, op.at), where->positions,
                  where->places, op.at);
  }
  const Tensor numbers = numbers_at(op, self, indices);
  const Tensor value = expand(fit_values(op, values, numbers.sizes()), numbers.sizes());
  const Tensor sums = scatter_add(zeros({self.numel()}, self.options()), 0,
                                  reshape(numbers, {numbers.numel()}, op.at),
                                  reshape(value, {numbers.numel()}, op.at), op.at);
  return reshape(sums, self.sizes(), op.at);
}

OpCase draw_index_put(Draw& draw) {
  const DrawnIndex drawn = draw_index_list(draw);
  const bool accumulate = draw.boolean();
  OpCase one;
  one.label = drawn.label + (accumulate ? "+=" : "=");
  one.arguments = drawn.arguments;
  one.arguments.push_back({.sizes = draw.boolean() ? std::vector<int64_t>{} : drawn.value_sizes});
  one.call = [=](const variable_list& x) {
    return index_put(x[0], drawn.indices(x), x.back(), accumulate);
  };
  // Without accumulating it is index_put_, which has a row of its own.
  if (accumulate)
    one.call_in_place = [=](variable_list& x) {
      index_put_(x[0], drawn.indices(x), x.back(), accumulate);
    };
  one.reference = [=]<typename T>(const PlainList<T>& x) {
    const PlainPlaces plain = drawn.plain(x);
    PlainTensor<T> result = x[0];
    int64_t flat = 0;
    for_each_index(plain.sizes, [&](const IndexTuple& i) {
      const T& value =
          x.back().values[static_cast<std::size_t>(plain_position(x.back(), plain.sizes, flat++))];
      T& target = result.values[flat_index(x[0].sizes, plain.map(i))];
      target = accumulate ? target + value : value;
    });
    return result;
  };
  return one;
}

const RegisterOp index_put_row(op_row("index_put_accumulate", "index", draw_index_put,
                                      Trait::Locates | Trait::Accumulates));

}  // namespace

Tensor index_put(const Tensor& self, const std::vector<indexing::TensorIndex>& indices,
                 const Tensor& values, bool accumulate, At at) {
  if (in_autocast(self)) [[unlikely]]
    return autocast_to_widest(
        at,
        [&](const Tensor& x, const Tensor& v) { return index_put(x, indices, v, accumulate, at); },
        self, values);
  const Operation op("index_put", at);
  check_values(op, self, values);
  const Composite composite({&self, &values});
  if (accumulate) return add(self, spread(op, self, indices, values), 1, at);
  if (const auto where = positions_in(op, self, indices))
    return put_at(self, where->positions, where->places,
                  fit_values(op, values, where->result_sizes()), at);
  const Tensor numbers = numbers_at(op, self, indices);
  const Places places{.sizes = {self.numel()}, .dims = {0}, .insert_at = 0};
  return reshape(put_at(reshape(self, {self.numel()}, at), numbers, places,
                        fit_values(op, values, numbers.sizes()), at),
                 self.sizes(), at);
}

Tensor& index_put_(Tensor& self, const std::vector<indexing::TensorIndex>& indices,
                   const Tensor& values, bool accumulate, At at) {
  if (!accumulate) return index_put_(self, indices, values, at);
  const Operation op("index_put_", at);
  check_values(op, self, values);
  return add_(self, spread(op, self, indices, values), 1, at);
}

Tensor IndexMembers::index_put(const std::vector<indexing::TensorIndex>& indices,
                               const Tensor& values, bool accumulate, At at) const {
  return notape::index_put(self(), indices, values, accumulate, at);
}

}  // namespace notape
