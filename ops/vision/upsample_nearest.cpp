// upsample_nearest1d(x), upsample_nearest2d(x): resized by the entry at each place, dimension by
// dimension (upsample.cpp).
#include "ops/vision/upsample.h"

namespace notape {
namespace {

OpCase draw_upsample_nearest1d(Draw& draw) {
  return upsample_case(
      draw, 1, false,
      [](const Tensor& x, const std::vector<Resize>& how) {
        return upsample_nearest1d(x, how[0].to, how[0].scale);
      },
      plain_nearest);
}

const RegisterOp upsample_nearest1d_row(op_row("upsample_nearest1d", "vision",
                                               draw_upsample_nearest1d,
                                               Trait::Gathers | Trait::Locates |
                                                   Trait::Accumulates));

OpCase draw_upsample_nearest2d(Draw& draw) {
  return upsample_case(
      draw, 2, false,
      [](const Tensor& x, const std::vector<Resize>& how) {
        return upsample_nearest2d(x, Pair(how[0].to, how[1].to), how[0].scale, how[1].scale);
      },
      plain_nearest);
}

const RegisterOp upsample_nearest2d_row(op_row("upsample_nearest2d", "vision",
                                               draw_upsample_nearest2d,
                                               Trait::Gathers | Trait::Locates |
                                                   Trait::Accumulates));

}  // namespace

Tensor upsample_nearest1d(const Tensor& self, Integer output_size, std::optional<double> scales,
                          At at) {
  return upsample({"upsample_nearest1d", at}, "UpsampleNearest1DBackward0", self, {output_size},
                  {scales}, false, nearest);
}

Tensor upsample_nearest2d(const Tensor& self, Pair output_size, std::optional<double> scales_h,
                          std::optional<double> scales_w, At at) {
  return upsample({"upsample_nearest2d", at}, "UpsampleNearest2DBackward0", self,
                  {output_size[0], output_size[1]}, {scales_h, scales_w}, false, nearest);
}

}  // namespace notape
