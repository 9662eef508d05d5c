// What gather and scatter_add share: an index that has the result's (the source's) shape and says,
// element by element, where to go along one dimension.
#pragma once
#include "ops/core/batching.h"
#include "ops/index/indirect.h"

namespace notape {

/// `index` is int64. Throws IndexError or ShapeError unless index entries are in range along `dim`
/// of `self` and the other sizes of `index` are at most those of `self`.
void check_gather_index(const Operation& op, const Tensor& self, int64_t dim, const Tensor& index);

/// Elements self[.., index[i], ..] over a loop of the shape of `index`.
Indirect along_dim(const Tensor& self, int64_t dim, const Tensor& index);

}  // namespace notape
