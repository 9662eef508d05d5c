// Lists of dimensions, as flip, squeeze or movedim take them.
#pragma once
#include <algorithm>

#include "ops/core/promotion.h"
#include "ops/core/wrap_dim.h"

namespace notape {

/// Counted from the front. Throws IndexError for one out of range, or named twice.
inline DimVector distinct_dims(const Operation& op, IntArrayRef dims, int64_t rank) {
  DimVector places;
  for (const int64_t dim : dims) {
    const int64_t place = wrap_dim(op, dim, rank);
    if (std::find(places.begin(), places.end(), place) != places.end())
      op.fail<IndexError>("dim {} appears multiple times in the list of dims", dim);
    places.push_back(place);
  }
  return places;
}

}  // namespace notape
