// index_copy(x, dim, index, source): x with out[.., index[i], ..] = source[.., i, ..], a scatter
// whose index is the same for all slices; index_fill(x, dim, index, number) likewise.
#include "ops/arithmetic.h"
#include "ops/comparison.h"
#include "ops/core/batching.h"
#include "ops/core/composite.h"
#include "ops/core/one_device.h"
#include "ops/core/wrap_dim.h"
#include "ops/index.h"
#include "ops/index/indirect.h"
#include "ops/selection.h"
#include "ops/shape.h"
#include "ops/shape/plain_pick.h"

namespace notape {
namespace {

Tensor checked_vector(const Operation& op, const Tensor& index) {
  if (index.dim() > 1)
    op.fail<IndexError>("Index is supposed to be a vector, but has {} dimensions", index.dim());
  return reshape(checked_index(op, index), {index.numel()}, op.at);
}

/// One number is a slice of a vector, and a vector of one number one of a number.
Tensor as_slices(const Operation& op, const Tensor& self, const Tensor& source) {
  check_on_one_device(op, {&self, &source});
  if (self.dim() == 1 && source.dim() == 0) return reshape(source, {1}, op.at);
  if (self.dim() == 0 && source.dim() == 1 && source.numel() == 1)
    return reshape(source, {}, op.at);
  return source;
}

/// For scatter, of the shape that the slices have in self.
Tensor checked_for_copy(const Operation& op, const Tensor& self, int64_t dim, const Tensor& index,
                        const Tensor& source) {
  check_on_one_device(op, {&self, &index, &source});
  const int64_t place = wrap_dim(op, dim, self.dim());
  Tensor vector = checked_vector(op, index);
  if (self.dtype() != source.dtype())
    op.fail<DtypeError>("self ({}) and source ({}) must have the same scalar type",
                        name_of(self.dtype()), name_of(source.dtype()));
  DimVector sizes = self.sizes();
  if (!sizes.empty()) sizes[static_cast<std::size_t>(place)] = vector.numel();
  if (source.sizes() != IntArrayRef(sizes) || (sizes.empty() && vector.numel() != 1))
    op.fail<ShapeError>(
        "source must have the shape of self {} with the number of indices ({}) at dimension {}, "
        "but has {}",
        to_string(self.sizes()), vector.numel(), dim, to_string(source.sizes()));
  vector = checked_range(op, vector, self.dim() == 0 ? 1 : self.size(place), dim);
  return self.dim() == 0 ? reshape(vector, {}, op.at) : gather_index(vector, self.sizes(), place);
}

Tensor checked_for_fill(const Operation& op, const Tensor& self, int64_t dim, const Tensor& index) {
  check_on_one_device(op, {&self, &index});
  const int64_t place = wrap_dim(op, dim, self.dim());
  const int64_t size = self.dim() == 0 ? 1 : self.size(place);
  const Tensor given = checked_vector(op, index);
  const Tensor vector = wrapped_index(op, given, size, dim);
  if (self.dim() > 0) return gather_index(vector, self.sizes(), place);
  return vector.numel() == 0 ? vector : reshape(narrow(vector, 0, 0, 1), {}, op.at);
}

/// A 0-d value wherever one is written.
Tensor filler(const Operation& op, const Tensor& self, const Tensor& places, const Tensor& value) {
  check_operands(op, {&self, &value});
  if (value.dim() != 0)
    op.fail<ShapeError>(
        "only supports a 0-dimensional value tensor, but got tensor with {} "
        "dimension(s)",
        value.dim());
  if (!is_floating_point(self.dtype()) && !is_batched(value))
    check_fits(op, value.is_floating_point() ? Scalar(value.item()) : value.item<int64_t>(),
               self.dtype());
  return expand(value.to(self.dtype()), places.sizes(), op.at);
}

OpCase draw_index_copy(Draw& draw) {
  auto [sizes, dim, place] = draw_along(draw, 1, 4);
  sizes[place] = std::max<int64_t>(sizes[place], 1);
  std::vector<int64_t> source_sizes = sizes;
  const int64_t count = source_sizes[place] = draw.integer(0, 5);
  const bool fill = draw.boolean();
  OpCase one;
  one.label = format_message("dim={}, {} indices{}", {dim, count, fill ? ", fill" : ""});
  one.arguments = {{.sizes = sizes}, Argument::index({count}, sizes[place])};
  if (!fill) one.arguments.push_back({.sizes = source_sizes});
  one.call = [=](const variable_list& x) {
    return fill ? index_fill(x[0], dim, x[1], 2.5) : index_copy(x[0], dim, x[1], x[2]);
  };
  one.call_in_place = [=](variable_list& x) {
    fill ? index_fill_(x[0], dim, x[1], 2.5) : index_copy_(x[0], dim, x[1], x[2]);
  };
  one.reference = [=]<typename T>(const PlainList<T>& x) {
    PlainTensor<T> result = x[0];
    for_each_index(source_sizes, [&](IndexTuple i) {
      const T value = fill ? T(2.5) : x[2].values[flat_index(source_sizes, i)];
      i[place] = static_cast<int64_t>(x[1].values[static_cast<std::size_t>(i[place])]);
      result.values[flat_index(sizes, i)] = value;
    });
    return result;
  };
  return one;
}

const RegisterOp index_copy_row(op_row("index_copy", "index", draw_index_copy,
                                       Trait::Locates | Trait::Overwrites));

}  // namespace

Tensor index_copy(const Tensor& self, Integer dim, const Tensor& index, const Tensor& source,
                  At at) {
  const Operation op("index_copy", at);
  const Tensor slices = as_slices(op, self, source);
  return scatter(self, dim, checked_for_copy(op, self, dim, index, slices), slices, at);
}
Tensor& index_copy_(Tensor& self, Integer dim, const Tensor& index, const Tensor& source, At at) {
  const Operation op("index_copy_", at);
  const Tensor slices = as_slices(op, self, source);
  return scatter_(self, dim, checked_for_copy(op, self, dim, index, slices), slices, at);
}
Tensor index_fill(const Tensor& self, Integer dim, const Tensor& index, Scalar value, At at) {
  const Operation op("index_fill", at);
  check_on_one_device(op, {&self, &index});
  check_fits(op, value, self.dtype());
  return scatter(self, dim, checked_for_fill(op, self, dim, index), value, at);
}
Tensor& index_fill_(Tensor& self, Integer dim, const Tensor& index, Scalar value, At at) {
  const Operation op("index_fill_", at);
  check_on_one_device(op, {&self, &index});
  check_fits(op, value, self.dtype());
  return scatter_(self, dim, checked_for_fill(op, self, dim, index), value, at);
}
Tensor index_fill(const Tensor& self, Integer dim, const Tensor& index, const Tensor& value,
                  At at) {
  const Operation op("index_fill", at);
  const Tensor places = checked_for_fill(op, self, dim, index);
  return scatter(self, dim, places, filler(op, self, places, value), at);
}
Tensor& index_fill_(Tensor& self, Integer dim, const Tensor& index, const Tensor& value, At at) {
  const Operation op("index_fill_", at);
  const Tensor places = checked_for_fill(op, self, dim, index);
  return scatter_(self, dim, places, filler(op, self, places, value), at);
}

Tensor IndexMembers::index_copy(Integer dim, const Tensor& index, const Tensor& source,
                                At at) const {
  return notape::index_copy(self(), dim, index, source, at);
}
Tensor& IndexMembers::index_copy_(Integer dim, const Tensor& index, const Tensor& source,
                                  At at) const {
  return notape::index_copy_(self(), dim, index, source, at);
}
Tensor IndexMembers::index_fill(Integer dim, const Tensor& index, Scalar value, At at) const {
  return notape::index_fill(self(), dim, index, value, at);
}
Tensor& IndexMembers::index_fill_(Integer dim, const Tensor& index, Scalar value, At at) const {
  return notape::index_fill_(self(), dim, index, value, at);
}
Tensor IndexMembers::index_fill(Integer dim, const Tensor& index, const Tensor& value,
                                At at) const {
  return notape::index_fill(self(), dim, index, value, at);
}
Tensor& IndexMembers::index_fill_(Integer dim, const Tensor& index, const Tensor& value,
                                  At at) const {
  return notape::index_fill_(self(), dim, index, value, at);
}

}  // namespace notape
