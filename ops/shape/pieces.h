// Pieces: the views that split, chunk and unbind return. They are the outputs of one graph node,
// each with its own window, until a write gives one of them a history of its own.
#pragma once
#include "ops/shape/part.h"

namespace notape {

/// How pieces become the whole again: cat or stack, along `dim`.
struct Joining {
  Tensor (*join)(const TensorList& pieces, Integer dim, At at);
  int64_t dim;
};

/// So many times the whole of self. Throws OutOfMemory for more than 2^24.
std::vector<Part> parts_of(const Operation& op, const Tensor& self, int64_t count);

/// `parts` of `self`, which are all of it and do not overlap, as views; recorded as `node_name`.
TensorList view_pieces(const char* node_name, const Operation& op, const Tensor& self,
                       const std::vector<Part>& parts, const Joining& joining);

}  // namespace notape
