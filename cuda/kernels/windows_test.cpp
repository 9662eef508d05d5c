// Resampling and pooling on a GPU beside the CPU's, to the last bit.
#include <cmath>
#include <limits>

#include "cuda/testing/gpu_test.h"
#include "ops/conv/max_pool2d.h"
#include "ops/core/window_count.h"
#include "ops/ops.h"
#include "ops/resample/resample.h"
#include "ops/spec/testing/drawn_row.h"

namespace notape::cuda {
namespace {

using notape::testing::DrawOfSeed;

struct GpuWindows : testing::GpuTest {};

const Device kGpuOfWindows(kCUDA);
const Operation kOp("test", SourceLocation());

void expect_same(const Tensor& here, const Tensor& there) {
  const Tensor back = there.cpu();
  EXPECT_TRUE(back.eq(here).logical_or(back.ne(back)).all().item<bool>()) << here << back;
  EXPECT_TRUE(back.ne(back).equal(here.ne(here)));
}

TEST_F(GpuWindows, ResamplesAsTheCpu) {
  manual_seed(5);
  for (uint64_t seed = 0; seed < 200; ++seed) {
    DrawOfSeed draw(seed);
    SCOPED_TRACE(seed);
    const int64_t outer = draw.integer(0, 3), rows = draw.integer(0, 5), inner = draw.integer(0, 4);
    SparseRows matrix;
    matrix.columns = draw.integer(1, 6);
    for (int64_t row = 0; row < rows; ++row, matrix.end_row())
      for (int64_t terms = draw.integer(0, 4); terms > 0; --terms)
        matrix.add(draw.integer(0, matrix.columns - 1), static_cast<double>(draw.integer(-2, 2)));
    for (const ScalarType type : {kFloat64, kFloat32, kInt32, kUInt8}) {
      Tensor x = (10 * randn({outer, matrix.columns, inner})).to(type);
      if (x.is_floating_point()) x = x.masked_fill(x.gt(15), NAN);  // not read without a weight
      const Tensor own = full({outer, rows, inner}, 7, type), there = own.to(kGpuOfWindows);
      resample_kernel(kOp, type, kCPU, own, x, matrix, inner);
      resample_kernel(kOp, type, kGpuOfWindows, there, x.to(kGpuOfWindows), matrix, inner);
      expect_same(own, there);
    }
  }
}

/// Few numbers, so that there are ties, NaNs and infinities.
Tensor with_ties(const std::vector<int64_t>& sizes) {
  const Tensor values = tensor({0.0, 1.0, 2.0, -std::numeric_limits<double>::infinity(),
                                std::numeric_limits<double>::quiet_NaN()},
                               kFloat64);
  int64_t count = 1;
  for (const int64_t size : sizes) count *= size;
  return values.index_select(0, randint(5, {count})).reshape(sizes);
}

TEST_F(GpuWindows, PicksTheMaximaOfTheCpu) {
  manual_seed(4);
  for (uint64_t seed = 0; seed < 300; ++seed) {
    DrawOfSeed draw(seed);
    MaxPool2dProblem p{.planes = draw.integer(1, 3)};
    for (std::size_t d = 0; d < 2; ++d) {
      p.kernel[d] = draw.integer(1, 3);
      p.stride[d] = draw.integer(1, 3);
      p.padding[d] = draw.integer(0, p.kernel[d] / 2);
      p.dilation[d] = draw.integer(1, 3);
    }
    p.height = draw.integer(3, 7), p.width = draw.integer(3, 7);
    const auto count = [&](int64_t size, std::size_t d) {
      return window_count(size, p.kernel[d], p.stride[d], p.padding[d], p.dilation[d],
                          draw.boolean());
    };
    p.rows = count(p.height, 0), p.columns = count(p.width, 1);
    if (p.rows < 1 || p.columns < 1) continue;
    SCOPED_TRACE(seed);
    const std::vector<int64_t> pixels = {p.planes, p.height, p.width},
                               windows = {p.planes, p.rows, p.columns};
    const Tensor image = with_ties(pixels);
    const auto both = [&](const auto& kernel, const std::vector<int64_t>& sizes,
                          const auto&... operands) {
      const Tensor own = zeros(sizes, kFloat64), there = own.to(kGpuOfWindows);
      kernel(kOp, kFloat64, kCPU, own, operands..., p);
      kernel(kOp, kFloat64, kGpuOfWindows, there, operands.to(kGpuOfWindows)..., p);
      expect_same(own, there);
    };
    const Tensor own = zeros(windows, kFloat64), there = own.to(kGpuOfWindows);
    const Tensor at = zeros(windows, kInt64), at_there = at.to(kGpuOfWindows);
    max_pool2d_kernel(kOp, kFloat64, kCPU, own, at, image, p);
    max_pool2d_kernel(kOp, kFloat64, kGpuOfWindows, there, at_there, image.to(kGpuOfWindows), p);
    expect_same(own, there);
    expect_same(at, at_there);
    both(max_pool2d_gather_kernel, windows, image, at);
    both(max_pool2d_scatter_kernel, pixels, randn(windows, kFloat64), at);
  }
}

}  // namespace
}  // namespace notape::cuda
