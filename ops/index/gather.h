// What gather and scatter_add share: an index that has the result's (the source's) shape and says,
// element by element, where to go along one dimension.
#pragma once
#include "ops/at.h"
#include "ops/core/batching.h"
#include "ops/core/wrap_dim.h"
#include "ops/index/indirect.h"

namespace notape {

/// A dimension counted from the front, and as it was given: what messages name.
struct GivenDim {
  int64_t place, given;
};
inline GivenDim given_dim(const Operation& op, int64_t dim, int64_t rank) {
  return {wrap_dim(op, dim, rank), dim};
}

/// `index` is int64. Throws ShapeError unless its sizes, but along `dim`, are at most those of
/// `self`.
void check_gather_sizes(const Operation& op, const Tensor& self, GivenDim dim, const Tensor& index);
/// The index; throws IndexError, too, unless its entries are in range along `dim` (checked_range).
Tensor checked_gather_index(const Operation& op, const Tensor& self, GivenDim dim,
                            const Tensor& index);

/// Elements self[.., index[i], ..] over a loop of the shape of `index`.
Indirect along_dim(const Tensor& self, int64_t dim, const Tensor& index);

/// gather, by the name of an operator that is made of it; `index` is int64.
Tensor gather_by(const Operation& op, const Tensor& self, GivenDim dim, const Tensor& index);

/// scatter_add to zeros of `sizes`, without a copy of them; index and source have one shape.
Tensor scatter_add_onto_zeros(IntArrayRef sizes, int64_t dim, const Tensor& index,
                              const Tensor& source, At at = At::current());

}  // namespace notape
