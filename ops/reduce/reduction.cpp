#include "ops/reduce/reduction.h"

#include <algorithm>

#include "ops/core/wrap_dim.h"
#include "ops/shape.h"

namespace notape {

ReducedDims reduced_dims(const Operation& op, const Tensor& self, IntArrayRef dim, bool keepdim) {
  const auto rank = static_cast<std::size_t>(self.dim());
  ReducedDims result;
  if (dim.empty()) result.reduced.set();
  for (int64_t d : dim) {
    const auto at = static_cast<std::size_t>(wrap_dim(op, d, self.dim()));
    if (rank == 0) continue;
    if (result.reduced[at])
      op.fail<IndexError>("dim {} appears multiple times in the list of dims", d);
    result.reduced[at] = true;
  }
  for (std::size_t d = 0; d < rank; ++d) {
    const int64_t size = self.sizes()[d];
    result.kept_sizes.push_back(result.reduced[d] ? 1 : size);
    if (result.reduced[d]) result.count *= size;
    if (!result.reduced[d] || keepdim) result.result_sizes.push_back(result.kept_sizes.back());
  }
  return result;
}

ReducedDims ReducedDims::behind_batch(int64_t size) const {
  ReducedDims all = *this;
  all.reduced <<= 1;
  all.kept_sizes.insert(0, size);
  all.result_sizes.insert(0, size);
  return all;
}

Slices::Slices(IntArrayRef sizes, int64_t dim) {
  if (sizes.empty()) return;
  const auto middle = static_cast<std::size_t>(wrap_dim(dim, static_cast<int64_t>(sizes.size())));
  for (std::size_t d = 0; d < sizes.size(); ++d)
    (d < middle ? outer : d > middle ? inner : size) *= sizes[d];
}

void require_floating(const Operation& op, const Tensor& self) {
  if (!self.is_floating_point())
    op.fail<DtypeError>("could not infer output dtype. Input dtype must be floating point. Got: {}",
                        name_of(self.dtype()));
}

namespace {

/// (outer, size, inner) to (outer, inner, size), in tiles that fit the nearest cache.
template <typename T>
void swap_last(const T* from, T* to, const Slices& s) {
  constexpr int64_t kTile = 16;
  for (int64_t o = 0; o < s.outer; ++o, from += s.size * s.inner, to += s.size * s.inner)
    for (int64_t i = 0; i < s.size; i += kTile)
      for (int64_t n = 0; n < s.inner; n += kTile)
        for (int64_t k = n; k < std::min(n + kTile, s.inner); ++k)
          for (int64_t j = i; j < std::min(i + kTile, s.size); ++j)
            to[k * s.size + j] = from[j * s.inner + k];
}

}  // namespace

Tensor as_rows(const Tensor& self, const ReducedDims& dims) {
  const Geometry& from = self.impl().geometry();
  if (from.is_contiguous() && dims.count == from.numel()) return self;
  DimVector sizes, strides;
  for (const bool reduced : {false, true})
    for (int d = 0; d < from.dim(); ++d)
      if (dims.reduced[static_cast<std::size_t>(d)] == reduced) {
        sizes.push_back(from.size(d));
        strides.push_back(from.stride(d));
      }
  const Tensor rows = raw_alias(self, Geometry(sizes, strides, from.offset()));
  int64_t dim = 0, reduced = 0;
  for (int d = from.dim(); d-- > 0;)
    if (dims.reduced[static_cast<std::size_t>(d)]) {
      dim = d;
      ++reduced;
    }
  if (reduced != 1 || rows.is_contiguous() || !from.is_contiguous() || !self.device().is_cpu())
    return raw_contiguous(rows);
  const Tensor result = allocate(sizes, self.dtype(), self.device());
  visit_type(self.dtype(), [&]<typename T>() {
    swap_last(self.impl().data_as<T>(), result.impl().data_as<T>(), Slices(self.sizes(), dim));
  });
  return result;
}

Tensor restore_dims(const Tensor& value, IntArrayRef input_sizes, IntArrayRef dim, bool keepdim) {
  if (keepdim || input_sizes.empty()) return value;
  DimVector sizes = dim.empty() ? DimVector(input_sizes.size(), 1) : DimVector(input_sizes);
  for (int64_t d : dim)
    sizes[static_cast<std::size_t>(wrap_dim(d, static_cast<int64_t>(sizes.size())))] = 1;
  return reshape(value, sizes);
}
Tensor spread(const Tensor& value, IntArrayRef input_sizes, IntArrayRef dim, bool keepdim) {
  const bool is_of_all = value.dim() == 0;  // as it is, it broadcasts
  return expand(is_of_all ? value : restore_dims(value, input_sizes, dim, keepdim), input_sizes);
}

}  // namespace notape
