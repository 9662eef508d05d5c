// upsample_nearest1d(x): resized by the entry at each place, dimension by dimension (upsample.cpp).
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

const RegisterOp upsample_nearest1d_row({.name = "upsample_nearest1d",
                                         .family = "vision",
                                         .draw = draw_upsample_nearest1d,
                                         .traits = Trait::Gathers | Trait::Locates |
                                                   Trait::Accumulates});

}  // namespace

Tensor upsample_nearest1d(const Tensor& self, Integer output_size, std::optional<double> scales,
                          At at) {
  return upsample({"upsample_nearest1d", at}, "UpsampleNearest1DBackward0", self, {output_size},
                  {scales}, false, nearest);
}

}  // namespace notape
