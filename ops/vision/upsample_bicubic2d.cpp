// upsample_bicubic2d(x): resized by cubic convolution, dimension by dimension (upsample.cpp).
#include "ops/vision/upsample.h"

namespace notape {
namespace {

OpCase draw_upsample_bicubic2d(Draw& draw) {
  return upsample_case(
      draw, 2, true,
      [](const Tensor& x, const std::vector<Resize>& how) {
        return upsample_bicubic2d(x, Pair(how[0].to, how[1].to), how[0].align_corners, how[0].scale,
                                  how[1].scale);
      },
      plain_cubic);
}

const RegisterOp upsample_bicubic2d_row(op_row("upsample_bicubic2d", "vision",
                                               draw_upsample_bicubic2d, Trait::Accumulates));

}  // namespace

Tensor upsample_bicubic2d(const Tensor& self, Pair output_size, bool align_corners,
                          std::optional<double> scales_h, std::optional<double> scales_w, At at) {
  return upsample({"upsample_bicubic2d", at}, "UpsampleBicubic2DBackward0", self,
                  {output_size[0], output_size[1]}, {scales_h, scales_w}, align_corners, cubic);
}

}  // namespace notape
