// Random index expressions for the rows of index and index_put_, with a plain reading of them.
#pragma once
#include "ops/index.h"
#include "ops/shape/plain_pick.h"

namespace notape {

/// What an expression selects, index tuple by index tuple.
struct PlainPlaces {
  std::vector<int64_t> sizes;
  std::function<IndexTuple(const IndexTuple&)> map;
};

template <typename T>
using PlacesSignature = PlainPlaces(const PlainList<T>& arguments);

struct DrawnIndex {
  std::string label;
  /// The indexed tensor, then the tensors among the indices.
  std::vector<Argument> arguments;
  /// Shape of what is selected, or a shape that broadcasts to it.
  std::vector<int64_t> value_sizes;
  std::function<std::vector<indexing::TensorIndex>(const variable_list&)> indices;
  PlainFunction<PlacesSignature> plain;
};

DrawnIndex draw_index_list(Draw& draw);

}  // namespace notape
