// Kernels that are composed of others, on the CPU beside the CPU's own.
#include <gtest/gtest.h>

#include "cuda/composed/convolution.h"
#include "ops/conv/conv2d_spec.h"
#include "ops/conv/im2col.h"
#include "ops/ops.h"
#include "ops/spec/testing/drawn_row.h"

namespace notape::cuda {
namespace {

using notape::testing::DrawOfSeed;

const Operation kOp("test", SourceLocation());

Tensor random(const std::array<int64_t, 4>& sizes) {
  return randn(IntArrayRef(sizes.data(), 4), kFloat64);
}
/// Of these sizes, but with gaps, and from the middle of its memory.
Tensor scattered(const std::array<int64_t, 4>& sizes) {
  return randn({sizes[2], sizes[0], sizes[3], sizes[1], 2}, kFloat64)
      .select(4, 1)
      .permute({1, 3, 0, 2});
}
Tensor unset(const std::array<int64_t, 4>& sizes) {
  return full(IntArrayRef(sizes.data(), 4), 7.0, kFloat64);
}

void expect_close(const Tensor& a, const Tensor& b) {
  ASSERT_EQ(a.sizes(), b.sizes());
  if (a.numel() == 0) return;
  EXPECT_LT((a - b).abs().max().item(), 1e-12);
}

TEST(Composed, ConvolutionsAreThoseOfTheCpu) {
  manual_seed(1);
  for (uint64_t seed = 0; seed < 300; ++seed) {
    DrawOfSeed draw(seed);
    const Conv2dProblem p = draw_conv2d_problem(draw);
    SCOPED_TRACE(conv2d_label(p));
    const auto drawn = [&](const std::array<int64_t, 4>& sizes) {
      return draw.boolean() ? random(sizes) : scattered(sizes);
    };
    const Tensor x = drawn(p.image), w = drawn(p.filter), y = drawn(p.response);
    const Tensor bias = draw.boolean() ? randn({p.filter[0], 2}, kFloat64).select(1, 1) : Tensor();
    Tensor composed = unset(p.response), own = unset(p.response);
    convolve(kOp, composed, x, w, bias, p);
    conv2d_kernel(kOp, kFloat64, kCPU, own, x, w, bias, p);
    expect_close(composed, own);
    composed = unset(p.image), own = unset(p.image);
    convolve_backward_input(kOp, composed, y, w, p);
    conv2d_backward_input_kernel(kOp, kFloat64, kCPU, own, y, w, p);
    expect_close(composed, own);
    composed = unset(p.filter), own = unset(p.filter);
    convolve_backward_weight(kOp, composed, y, x, p);
    conv2d_backward_weight_kernel(kOp, kFloat64, kCPU, own, y, x, p);
    expect_close(composed, own);
  }
}

TEST(Composed, SeveralPartsOfTheImagesAddUp) {
  // 3 x 3 windows of 32 channels at 128 x 128 places: an image is 4.7 million entries, so that 16
  // images are two parts.
  const Conv2dProblem p = conv2d_problem(kOp, {16, 32, 128, 128}, {1, 32, 3, 3}, 1, 1, 1, 1);
  manual_seed(2);
  const Tensor x = rand({16, 32, 128, 128}), y = rand({16, 1, 128, 128});
  Tensor composed = empty({1, 32, 3, 3}), own = empty({1, 32, 3, 3});
  convolve_backward_weight(kOp, composed, y, x, p);
  conv2d_backward_weight_kernel(kOp, kFloat32, kCPU, own, y, x, p);
  EXPECT_LT(((composed - own) / own).abs().max().item(), 1e-4);
}

TEST(Composed, WindowsAreThoseOfTheCpu) {
  manual_seed(3);
  for (uint64_t seed = 0; seed < 200; ++seed) {
    DrawOfSeed draw(seed);
    Conv2dProblem p = draw_conv2d_problem(draw);
    p.filter[1] = p.image[1];
    p.groups = 1;
    SCOPED_TRACE(conv2d_label(p));
    const Tensor image = random(p.image);
    const std::vector<int64_t> sizes = {p.image[0], p.window(), p.positions()};
    Tensor composed = full(sizes, 7.0, kFloat64), own = full(sizes, 7.0, kFloat64);
    unfold_windows(kOp, composed, image, p);
    im2col_kernel(kOp, kFloat64, kCPU, own, image, p);
    EXPECT_TRUE(composed.equal(own));
    const Tensor columns = randn(sizes, kFloat64);
    composed = unset(p.image), own = unset(p.image);
    fold_windows(kOp, composed, columns, p);
    col2im_kernel(kOp, kFloat64, kCPU, own, columns, p);
    expect_close(composed, own);
  }
}

}  // namespace
}  // namespace notape::cuda
