// index_add(x, dim, index, source): out[.., index[i], ..] = x[.., index[i], ..] + source[.., i,
// ..], repeated indices adding up;  d/dx = 1,  d/dsource = the gradient's slices at index.
#include "autograd/graph/record.h"
#include "autograd/tensor/factories.h"
#include "ops/arithmetic.h"
#include "ops/core/allocate.h"
#include "ops/core/composite.h"
#include "ops/core/one_device.h"
#include "ops/core/wrap_dim.h"
#include "ops/index.h"
#include "ops/index/gather.h"
#include "ops/index/places.h"
#include "ops/shape.h"
#include "ops/shape/plain_pick.h"

namespace notape {
namespace {

struct IndexAddAlong {
  int64_t dim;
};

constexpr auto kIndexAddDerivative = derivative(
    "IndexAddBackward0", elementwise([](const Tensor& grad) { return grad; }), not_differentiable,
    movement([](const Tensor& grad, const Input<1>& index,
                const IndexAddAlong& p) { return index_select(grad, p.dim, index); },
             [](const Tensor& tangent, const Input<1>& index, const IndexAddAlong& p,
                const Meta<0>& self) {
               return index_add(zeros(self.sizes(), tangent.options()), p.dim, index, tangent);
             }));

/// The index, checked.
Tensor check_index_add_source(const Operation& op, const Tensor& self, GivenDim dim,
                              const Tensor& index, const Tensor& source) {
  if (index.dim() > 1)
    op.fail<IndexError>("Index is supposed to be a vector, but has {} dimensions", index.dim());
  if (self.dtype() != source.dtype())
    op.fail<DtypeError>("self ({}) and source ({}) must have the same scalar type",
                        name_of(self.dtype()), name_of(source.dtype()));
  bool fits = self.dim() == source.dim();
  for (int64_t d = 0; fits && d < self.dim(); ++d)
    fits = d == dim.place || self.size(d) == source.size(d);
  if (!fits)
    op.fail<ShapeError>(
        "source tensor shape must match self tensor shape, excluding the specified dimension {}. "
        "Got self.shape = {} source.shape = {}",
        dim.given, to_string(self.sizes()), to_string(source.sizes()));
  const int64_t slices = source.dim() == 0 ? 1 : source.size(dim.place);
  if (index.numel() != slices)
    op.fail<ShapeError>(
        "Number of indices ({}) should be equal to source.size(dim): ({}), for "
        "dim: {}",
        index.numel(), slices, dim.given);
  return checked_range(op, index, self.dim() == 0 ? 1 : self.size(dim.place), dim.given);
}

OpCase draw_index_add(Draw& draw) {
  auto [sizes, dim, place] = draw_along(draw, 1, 4);
  sizes[place] = std::max<int64_t>(sizes[place], 1);
  std::vector<int64_t> source_sizes = sizes;
  const int64_t count = source_sizes[place] = draw.integer(0, 5);
  OpCase one;
  one.label = format_message("dim={}, {} indices", {dim, count});
  one.arguments = {
      {.sizes = sizes}, Argument::index({count}, sizes[place]), {.sizes = source_sizes}};
  const int64_t alpha = draw.integer(1, 2);
  one.call = [=](const variable_list& x) {
    return alpha == 1 ? index_add(x[0], dim, x[1], x[2]) : index_add(x[0], dim, x[1], x[2], alpha);
  };
  one.call_in_place = [=](variable_list& x) { index_add_(x[0], dim, x[1], x[2], alpha); };
  one.reference = [=]<typename T>(const PlainList<T>& x) {
    PlainTensor<T> result = x[0];
    for_each_index(source_sizes, [&](IndexTuple i) {
      const T value = x[2].values[flat_index(source_sizes, i)];
      i[place] = static_cast<int64_t>(x[1].values[static_cast<std::size_t>(i[place])]);
      result.values[flat_index(sizes, i)] += value * T(alpha);
    });
    return result;
  };
  return one;
}

const RegisterOp index_add_row(op_row("index_add", "index", draw_index_add,
                                      Trait::Locates | Trait::Accumulates));

}  // namespace

Tensor index_add(const Tensor& self, Integer dim, const Tensor& given, const Tensor& source,
                 At at) {
  const Operation op("index_add", at);
  check_on_one_device(op, {&self, &given, &source});
  const int64_t place = wrap_dim(op, dim, self.dim());
  const Tensor index =
      check_index_add_source(op, self, {place, dim}, checked_index(op, given), source);
  if (self.dim() == 0) {
    const Composite composite({&self, &source});
    return reshape(index_add(reshape(self, {1}, at), 0, index, reshape(source, {1}, at), at), {},
                   at);
  }
  const Tensor vector = index.dim() == 1 ? index : reshape(index, {1}, at);
  if (is_batched(index))
    return scatter_add(self, place, gather_index(vector, self.sizes(), place), source, at);
  const Geometry& layout = self.impl().geometry();
  const Tensor result = allocate_for(
      {&self, &source}, layout.is_dense() ? layout.at_offset(0) : Geometry(layout.sizes()),
      self.dtype());
  raw_copy(result, self);
  raw_add_at(op, result, vector, {.sizes = self.sizes(), .dims = {place}, .insert_at = place},
             source);
  return record(kIndexAddDerivative, op, result, IndexAddAlong{place}, self, vector, source);
}

namespace {

/// alpha source in source's dtype: a bool one stays bool.
Tensor index_add_scaled(const Tensor& source, Scalar alpha, At at) {
  return alpha.equals(1) ? source : to(mul(source, alpha, at), source.dtype(), at);
}

}  // namespace

Tensor index_add(const Tensor& self, Integer dim, const Tensor& index, const Tensor& source,
                 Scalar alpha, At at) {
  const Operation op("index_add", at);
  check_on_one_device(op, {&self, &index, &source});
  check_alpha(op, source.dtype(), alpha);
  check_factor_fits(op, alpha, source.dtype());
  const Composite composite({&self, &source});
  return index_add(self, dim, index, index_add_scaled(source, alpha, at), at);
}

Tensor& index_add_(Tensor& self, Integer dim, const Tensor& given, const Tensor& source,
                   Scalar alpha, At at) {
  const Operation op("index_add_", at);
  check_on_one_device(op, {&self, &given, &source});
  const int64_t place = wrap_dim(op, dim, self.dim());
  const Tensor index =
      check_index_add_source(op, self, {place, dim}, checked_index(op, given), source);
  check_alpha(op, source.dtype(), alpha);
  check_factor_fits(op, alpha, source.dtype());
  const Tensor added = index_add_scaled(source, alpha, at);
  const Tensor sums = [&] {
    const NoGradGuard no_grad;
    return index_add(self.detach(), place, index, added.detach(), at);
  }();
  const Tensor vector = index.dim() == 1 ? index : reshape(index, {1}, at);
  write_in_place(
      kIndexAddDerivative, op, self, [&] { raw_copy(self, sums); }, IndexAddAlong{place}, self,
      vector, added);
  return self;
}

Tensor IndexMembers::index_add(Integer dim, const Tensor& index, const Tensor& source, Scalar alpha,
                               At at) const {
  return notape::index_add(self(), dim, index, source, alpha, at);
}
Tensor& IndexMembers::index_add_(Integer dim, const Tensor& index, const Tensor& source,
                                 Scalar alpha, At at) const {
  return notape::index_add_(self(), dim, index, source, alpha, at);
}

}  // namespace notape
