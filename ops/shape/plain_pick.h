// Plain references for operators that only move elements: result[i] = x[map(i)], index by index.
#pragma once
#include "ops/spec/plain.h"
#include "ops/spec/row.h"

namespace notape {

using IndexTuple = std::vector<int64_t>;

/// Row-major position of an index tuple.
inline std::size_t flat_index(const std::vector<int64_t>& sizes, const IndexTuple& index) {
  int64_t flat = 0;
  for (std::size_t d = 0; d < sizes.size(); ++d) flat = flat * sizes[d] + index[d];
  return static_cast<std::size_t>(flat);
}

/// Calls f with each index tuple of `sizes`, the last index running fastest.
template <typename F>
void for_each_index(const std::vector<int64_t>& sizes, F f) {
  const int64_t numel = WideTensor(sizes).numel();
  for (int64_t flat = 0; flat < numel; ++flat) {
    IndexTuple index(sizes.size());
    int64_t rest = flat;
    for (std::size_t d = sizes.size(); d-- > 0; rest /= sizes[d]) index[d] = rest % sizes[d];
    f(index);
  }
}

template <typename T, typename Map>
PlainTensor<T> plain_pick(const std::vector<int64_t>& sizes, const PlainTensor<T>& x, Map map) {
  PlainTensor<T> result(sizes);
  for_each_index(sizes, [&](const IndexTuple& index) {
    result.values[flat_index(sizes, index)] = x.values[flat_index(x.sizes, map(index))];
  });
  return result;
}

/// `target` with the entries of x at map(index) instead of its own.
template <typename T, typename Map>
PlainTensor<T> plain_place(PlainTensor<T> target, const PlainTensor<T>& x, Map map) {
  for_each_index(x.sizes, [&](const IndexTuple& index) {
    target.values[flat_index(target.sizes, map(index))] = x.values[flat_index(x.sizes, index)];
  });
  return target;
}

/// call(x) of one tensor, which has its entries in their order in another shape.
template <typename Call>
OpCase reshaped_case(std::string label, std::vector<int64_t> sizes,
                     std::vector<int64_t> result_sizes, Call call) {
  OpCase one;
  one.label = std::move(label);
  one.arguments = {{.sizes = std::move(sizes)}};
  one.call = [call](const variable_list& x) { return call(x[0]); };
  one.reference = [result_sizes]<typename T>(const PlainList<T>& x) {
    PlainTensor<T> result = x[0];
    result.sizes = result_sizes;
    return result;
  };
  return one;
}
/// call(x) of one tensor, which is plain_pick(result_sizes, x, map).
template <typename Call, typename Map>
OpCase picked_case(std::string label, std::vector<int64_t> sizes, std::vector<int64_t> result_sizes,
                   Call call, Map map) {
  OpCase one = reshaped_case(std::move(label), std::move(sizes), {}, call);
  one.reference = [result_sizes, map]<typename T>(const PlainList<T>& x) {
    return plain_pick(result_sizes, x[0], map);
  };
  return one;
}

/// Dimension `dim`, counted from the end if negative, as a position in a list.
inline std::size_t place_of(int64_t dim, std::size_t rank) {
  return static_cast<std::size_t>(dim < 0 ? dim + static_cast<int64_t>(rank) : dim);
}

/// A shape as Draw::shape() gives it, and a dimension of it: as it is given, and its place.
struct DrawnAlong {
  std::vector<int64_t> sizes;
  int64_t dim;
  std::size_t place;
};
inline DrawnAlong draw_along(Draw& draw, int min_rank, int max_rank, int64_t min_size = 0,
                             int64_t max_size = 4) {
  std::vector<int64_t> sizes = draw.shape(min_rank, max_rank, min_size, max_size);
  const int64_t dim = draw.dimension(static_cast<int64_t>(sizes.size()));
  const std::size_t place = place_of(dim, sizes.size());
  return {std::move(sizes), dim, place};
}

}  // namespace notape
