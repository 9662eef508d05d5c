// scatter_add(x, dim, index, source): a copy of x with y[index[i][j]][j] += source[i][j] for dim 0;
// d/dx = 1,  d/dsource = the gradient gathered (zero where source is larger than index).
#include "autograd/graph/record.h"
#include "autograd/tensor/factories.h"
#include "ops/core/allocate.h"
#include "ops/core/autocast.h"
#include "ops/core/one_device.h"
#include "ops/index.h"
#include "ops/index/gather.h"
#include "ops/shape/plain_pick.h"
#include "ops/shape/window.h"

namespace notape {
namespace {

struct ScatterAddAlong {
  int64_t dim;
};

/// The corner of a row-major tensor of `sizes` that has the shape of `index`.
Geometry corner(IntArrayRef sizes, const Tensor& index) {
  return Geometry(index.sizes(), contiguous_strides(sizes), 0);
}

constexpr auto kScatterAddDerivative = derivative(
    "ScatterAddBackward0", elementwise([](const Tensor& grad) { return grad; }), not_differentiable,
    selection(
        [](const Tensor& grad, const Input<1>& index, const Meta<2>& source,
           const ScatterAddAlong& p) {
          const Tensor gathered = gather(grad, p.dim, index);
          if (index.sizes() == source.sizes()) return gathered;
          if (index.numel() == 0) return zeros(source.sizes(), grad.options());
          return scatter_window(gathered, Geometry(source.sizes()), corner(source.sizes(), index));
        },
        [](const Tensor& tangent, const Meta<0>& self, const Input<1>& index,
           const ScatterAddAlong& p) {
          return scatter_add(zeros(self.sizes(), tangent.options()), p.dim, index, tangent);
        }));

struct OntoZeros : ScatterAddAlong {
  DimVector sizes;
};
constexpr auto kOntoZeros =
    derivative("ScatterAddBackward0",
               selection([](const Tensor& grad, const Input<1>& index,
                            const OntoZeros& p) { return gather(grad, p.dim, index); },
                         [](const Tensor& tangent, const Input<1>& index, const OntoZeros& p) {
                           return scatter_add_onto_zeros(p.sizes, p.dim, index, tangent);
                         }),
               not_differentiable);

void check_scatter_add_source(const Operation& op, const Tensor& self, GivenDim dim,
                              const Tensor& index, const Tensor& source) {
  if (self.dtype() != source.dtype())
    op.fail<DtypeError>("Expected self.dtype to be equal to src.dtype, but got {} and {}",
                        name_of(self.dtype()), name_of(source.dtype()));
  if (index.numel() == 0) return;
  bool fits = index.dim() == source.dim();
  for (int64_t d = 0; fits && d < index.dim(); ++d) fits = index.size(d) <= source.size(d);
  if (!fits)
    op.fail<ShapeError>(
        "Expected index {} to be smaller than self {} apart from dimension {} and to be smaller "
        "size than src {}",
        to_string(index.sizes()), to_string(self.sizes()), dim.given, to_string(source.sizes()));
}

OpCase draw_scatter_add(Draw& draw) {
  auto [sizes, dim, place] = draw_along(draw, 1, 4, 1);
  std::vector<int64_t> index_sizes = sizes;
  for (int64_t& size : index_sizes) size = draw.integer(0, size);
  index_sizes[place] = draw.integer(1, 5);
  std::vector<int64_t> source_sizes = index_sizes;
  for (int64_t& size : source_sizes)
    if (draw.integer(0, 3) == 0) ++size;
  OpCase one;
  one.label = format_message("dim={}, index {}, source {}",
                             {dim, to_string(index_sizes), to_string(source_sizes)});
  one.arguments = {
      {.sizes = sizes}, Argument::index(index_sizes, sizes[place]), {.sizes = source_sizes}};
  one.call = [=](const variable_list& x) { return scatter_add(x[0], dim, x[1], x[2]); };
  one.call_in_place = [=](variable_list& x) { scatter_add_(x[0], dim, x[1], x[2]); };
  one.reference = [=]<typename T>(const PlainList<T>& x) {
    PlainTensor<T> result = x[0];
    for_each_index(index_sizes, [&](IndexTuple i) {
      const T value = x[2].values[flat_index(source_sizes, i)];
      i[place] = static_cast<int64_t>(x[1].values[flat_index(index_sizes, i)]);
      result.values[flat_index(sizes, i)] += value;
    });
    return result;
  };
  return one;
}

const RegisterOp scatter_add_row(op_row("scatter_add", "index", draw_scatter_add,
                                        Trait::Locates | Trait::Accumulates));

void add_into(const Operation& op, const Tensor& result, GivenDim dim, const Tensor& index,
              const Tensor& source) {
  run_in_range(op, checked_add, add_indirect_kernel, along_dim(result, dim.place, index), source,
               {0, result.dim() == 0 ? 1 : result.size(dim.place), dim.given});
}

Tensor compute_scatter_add(const Operation& op, const Tensor& self, GivenDim dim,
                           const Tensor& index, const Tensor& source) {
  check_gather_sizes(op, self, dim, index);
  if (any_batched(self, index, source))
    return over_batch_along(
        dim.place, self,
        [&](int64_t behind, const Tensor& all, const Tensor& indices, const Tensor& sources) {
          return compute_scatter_add(op, all, {behind, dim.given}, indices, sources);
        },
        self, index, source);
  const Tensor result = allocate_like(self, self.dtype());
  raw_copy(result, self);
  if (index.numel() > 0) {
    const Geometry window(index.sizes(), source.strides(), source.storage_offset());
    add_into(op, result, dim, index, raw_contiguous(raw_alias(source, window)));
  }
  return result;
}

}  // namespace

Tensor scatter_add_onto_zeros(IntArrayRef sizes, int64_t dim, const Tensor& index,
                              const Tensor& source, At at) {
  if (any_batched(index, source))
    return scatter_add(zeros(sizes, source.options()), dim, index, source, at);
  const Operation op("scatter_add", at);
  const Tensor result = zeros(sizes, source.options());
  if (index.numel() > 0) add_into(op, result, {dim, dim}, index, raw_contiguous(source));
  return record(kOntoZeros, op, result, OntoZeros{{dim}, sizes}, source, index);
}

Tensor scatter_add(const Tensor& self, Integer dim, const Tensor& index, const Tensor& source,
                   At at) {
  if (in_autocast(self)) [[unlikely]]
    return autocast_to_widest(
        at, [&](const Tensor& x, const Tensor& y) { return scatter_add(x, dim, index, y, at); },
        self, source);
  const Operation op("scatter_add", at);
  check_on_one_device(op, {&self, &index, &source});
  const GivenDim along = given_dim(op, dim, self.dim());
  const Tensor where = checked_index(op, index);
  check_scatter_add_source(op, self, along, where, source);
  return record(kScatterAddDerivative, op, compute_scatter_add(op, self, along, where, source),
                ScatterAddAlong{along.place}, self, where, source);
}

Tensor& scatter_add_(Tensor& self, Integer dim, const Tensor& index, const Tensor& source, At at) {
  const Operation op("scatter_add_", at);
  check_on_one_device(op, {&self, &index, &source});
  const GivenDim along = given_dim(op, dim, self.dim());
  const Tensor where = checked_index(op, index);
  check_scatter_add_source(op, self, along, where, source);
  const Tensor sums = compute_scatter_add(op, self, along, where, source);
  write_in_place(
      kScatterAddDerivative, op, self, [&] { raw_copy(self, sums); }, ScatterAddAlong{along.place},
      self, where, source);
  return self;
}

Tensor IndexMembers::scatter_add(Integer dim, const Tensor& index, const Tensor& source,
                                 At at) const {
  return notape::scatter_add(self(), dim, index, source, at);
}
Tensor& IndexMembers::scatter_add_(Integer dim, const Tensor& index, const Tensor& source,
                                   At at) const {
  return notape::scatter_add_(self(), dim, index, source, at);
}

}  // namespace notape
