#include "ops/reduce/extremum.h"

#include <algorithm>
#include <limits>

#include "autograd/tensor/factories.h"
#include "ops/ops.h"
#include "ops/reduce/lanes.h"

namespace notape {
namespace {

struct Larger {
  template <typename T>
  static bool before(T a, T b) {
    return a > b;
  }
};
struct Smaller {
  template <typename T>
  static bool before(T a, T b) {
    return a < b;
  }
};

/// Whether `a` takes the place of `b`, which was found earlier. No short cuts, no branches.
template <typename Order, typename T>
bool beats(T a, T b) {
  return Order::before(a, b) | ((a != a) & (b == b));
}

template <typename F>
decltype(auto) visit_order(Extreme which, F&& f) {
  return which == Extreme::Largest ? f.template operator()<Larger>()
                                   : f.template operator()<Smaller>();
}

/// n > 0. NaN is looked for apart from the rest: two loops of vector instructions.
template <typename Order, typename T>
T extreme_of(const T* values, int64_t n) {
  constexpr int64_t kBlock = 2048;
  T best = values[0];
  for (int64_t start = 0; start < n; start += kBlock) {
    const T* block = values + start;
    const int64_t size = std::min(kBlock, n - start);
    const auto load = [block](int64_t i) { return block[i]; };
    best = fold_lanes(size, best, load, [](T a, T b) { return Order::before(b, a) ? b : a; });
    if constexpr (std::is_floating_point_v<T>)
      if (sum_lanes<int32_t>(size, [block](int64_t i) { return block[i] != block[i]; }) > 0)
        return std::numeric_limits<T>::quiet_NaN();
  }
  return best;
}

/// self: (outer, size, inner); values, indices: (outer, inner)
template <typename Order, typename T>
void find_extremes(const T* self, T* values, int64_t* indices, const Slices& s) {
  for (int64_t o = 0; o < s.outer; ++o, self += s.size * s.inner) {
    T* best = values + o * s.inner;
    int64_t* where = indices + o * s.inner;
    for (int64_t n = 0; n < s.inner; ++n) {
      best[n] = self[n];
      where[n] = 0;
    }
    for (int64_t i = 1; i < s.size; ++i)
      for (int64_t n = 0; n < s.inner; ++n) {
        const T value = self[i * s.inner + n];
        const bool better = beats<Order>(value, best[n]);
        best[n] = better ? value : best[n];
        where[n] = better ? i : where[n];
      }
  }
}

/// One row at a time: first the value, then its place.
template <typename Order, typename T>
void find_row_extremes(const T* row, T* values, int64_t* indices, const Slices& s) {
  for (int64_t o = 0; o < s.outer; ++o, row += s.size) {
    const T best = extreme_of<Order>(row, s.size);
    int64_t where = 0;
    while (row[where] != best && !(best != best && row[where] != row[where])) ++where;
    values[o] = best;
    indices[o] = where;
  }
}

/// The elements that equal the extreme; a NaN extreme, and there is no other where there are NaNs,
/// is equalled by every NaN.
Tensor tied(const Tensor& self, const Tensor& extreme) {
  return eq(self, extreme) + ne(self, self);
}

}  // namespace

Tensor raw_extreme(const Operation& op, const Tensor& self, Extreme which) {
  if (self.numel() == 0)
    op.fail<ShapeError>(
        "Expected reduction dim to be specified for input.numel() == 0. Specify the reduction dim "
        "with the 'dim' argument. The input has size {}",
        to_string(self.sizes()));
  if (is_batched(self))
    return over_batch(
        [&](int64_t size, const Tensor& all) {
          return raw_extremes(op, reshape(all, {size, self.numel()}), 1, false, which).values;
        },
        self);
  require_cpu(op, self);
  const Tensor values = raw_contiguous(self);
  Tensor result = allocate(IntArrayRef(), self.dtype(), self.device());
  visit_type(self.dtype(), [&]<typename T>() {
    *result.impl().data_as<T>() = visit_order(which, [&]<typename Order>() {
      return extreme_of<Order>(values.impl().data_as<T>(), values.numel());
    });
  });
  return result;
}

ExtremesAndIndices raw_extremes(const Operation& op, const Tensor& self, int64_t dim, bool keepdim,
                                Extreme which) {
  check_operands(op, {&self});
  const ReducedDims dims = reduced_dims(op, self, dim, keepdim);
  if (dims.count == 0)
    op.fail<IndexError>(
        "Expected reduction dim {} to have non-zero size, but the input has size {}",
        wrap_dim(dim, self.dim()), to_string(self.sizes()));
  if (is_batched(self)) {
    const BatchLevel level = levels_of(self).back();
    const auto behind = static_cast<std::size_t>(wrap_dim(dim, self.dim())) + 1;
    const Tensor all = peel(self, level);
    const bool line_up = self.dim() == 0;
    const ExtremesAndIndices of_all =
        raw_extremes(op, line_up ? unsqueeze(all, 1) : all, static_cast<int64_t>(behind),
                     keepdim && !line_up, which);
    return {wrap(of_all.values, level), wrap(of_all.indices, level)};
  }
  require_cpu(op, self);
  const ExtremesAndIndices result{allocate(dims.result_sizes, self.dtype(), self.device()),
                                  allocate(dims.result_sizes, kInt64, self.device())};
  if (result.values.numel() == 0) return result;
  const Tensor source = raw_contiguous(self);
  const Slices s(self.sizes(), dim);
  visit_type(self.dtype(), [&]<typename T>() {
    visit_order(which, [&]<typename Order>() {
      (s.inner == 1 ? find_row_extremes<Order, T>
                    : find_extremes<Order, T>)(source.impl().data_as<T>(),
                                               result.values.impl().data_as<T>(),
                                               result.indices.impl().data_as<int64_t>(), s);
    });
  });
  return result;
}

Tensor share_among_tied(const Tensor& value, const Tensor& self, const Tensor& extreme) {
  const Tensor mask = tied(self, extreme);
  return where(mask, value / sum(mask), 0);
}

Tensor mean_of_tied(const Tensor& tangent, const Tensor& self, const Tensor& extreme) {
  const Tensor mask = tied(self, extreme);
  return sum(where(mask, tangent, 0)) / sum(mask);
}

Tensor scatter_to_indices(const Tensor& value, IntArrayRef sizes, const Tensor& indices,
                          const AlongDim& p) {
  if (sizes.empty()) return value;
  return scatter_add(zeros(sizes, value.options()), p.dim,
                     restore_dims(indices, sizes, p.dim, p.keepdim),
                     restore_dims(value, sizes, p.dim, p.keepdim));
}

Tensor gather_at_indices(const Tensor& value, const Tensor& indices, const AlongDim& p) {
  if (value.dim() == 0) return value;
  const Tensor found = gather(value, p.dim, restore_dims(indices, value.sizes(), p.dim, p.keepdim));
  return p.keepdim ? found : squeeze(found, p.dim);
}

}  // namespace notape
