// The operators of ops/index.h.
#include "bench/against_torch/calls.h"

namespace notape::against_torch {

namespace {

using Place = std::optional<Integer>;
using Side = std::optional<std::string_view>;

void add_by_dimension(Calls& calls) {
  calls.of<T, Integer, T>()("index_select", index_select)("gather", gather);
  calls.of<T, Integer, T, T>()("scatter_add", scatter_add)("index_add", index_add)(
      "scatter", scatter)("index_copy", index_copy);
  calls.of<T, Integer, T, Scalar>()("scatter", scatter)("index_fill", index_fill);
  calls.of<T, Integer, T, T, Scalar>()("index_add", index_add);
  calls.of<Tensor&, Integer, T, T>()("scatter_", scatter_)("scatter_add_", scatter_add_)(
      "index_copy_", index_copy_);
  calls.of<Tensor&, Integer, T, Scalar>()("scatter_", scatter_)("index_fill_", index_fill_);
  calls.of<Tensor&, Integer, T, T, Scalar>()("index_add_", index_add_);
  calls.of<T, T, Place>()("take_along_dim", take_along_dim);
}

void add_searches(Calls& calls) {
  calls.of<T>()("nonzero", nonzero);
  calls.of<T, Integer>()("one_hot", one_hot);
  calls.of<T, bool, bool, Place>()("unique_consecutive", unique_consecutive);
  calls.of<T, T, bool, bool, Side, T>()("searchsorted", searchsorted);
  calls.of<T, Scalar, bool, bool, Side, T>()("searchsorted", searchsorted);
  calls.of<T, T, bool, bool>()("bucketize", bucketize)("isin", isin);
  calls.of<Scalar, T, bool, bool>()("bucketize", bucketize)("isin", isin);
  calls.of<T, Scalar, bool, bool>()("isin", isin);
}

}  // namespace

void add_indexing(Calls& calls) {
  add_by_dimension(calls);
  add_searches(calls);
  calls.of<T, Indices>()("index", index);
  calls.of<T, Indices, T, bool>()("index_put", index_put);
  calls.of<Tensor&, Indices, T, bool>()("index_put_", index_put_);
  calls.of<T, T>()("masked_select", masked_select)("take", take);
  calls.of<T, T, Integer, bool, bool>()("embedding", embedding);
}

}  // namespace notape::against_torch
