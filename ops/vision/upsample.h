// What resizing shares: places along a dimension, and rows.
#pragma once
#include "ops/resample/plain_resample.h"
#include "ops/resample/resample.h"
#include "ops/vision.h"

namespace notape {

/// How one dimension is resized.
struct Resize {
  int64_t from, to;
  bool align_corners = false;
  std::optional<double> scale = {};

  /// Input entries per output entry.
  double step() const {
    if (align_corners)
      return to > 1 ? static_cast<double>(from - 1) / static_cast<double>(to - 1) : 0;
    return scale && *scale > 0 ? 1 / *scale : static_cast<double>(from) / static_cast<double>(to);
  }
  /// Where output entry i is centred in the input.
  double centre(int64_t i) const {
    const auto place = static_cast<double>(i);
    return align_corners ? place * step() : (place + 0.5) * step() - 0.5;
  }
};
using ResizeMap = SparseRows (*)(const Resize& how);

SparseRows nearest(const Resize& how);
SparseRows linear(const Resize& how);
SparseRows cubic(const Resize& how);

/// The last sizes.size() dimensions resized by this map. Throws ShapeError for sizes of 0 and for
/// another number of dimensions, DtypeError for integers if `floating`.
Tensor upsample(const Operation& op, const char* node, const Tensor& self,
                const std::vector<int64_t>& sizes, const std::vector<std::optional<double>>& scales,
                bool align_corners, ResizeMap map);

using PlainWeights = std::vector<PlainTerm> (*)(const Resize& how, int64_t i);
std::vector<PlainTerm> plain_nearest(const Resize& how, int64_t i);
std::vector<PlainTerm> plain_linear(const Resize& how, int64_t i);
std::vector<PlainTerm> plain_cubic(const Resize& how, int64_t i);

using UpsampleCall = std::function<Tensor(const Tensor& self, const std::vector<Resize>& how)>;
OpCase upsample_case(Draw& draw, std::size_t dims, bool may_align, const UpsampleCall& call,
                     PlainWeights weights);

}  // namespace notape
