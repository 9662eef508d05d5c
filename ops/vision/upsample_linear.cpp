// upsample_linear1d(x), upsample_bilinear2d(x): resized by linear interpolation, dimension by
// dimension (upsample.cpp).
#include "ops/vision/upsample.h"

namespace notape {
namespace {

OpCase draw_upsample_linear1d(Draw& draw) {
  OpCase one = upsample_case(
      draw, 1, true,
      [](const Tensor& x, const std::vector<Resize>& how) {
        return upsample_linear1d(x, how[0].to, how[0].align_corners, how[0].scale);
      },
      plain_linear);
  one.averaged = 2;  // in the middle between neighbours
  return one;
}

const RegisterOp upsample_linear1d_row(op_row("upsample_linear1d", "vision", draw_upsample_linear1d,
                                              Trait::Accumulates | Trait::Averages));

OpCase draw_upsample_bilinear2d(Draw& draw) {
  OpCase one = upsample_case(
      draw, 2, true,
      [](const Tensor& x, const std::vector<Resize>& how) {
        return upsample_bilinear2d(x, Pair(how[0].to, how[1].to), how[0].align_corners,
                                   how[0].scale, how[1].scale);
      },
      plain_linear);
  one.averaged = 2;  // in the middle between neighbours
  return one;
}

const RegisterOp upsample_bilinear2d_row(op_row("upsample_bilinear2d", "vision",
                                                draw_upsample_bilinear2d,
                                                Trait::Accumulates | Trait::Averages));

}  // namespace

Tensor upsample_linear1d(const Tensor& self, Integer output_size, bool align_corners,
                         std::optional<double> scales, At at) {
  return upsample({"upsample_linear1d", at}, "UpsampleLinear1DBackward0", self, {output_size},
                  {scales}, align_corners, linear);
}

Tensor upsample_bilinear2d(const Tensor& self, Pair output_size, bool align_corners,
                           std::optional<double> scales_h, std::optional<double> scales_w, At at) {
  return upsample({"upsample_bilinear2d", at}, "UpsampleBilinear2DBackward0", self,
                  {output_size[0], output_size[1]}, {scales_h, scales_w}, align_corners, linear);
}

}  // namespace notape
