// scatter(x, dim, index, src): a copy of x with y[index[i][j]][j] = src[i][j] for dim 0. What was
// overwritten has no gradient, and of several that were written to one place the last one has it.
#include "autograd/graph/record.h"
#include "autograd/tensor/factories.h"
#include "ops/comparison.h"
#include "ops/core/allocate.h"
#include "ops/core/one_device.h"
#include "ops/index.h"
#include "ops/index/gather.h"
#include "ops/selection.h"
#include "ops/shape.h"
#include "ops/shape/plain_pick.h"
#include "ops/shape/window.h"

namespace notape {
namespace {

struct ScatterAlong {
  int64_t dim;
};

/// Whether each entry of the index is the last that leads to its place.
Tensor is_last(IntArrayRef sizes, int64_t dim, const Tensor& index) {
  const Tensor number = reshape(arange(index.numel(), index.options()), index.sizes());
  return eq(gather(scatter(zeros(sizes, index.options()), dim, index, number), dim, index), number);
}

Tensor at_source(const Tensor& grad, const Tensor& index, IntArrayRef source_sizes,
                 const ScatterAlong& p) {
  if (index.numel() == 0) return zeros(source_sizes, grad.options());
  const Tensor taken = where(is_last(grad.sizes(), p.dim, index), gather(grad, p.dim, index), 0);
  if (index.sizes() == source_sizes) return taken;
  return scatter_window(taken, Geometry(source_sizes),
                        Geometry(index.sizes(), contiguous_strides(source_sizes), 0));
}

constexpr auto clear = [](const Tensor& grad, const Input<1>& index, const ScatterAlong& p) {
  return scatter(grad, p.dim, index, 0);
};
constexpr auto kScatterDerivative = derivative(
    "ScatterBackward0", selection(clear), not_differentiable,
    selection([](const Tensor& grad, const Input<1>& index, const Meta<2>& source,
                 const ScatterAlong& p) { return at_source(grad, index, source.sizes(), p); },
              [](const Tensor& tangent, const Meta<0>& self, const Input<1>& index,
                 const ScatterAlong& p) {
                return scatter(zeros(self.sizes(), tangent.options()), p.dim, index, tangent);
              }));
constexpr auto kOfNumber = derivative("ScatterBackward1", selection(clear), not_differentiable);

void check_scatter_source(const Operation& op, const Tensor& self, GivenDim dim,
                          const Tensor& index, const Tensor& source) {
  if (self.dtype() != source.dtype())
    op.fail<DtypeError>("Expected self.dtype to be equal to src.dtype, but got {} and {}",
                        name_of(self.dtype()), name_of(source.dtype()));
  if (index.numel() == 0) return;
  bool fits = index.dim() == source.dim();
  for (int64_t d = 0; fits && d < index.dim(); ++d) fits = index.size(d) <= source.size(d);
  if (!fits)
    op.fail<ShapeError>(
        "Expected index {} to be no larger than self {} apart from dimension {} and to be no "
        "larger size than src {}",
        to_string(index.sizes()), to_string(self.sizes()), dim.given, to_string(source.sizes()));
}

/// Writes into `target`, which is no operand; everything has been checked.
void write(const Operation& op, const Tensor& target, GivenDim dim, const Tensor& index,
           const Tensor& source) {
  if (is_batched(target)) {
    const BatchLevel level = levels_of(target).back();
    const auto lined_up = [](const Tensor& operand) {
      return operand.dim() > 0 ? operand
                               : raw_alias(operand, Geometry({1}, {1}, operand.storage_offset()));
    };
    const Tensor all = peel(lined_up(target), level);
    const GivenDim behind{dim.place + 1, dim.given};
    const Tensor places = checked_gather_index(op, all, behind, peel(lined_up(index), level));
    return write(op, all, behind, places, peel(lined_up(source), level));
  }
  if (index.numel() == 0) return;
  const Geometry window(index.sizes(), source.strides(), source.storage_offset());
  write_indirect_kernel(op, target.dtype(), target.device(), along_dim(target, dim.place, index),
                        raw_contiguous(raw_alias(source, window)));
}

Tensor compute_scatter(const Operation& op, const Tensor& self, GivenDim dim, const Tensor& index,
                       const Tensor& source) {
  const Geometry& layout = self.impl().geometry();
  const Tensor result = allocate_for(
      {&self, &index, &source}, layout.is_dense() ? layout.at_offset(0) : Geometry(layout.sizes()),
      self.dtype());
  raw_copy(result, self);
  write(op, result, dim, index, source);
  return result;
}

/// A number as a source; no graph.
Tensor as_source(const Operation& op, const Tensor& self, const Tensor& index, Scalar value) {
  check_fits(op, value, self.dtype());
  return expand(full({}, value, TensorOptions(self.dtype()).device(self.device())), index.sizes());
}

OpCase draw_scatter(Draw& draw) {
  auto [sizes, dim, place] = draw_along(draw, 1, 4, 1);
  std::vector<int64_t> index_sizes = sizes;
  for (int64_t& size : index_sizes) size = draw.integer(0, size);
  index_sizes[place] = draw.integer(1, 5);
  std::vector<int64_t> source_sizes = index_sizes;
  for (int64_t& size : source_sizes)
    if (draw.integer(0, 3) == 0) ++size;
  const bool of_number = draw.integer(0, 3) == 3, in_place = draw.boolean();
  const double number = draw.real(-3, 3);
  OpCase one;
  one.label = format_message(
      "dim={}, index {}, {}",
      {dim, to_string(index_sizes), of_number ? "a number" : "source " + to_string(source_sizes)});
  one.arguments = {{.sizes = sizes}, Argument::index(index_sizes, sizes[place])};
  if (!of_number) one.arguments.push_back({.sizes = source_sizes});
  one.call = [=](const variable_list& x) {
    return of_number ? scatter(x[0], dim, x[1], number) : scatter(x[0], dim, x[1], x[2]);
  };
  if (in_place)
    one.call_in_place = [=](variable_list& x) {
      of_number ? scatter_(x[0], dim, x[1], number) : scatter_(x[0], dim, x[1], x[2]);
    };
  one.reference = [=]<typename T>(const PlainList<T>& x) {
    PlainTensor<T> result = x[0];
    for_each_index(index_sizes, [&](IndexTuple i) {
      const T value = of_number ? T(number) : x[2].values[flat_index(source_sizes, i)];
      i[place] = static_cast<int64_t>(x[1].values[flat_index(index_sizes, i)]);
      result.values[flat_index(sizes, i)] = value;
    });
    return result;
  };
  return one;
}

const RegisterOp scatter_row(op_row("scatter", "index", draw_scatter,
                                    Trait::Locates | Trait::Overwrites));

}  // namespace

Tensor scatter(const Tensor& self, Integer dim, const Tensor& index, const Tensor& src, At at) {
  const Operation op("scatter", at);
  check_on_one_device(op, {&self, &index, &src});
  const GivenDim along = given_dim(op, dim, self.dim());
  const Tensor where = checked_gather_index(op, self, along, checked_index(op, index));
  check_scatter_source(op, self, along, where, src);
  return record(kScatterDerivative, op, compute_scatter(op, self, along, where, src),
                ScatterAlong{along.place}, self, where, src);
}

Tensor scatter(const Tensor& self, Integer dim, const Tensor& index, Scalar value, At at) {
  const Operation op("scatter", at);
  check_on_one_device(op, {&self, &index});
  const GivenDim along = given_dim(op, dim, self.dim());
  const Tensor where = checked_gather_index(op, self, along, checked_index(op, index));
  return record(kOfNumber, op,
                compute_scatter(op, self, along, where, as_source(op, self, where, value)),
                ScatterAlong{along.place}, self, where);
}

Tensor& scatter_(Tensor& self, Integer dim, const Tensor& index, const Tensor& src, At at) {
  const Operation op("scatter_", at);
  check_on_one_device(op, {&self, &index, &src});
  const GivenDim along = given_dim(op, dim, self.dim());
  const Tensor where = checked_gather_index(op, self, along, checked_index(op, index));
  check_scatter_source(op, self, along, where, src);
  // Read before anything is written.
  const Tensor source = src.is_alias_of(self) ? clone(src, at) : src;
  const Tensor places = where.is_alias_of(self) ? clone(where, at) : where;
  write_in_place(
      kScatterDerivative, op, self, [&] { write(op, self, along, places, source); },
      ScatterAlong{along.place}, self, places, source);
  return self;
}

Tensor& scatter_(Tensor& self, Integer dim, const Tensor& index, Scalar value, At at) {
  const Operation op("scatter_", at);
  check_on_one_device(op, {&self, &index});
  const GivenDim along = given_dim(op, dim, self.dim());
  const Tensor where = checked_gather_index(op, self, along, checked_index(op, index));
  const Tensor source = as_source(op, self, where, value);
  const Tensor places = where.is_alias_of(self) ? clone(where, at) : where;
  write_in_place(
      kOfNumber, op, self, [&] { write(op, self, along, places, source); },
      ScatterAlong{along.place}, self, places);
  return self;
}

Tensor IndexMembers::scatter(Integer dim, const Tensor& index, const Tensor& src, At at) const {
  return notape::scatter(self(), dim, index, src, at);
}
Tensor IndexMembers::scatter(Integer dim, const Tensor& index, Scalar value, At at) const {
  return notape::scatter(self(), dim, index, value, at);
}
Tensor& IndexMembers::scatter_(Integer dim, const Tensor& index, const Tensor& src, At at) const {
  return notape::scatter_(self(), dim, index, src, at);
}
Tensor& IndexMembers::scatter_(Integer dim, const Tensor& index, Scalar value, At at) const {
  return notape::scatter_(self(), dim, index, value, at);
}

}  // namespace notape
