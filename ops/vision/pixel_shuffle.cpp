// pixel_shuffle(x)[.., c, h r + i, w r + j] = x[.., c r^2 + i r + j, h, w], and pixel_unshuffle the
// other way, by views and one copy.
#include "ops/core/composite.h"
#include "ops/core/promotion.h"
#include "ops/shape.h"
#include "ops/shape/plain_pick.h"
#include "ops/vision.h"

namespace notape {
namespace {

/// Throws ShapeError and ValueError for no image or a factor below 1.
void check_shuffle(const Operation& op, const Tensor& self, std::string_view name, int64_t factor) {
  check_operand(op, self);
  if (self.dim() < 3)
    op.fail<ShapeError>(
        "expects input to have at least 3 dimensions, but got input with {} dimension(s)",
        self.dim());
  if (factor <= 0) op.fail<ValueError>("expects a positive {}, but got {}", name, factor);
  constexpr int64_t kMost = 1 << 20;  // its square times a size is a number
  if (factor > kMost) op.fail<ValueError>("expects a smaller {} than {}", name, factor);
}

/// 0, 1, ..., n - 1
std::vector<int64_t> counting(int64_t n) {
  std::vector<int64_t> result;
  for (int64_t i = 0; i < n; ++i) result.push_back(i);
  return result;
}

std::vector<int64_t> joined(std::vector<int64_t> first, std::vector<int64_t> second) {
  first.insert(first.end(), second.begin(), second.end());
  return first;
}

/// All dimensions but the last three.
std::vector<int64_t> outer_sizes(const Tensor& self) {
  return {self.sizes().begin(), self.sizes().end() - 3};
}

OpCase draw_pixel_shuffle(Draw& draw) {
  auto sizes = draw.shape(3, 5, 0, 2);
  const int64_t r = draw.integer(1, 3);
  const std::size_t c = sizes.size() - 3;
  std::vector<int64_t> moved = sizes;
  sizes[c] *= r * r;
  moved[c + 1] *= r;
  moved[c + 2] *= r;
  return picked_case(
      format_message("upscale_factor={}", {r}), sizes, moved,
      [=](const Tensor& x) { return pixel_shuffle(x, r); },
      [=](IndexTuple i) {
        i[c] = i[c] * r * r + i[c + 1] % r * r + i[c + 2] % r;
        i[c + 1] /= r;
        i[c + 2] /= r;
        return i;
      });
}

OpCase draw_pixel_unshuffle(Draw& draw) {
  auto sizes = draw.shape(3, 5, 0, 2);
  const int64_t r = draw.integer(1, 3);
  const std::size_t c = sizes.size() - 3;
  std::vector<int64_t> moved = sizes;
  moved[c] *= r * r;
  sizes[c + 1] *= r;
  sizes[c + 2] *= r;
  return picked_case(
      format_message("downscale_factor={}", {r}), sizes, moved,
      [=](const Tensor& x) { return pixel_unshuffle(x, r); },
      [=](IndexTuple i) {
        i[c + 1] = i[c + 1] * r + i[c] / r % r;
        i[c + 2] = i[c + 2] * r + i[c] % r;
        i[c] /= r * r;
        return i;
      });
}

const RegisterOp pixel_shuffle_row(op_row("pixel_shuffle", "vision", draw_pixel_shuffle,
                                          Trait::Permutes));
const RegisterOp pixel_unshuffle_row(op_row("pixel_unshuffle", "vision", draw_pixel_unshuffle,
                                            Trait::Permutes));

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
  const std::vector<int64_t> outer = outer_sizes(self);
  const int64_t C = self.size(-3) / (r * r), H = self.size(-2), W = self.size(-1);
  const auto n = static_cast<int64_t>(outer.size());
  const Tensor parts = reshape(self, joined(outer, {C, r, r, H, W}), at);
  const Tensor moved = permute(parts, joined(counting(n), {n, n + 3, n + 1, n + 4, n + 2}), at);
  return reshape(moved, joined(outer, {C, H * r, W * r}), at);
}

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
  const std::vector<int64_t> outer = outer_sizes(self);
  const int64_t C = self.size(-3), H = self.size(-2) / r, W = self.size(-1) / r;
  const auto n = static_cast<int64_t>(outer.size());
  const Tensor parts = reshape(self, joined(outer, {C, H, r, W, r}), at);
  const Tensor moved = permute(parts, joined(counting(n), {n, n + 2, n + 4, n + 1, n + 3}), at);
  return reshape(moved, joined(outer, {C * r * r, H, W}), at);
}

}  // namespace notape
