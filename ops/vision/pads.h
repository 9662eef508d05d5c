// Padding by entries of the image: which entry stands at each place.
#pragma once
#include "ops/resample/plain_resample.h"
#include "ops/resample/resample.h"
#include "ops/vision.h"

namespace notape {

/// The source of place i of a dimension of this size, from -pad on.
using PadSource = int64_t (*)(int64_t i, int64_t size);
inline int64_t reflected(int64_t i, int64_t size) {
  if (i < 0) i = -i;
  return i < size ? i : 2 * (size - 1) - i;
}
inline int64_t replicated(int64_t i, int64_t size) { return i < 0 ? 0 : i < size ? i : size - 1; }
inline int64_t wrapped(int64_t i, int64_t size) { return (i % size + size) % size; }

/// The last `dims` dimensions padded by their own entries. Throws ShapeError, also for pads that
/// are larger than the source has entries for.
Tensor pad_by_entries(const Operation& op, const char* node, const Tensor& self,
                      IntArrayRef padding, std::size_t dims, PadSource source);

/// Random pads, of at most n + `most` entries for a dimension of size n.
using PadCall = std::function<Tensor(const Tensor& self, IntArrayRef padding)>;
OpCase pad_case(Draw& draw, std::size_t dims, const PadCall& call, PadSource source, int64_t most);
/// Of an operator that does nothing else.
OpSpec pad_spec(const char* name, std::size_t dims, Tensor (*pad)(const Tensor&, IntArrayRef, At),
                PadSource source, int64_t most);

}  // namespace notape
