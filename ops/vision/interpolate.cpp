// interpolate(x, size or scale_factor, mode): upsample_* or adaptive_avg_pool by name.
#include "ops/core/promotion.h"
#include "ops/pooling.h"
#include "ops/vision.h"

namespace notape {
namespace {

using Sizes64 = std::vector<int64_t>;
using Factors = std::vector<double>;

Sizes64 resized(const Operation& op, IntArrayRef spatial, const std::optional<Sizes64>& size,
                std::optional<Factors>& factors) {
  const std::size_t dims = spatial.size();
  if (size.has_value() == factors.has_value())
    op.fail<ValueError>(size ? "only one of size or scale_factor should be defined"
                             : "either size or scale_factor should be defined");
  const std::size_t given = size ? size->size() : factors->size();
  if (given != dims && given != 1)
    op.fail<ShapeError>("expected {} numbers for {} spatial dimensions, or one, but got {}", dims,
                        dims, given);
  if (size) return given == dims ? *size : Sizes64(dims, size->front());
  if (given == 1) factors->assign(dims, factors->front());
  Sizes64 result;
  for (std::size_t d = 0; d < dims; ++d) {
    const double wanted = static_cast<double>(spatial[d]) * (*factors)[d];
    if (!(wanted >= 0 && wanted < 0x1p53))
      op.fail<ValueError>("scale_factor {} does not give a size", (*factors)[d]);
    result.push_back(static_cast<int64_t>(wanted));
  }
  return result;
}

}  // namespace

Tensor interpolate(const Tensor& input, std::optional<Sizes64> size,
                   std::optional<Factors> scale_factor, std::string_view mode,
                   std::optional<bool> align_corners, bool recompute_scale_factor, At at) {
  const Operation op("interpolate", at);
  check_operand(op, input);
  if (input.dim() < 3 || input.dim() > 5)
    op.fail<ShapeError>("expects an input of 3, 4 or 5 dimensions (N, C, ...), but got {}",
                        to_string(input.sizes()));
  const auto dims = static_cast<std::size_t>(input.dim() - 2);
  const bool resamples = mode == "nearest" || mode == "area";
  if (!resamples && mode != "linear" && mode != "bilinear" && mode != "bicubic")
    op.fail<ValueError>("unknown mode {}", std::string(mode));
  if (resamples && align_corners)
    op.fail<ValueError>(
        "align_corners option can only be set with the interpolating modes: linear | bilinear | "
        "bicubic");
  const Sizes64 to = resized(op, {input.sizes().data() + 2, dims}, size, scale_factor);
  if (size && recompute_scale_factor)
    op.fail<ValueError>("recompute_scale_factor is not meaningful with an explicit size");
  const bool align = align_corners.value_or(false);
  std::vector<std::optional<double>> scales(dims);
  if (scale_factor && !recompute_scale_factor)
    for (std::size_t d = 0; d < dims; ++d) scales[d] = (*scale_factor)[d];
  if (mode == "area") {
    if (dims == 1) return adaptive_avg_pool1d(input, to[0], at);
    if (dims == 2) return adaptive_avg_pool2d(input, Pair(to[0], to[1]), at);
    return adaptive_avg_pool3d(input, Triple(to[0], to[1], to[2]), at);
  }
  if (dims == 1 && mode == "nearest") return upsample_nearest1d(input, to[0], scales[0], at);
  if (dims == 1 && mode == "linear") return upsample_linear1d(input, to[0], align, scales[0], at);
  if (dims != 2 || mode == "linear")
    op.fail<ShapeError>("mode {} does not take an input of {} dimensions", std::string(mode),
                        input.dim());
  const Pair pair(to[0], to[1]);
  if (mode == "nearest") return upsample_nearest2d(input, pair, scales[0], scales[1], at);
  if (mode == "bilinear") return upsample_bilinear2d(input, pair, align, scales[0], scales[1], at);
  return upsample_bicubic2d(input, pair, align, scales[0], scales[1], at);
}

}  // namespace notape
