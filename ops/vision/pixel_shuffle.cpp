// pixel_shuffle(x)[.., c, h r + i, w r + j] = x[.., c r^2 + i r + j, h, w], by views and one copy.
#include "ops/core/composite.h"
#include "ops/shape.h"
#include "ops/shape/plain_pick.h"
#include "ops/vision.h"
#include "ops/vision/shuffle.h"

namespace notape {
namespace {

OpCase draw_pixel_shuffle(Draw& draw) {
  auto sizes = draw.shape(3, 5, 0, 2);
  const int64_t r = draw.integer(1, 3);
  const std::size_t c = sizes.size() - 3;
  std::vector<int64_t> moved = sizes;
  sizes[c] *= r * r;
  moved[c + 1] *= r;
  moved[c + 2] *= r;
  OpCase one;
  one.label = format_message("upscale_factor={}", {r});
  one.arguments = {{.sizes = sizes}};
  one.call = [=](const variable_list& x) { return pixel_shuffle(x[0], r); };
  one.reference = [=]<typename T>(const PlainList<T>& x) {
    return plain_pick(moved, x[0], [&](IndexTuple i) {
      i[c] = i[c] * r * r + i[c + 1] % r * r + i[c + 2] % r;
      i[c + 1] /= r;
      i[c + 2] /= r;
      return i;
    });
  };
  return one;
}

const RegisterOp pixel_shuffle_row({.name = "pixel_shuffle",
                                    .family = "vision",
                                    .draw = draw_pixel_shuffle,
                                    .traits = Trait::Permutes});

}  // namespace

Tensor pixel_shuffle(const Tensor& self, Integer upscale_factor, At at) {
  const Operation op("pixel_shuffle", at);
  const int64_t r = upscale_factor;
  check_shuffle(op, self, "upscale_factor", r);
  if (self.size(-3) % (r * r) != 0)
    op.fail<ShapeError>(
        "expects its input's 'channel' dimension to be divisible by the square of upscale_factor, "
        "but input.size(-3)={} is not divisible by {}",
        self.size(-3), r * r);
  const Composite composite({&self});
  const IntArrayRef sizes = self.sizes();
  const std::vector<int64_t> outer(sizes.begin(), sizes.end() - 3);
  const int64_t C = self.size(-3) / (r * r), H = self.size(-2), W = self.size(-1);
  const auto n = static_cast<int64_t>(outer.size());
  const Tensor parts = reshape(self, joined(outer, {C, r, r, H, W}), at);
  const Tensor moved = permute(parts, joined(counting(n), {n, n + 3, n + 1, n + 4, n + 2}), at);
  return reshape(moved, joined(outer, {C, H * r, W * r}), at);
}

}  // namespace notape
