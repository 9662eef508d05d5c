#include "ops/index/places.h"

#include <algorithm>
#include <optional>

#include "autograd/graph/record.h"
#include "autograd/tensor/factories.h"
#include "ops/core/allocate.h"
#include "ops/index/indirect.h"
#include "ops/selection.h"

namespace notape {
namespace {

/// The dimensions of what is read: first the kept ones before the positions, then the positions'
/// (kPosition), then the other kept ones.
constexpr int64_t kPosition = -1;
DimVector loop_dims(const Tensor& positions, const Places& places) {
  DimVector dims;
  for (int64_t d = 0; d < static_cast<int64_t>(places.sizes.size()); ++d)
    if (std::find(places.dims.begin(), places.dims.end(), d) == places.dims.end())
      dims.push_back(d);
  for (int64_t p = 0; p < positions.dim(); ++p)
    dims.insert(static_cast<std::size_t>(places.insert_at), kPosition);
  return dims;
}

/// Positions in the box of several dimensions as distances, in elements, in a tensor laid out so.
Tensor distances(const Operation& op, const Geometry& layout, const Tensor& positions,
                 const Places& places) {
  Tensor result = allocate(positions.sizes(), kInt64, positions.device());
  Box box;
  for (const int64_t dim : places.dims) {
    box.sizes[box.dims] = layout.size(static_cast<int>(dim));
    box.strides[box.dims++] = layout.stride(static_cast<int>(dim));
  }
  distances_kernel(op, kInt64, result.device(), result, positions, box);
  return result;
}

/// The distance between neighbouring positions if it is the same for all.
std::optional<int64_t> uniform_stride(const Geometry& layout, const Places& places) {
  for (std::size_t k = 0; k + 1 < places.dims.size(); ++k) {
    const auto dim = static_cast<int>(places.dims[k]), next = static_cast<int>(places.dims[k + 1]);
    if (layout.stride(dim) != layout.stride(next) * layout.size(next)) return {};
  }
  return layout.stride(static_cast<int>(places.dims.back()));
}

/// Base and positions over the loop of what is read or written.
Indirect lay_out(const Operation& op, const Tensor& base, const Tensor& positions,
                 const Places& places) {
  const Geometry& from = base.impl().geometry();
  const std::optional<int64_t> stride = uniform_stride(from, places);
  const Tensor counted = raw_on_device(raw_contiguous(positions), base.device());
  const Tensor at = stride ? counted : distances(op, from, counted, places);
  const DimVector dims = loop_dims(at, places);
  DimVector sizes, base_strides, position_strides;
  int64_t position_dim = 0;
  for (int64_t d : dims) {
    const auto of_base = static_cast<int>(d);
    const bool is_position = d == kPosition;
    sizes.push_back(is_position ? at.size(position_dim) : from.size(of_base));
    base_strides.push_back(is_position ? 0 : from.stride(of_base));
    position_strides.push_back(is_position ? at.stride(position_dim++) : 0);
  }
  return {raw_alias(base, Geometry(sizes, base_strides, from.offset())),
          raw_alias(at, Geometry(sizes, position_strides, at.storage_offset())),
          stride.value_or(1)};
}

constexpr auto add_at_places = [](const Tensor& grad, const Input<1>& positions,
                                  const Places& places) { return add_at(grad, positions, places); };
constexpr auto take_at_places = [](const Tensor& grad, const Input<1>& positions,
                                   const Places& places) {
  return take_at("IndexBackward0", {"index", At::current()}, grad, positions, places);
};
constexpr auto clear_places = [](const Tensor& grad, const Input<1>& positions,
                                 const Places& places) {
  return put_at(grad, positions, places, zeros({}, grad.options()));
};
constexpr auto kAdd =
    derivative("AddAtBackward", movement(take_at_places, add_at_places), not_differentiable);
constexpr auto kPut = derivative(
    "PutAtBackward", selection(clear_places), not_differentiable,
    selection([](const Tensor& grad, const Input<1>& positions,
                 const Places& places) { return take_winners(grad, positions, places); },
              [](const Tensor& tangent, const Input<1>& positions, const Places& places) {
                return put_at(zeros(places.sizes, tangent.options()), positions, places, tangent);
              }));

/// The number of positions.
int64_t box_of(const Places& places) {
  int64_t count = 1;
  for (const int64_t dim : places.dims) count *= places.sizes[static_cast<std::size_t>(dim)];
  return count;
}

PositionBounds bounds_of(const Places& places) { return {0, box_of(places), *places.unchecked}; }

/// Leading ones up to `rank` dimensions; no graph.
Tensor with_rank(const Tensor& value, int64_t rank) {
  DimVector sizes = value.sizes(), strides = value.strides();
  for (int64_t d = value.dim(); d < rank; ++d) {
    sizes.insert(0, 1);
    strides.insert(0, 0);
  }
  return raw_alias(value, Geometry(sizes, strides, value.storage_offset()));
}

Tensor raw_take_at(const Operation& op, const Tensor& self, const Tensor& positions,
                   const Places& places) {
  if (is_batched(self))
    return over_batch(
        [&](int64_t size, const Tensor& all) {
          return raw_take_at(op, all, positions, places.behind_batch(size));
        },
        self);
  const Indirect where = lay_out(op, self, positions, places);
  Tensor result = allocate(where.base.sizes(), self.dtype(), self.device());
  if (places.unchecked)
    run_in_range(op, checked_read, read_indirect_kernel, where, result, bounds_of(places));
  else
    read_indirect_kernel(op, self.dtype(), self.device(), where, result);
  return result;
}

}  // namespace

Places Places::behind_batch(int64_t size) const {
  Places all = *this;
  all.sizes.insert(0, size);
  for (int64_t& dim : all.dims) ++dim;
  ++all.insert_at;
  return all;
}

DimVector sizes_at(const Tensor& positions, const Places& places) {
  DimVector sizes = loop_dims(positions, places);
  int64_t position_dim = 0;
  for (int64_t& d : sizes)
    d = d == kPosition ? positions.size(position_dim++) : places.sizes[static_cast<std::size_t>(d)];
  return sizes;
}

Tensor take_at(const char* node_name, const Operation& op, const Tensor& self,
               const Tensor& positions, const Places& places) {
  return record(derivative(node_name, selection(add_at_places, take_at_places), not_differentiable),
                op, raw_take_at(op, self, positions, places), places, self, positions);
}

Tensor add_at(const Tensor& values, const Tensor& positions, const Places& places, At at) {
  const Operation op("add_at", at);
  const Tensor result = zeros_for({&values}, places.sizes, values.dtype());
  raw_add_at(op, result, positions, places, values);
  return record(kAdd, op, result, places, values, positions);
}

Tensor put_at(const Tensor& base, const Tensor& positions, const Places& places,
              const Tensor& values, At at) {
  const Operation op("put_at", at);
  const Geometry& layout = base.impl().geometry();
  const Tensor result = allocate_for(
      {&base, &values}, layout.is_dense() ? layout.at_offset(0) : Geometry(layout.sizes()),
      base.dtype());
  raw_copy(result, base);
  raw_put_at(op, result, positions, places, values);
  return record(kPut, op, result, places, base, positions, values);
}

Tensor take_winners(const Tensor& grad, const Tensor& positions, const Places& places, At at) {
  const Operation op("index", at);
  const Tensor taken = take_at("IndexBackward0", op, grad, positions, places);
  Tensor losers;
  overwritten_kernel(op, kInt64, positions.device(), losers, raw_contiguous(positions),
                     box_of(places));
  if (!losers.defined()) return taken;
  DimVector sizes = losers.sizes();
  while (static_cast<int64_t>(sizes.size()) + places.insert_at < taken.dim()) sizes.push_back(1);
  return masked_fill(
      taken, raw_on_device(raw_alias(losers, Geometry(sizes)), grad.device().of_samples()), 0, at);
}

void raw_put_at(const Operation& op, const Tensor& base, const Tensor& positions,
                const Places& places, const Tensor& values) {
  if (is_batched(base)) {
    const BatchLevel level = levels_of(base).back();
    const auto rank = static_cast<int64_t>(sizes_at(positions, places).size());
    return raw_put_at(op, peel(base, level), positions, places.behind_batch(level.size),
                      peel(with_rank(values, rank), level));
  }
  const Tensor converted = raw_on_device(raw_convert(values, base.dtype()), base.device());
  write_indirect_kernel(op, base.dtype(), base.device(), lay_out(op, base, positions, places),
                        converted);
}

void raw_add_at(const Operation& op, const Tensor& base, const Tensor& positions,
                const Places& places, const Tensor& values) {
  if (is_batched(base)) {
    const BatchLevel level = levels_of(base).back();
    return raw_add_at(op, peel(base, level), positions, places.behind_batch(level.size),
                      peel(values, level));
  }
  const Indirect where = lay_out(op, base, positions, places);
  if (places.unchecked)
    run_in_range(op, checked_add, add_indirect_kernel, where, raw_contiguous(values),
                 bounds_of(places));
  else
    add_indirect_kernel(op, base.dtype(), base.device(), where, raw_contiguous(values));
}

}  // namespace notape
