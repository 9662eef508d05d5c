// upsample_linear1d(x): resized by linear interpolation, dimension by dimension (upsample.cpp).
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

const RegisterOp upsample_linear1d_row({.name = "upsample_linear1d",
                                        .family = "vision",
                                        .draw = draw_upsample_linear1d,
                                        .traits = Trait::Accumulates | Trait::Averages});

}  // namespace

Tensor upsample_linear1d(const Tensor& self, Integer output_size, bool align_corners,
                         std::optional<double> scales, At at) {
  return upsample({"upsample_linear1d", at}, "UpsampleLinear1DBackward0", self, {output_size},
                  {scales}, align_corners, linear);
}

}  // namespace notape
