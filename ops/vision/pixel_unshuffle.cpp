// pixel_unshuffle(x)[.., c r^2 + i r + j, h, w] = x[.., c, h r + i, w r + j], by views and one
// copy.
#include "ops/core/composite.h"
#include "ops/shape.h"
#include "ops/shape/plain_pick.h"
#include "ops/vision.h"
#include "ops/vision/shuffle.h"

namespace notape {
namespace {

OpCase draw_pixel_unshuffle(Draw& draw) {
  auto sizes = draw.shape(3, 5, 0, 2);
  const int64_t r = draw.integer(1, 3);
  const std::size_t c = sizes.size() - 3;
  std::vector<int64_t> moved = sizes;
  moved[c] *= r * r;
  sizes[c + 1] *= r;
  sizes[c + 2] *= r;
  OpCase one;
  one.label = format_message("downscale_factor={}", {r});
  one.arguments = {{.sizes = sizes}};
  one.call = [=](const variable_list& x) { return pixel_unshuffle(x[0], r); };
  one.reference = [=]<typename T>(const PlainList<T>& x) {
    return plain_pick(moved, x[0], [&](IndexTuple i) {
      i[c + 1] = i[c + 1] * r + i[c] / r % r;
      i[c + 2] = i[c + 2] * r + i[c] % r;
      i[c] /= r * r;
      return i;
    });
  };
  return one;
}

const RegisterOp pixel_unshuffle_row({.name = "pixel_unshuffle",
                                      .family = "vision",
                                      .draw = draw_pixel_unshuffle,
                                      .traits = Trait::Permutes});

}  // namespace

Tensor pixel_unshuffle(const Tensor& self, Integer downscale_factor, At at) {
  const Operation op("pixel_unshuffle", at);
  const int64_t r = downscale_factor;
  check_shuffle(op, self, "downscale_factor", r);
  for (const int64_t dim : {-2, -1})
    if (self.size(dim) % r != 0)
      op.fail<ShapeError>(
          "expects {} to be divisible by downscale_factor, but input.size({})={} is not divisible "
          "by {}",
          dim == -2 ? "height" : "width", dim, self.size(dim), r);
  const Composite composite({&self});
  const IntArrayRef sizes = self.sizes();
  const std::vector<int64_t> outer(sizes.begin(), sizes.end() - 3);
  const int64_t C = self.size(-3), H = self.size(-2) / r, W = self.size(-1) / r;
  const auto n = static_cast<int64_t>(outer.size());
  const Tensor parts = reshape(self, joined(outer, {C, H, r, W, r}), at);
  const Tensor moved = permute(parts, joined(counting(n), {n, n + 2, n + 4, n + 1, n + 3}), at);
  return reshape(moved, joined(outer, {C * r * r, H, W}), at);
}

}  // namespace notape
