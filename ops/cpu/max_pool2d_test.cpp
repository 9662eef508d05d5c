// Max pooling by lines against a loop over each window.
#include <cmath>

#include "autograd/testing/expect.h"
#include "ops/ops.h"

namespace notape::testing {
namespace {

struct Pool {
  int64_t height, width;
  Pair kernel, stride, padding, dilation;
};

/// The position of each window's first NaN, else of its first largest pixel; -1 without pixels.
std::vector<int64_t> plain_positions(const std::vector<double>& pixels, const Pool& p,
                                     int64_t planes, int64_t rows, int64_t columns) {
  std::vector<int64_t> positions;
  for (int64_t o = 0; o < planes * rows * columns; ++o) {
    const int64_t i = o / columns % rows, j = o % columns, plane = o / columns / rows;
    int64_t best = -1;
    double largest = 0;
    for (int64_t k = 0; k < p.kernel[0] * p.kernel[1]; ++k) {
      const int64_t h = i * p.stride[0] - p.padding[0] + k / p.kernel[1] * p.dilation[0];
      const int64_t w = j * p.stride[1] - p.padding[1] + k % p.kernel[1] * p.dilation[1];
      if (h < 0 || h >= p.height || w < 0 || w >= p.width) continue;
      const double pixel = pixels[static_cast<std::size_t>((plane * p.height + h) * p.width + w)];
      if (best >= 0 && !(pixel > largest) && !(std::isnan(pixel) && !std::isnan(largest))) continue;
      best = h * p.width + w;
      largest = pixel;
    }
    positions.push_back(best);
  }
  return positions;
}

void expect_plain_maxima(const Tensor& x, const Pool& p, bool ceil_mode) {
  SCOPED_TRACE(::testing::Message()
               << p.height << "x" << p.width << ", kernel " << p.kernel[0] << "x" << p.kernel[1]
               << ", stride " << p.stride[0] << "x" << p.stride[1] << ", padding " << p.padding[0]
               << "x" << p.padding[1] << ", dilation " << p.dilation[0] << "x" << p.dilation[1]
               << ", ceil_mode " << ceil_mode << ", " << name_of(x.dtype()));
  const auto [largest, indices] =
      max_pool2d_with_indices(x, p.kernel, p.stride, p.padding, p.dilation, ceil_mode);
  const std::vector<double> pixels = values(x), found = values(largest);
  const std::vector<int64_t> expected =
      plain_positions(pixels, p, x.size(0), largest.size(1), largest.size(2));
  ASSERT_EQ(values(indices), std::vector<double>(expected.begin(), expected.end()));
  const int64_t windows = largest.size(1) * largest.size(2);
  for (std::size_t o = 0; o < expected.size(); ++o) {
    const auto plane = static_cast<std::size_t>(static_cast<int64_t>(o) / windows * p.height);
    const double pixel = expected[o] < 0 ? -HUGE_VAL
                                         : pixels[plane * static_cast<std::size_t>(p.width) +
                                                  static_cast<std::size_t>(expected[o])];
    ASSERT_TRUE(found[o] == pixel || (std::isnan(found[o]) && std::isnan(pixel))) << o;
  }
}

/// Whole numbers, so that windows have ties; some planes with NaN and infinities.
Tensor image(int64_t planes, int64_t height, int64_t width, ScalarType type) {
  Tensor x = to(randint(-9, 9, {planes, height, width}), kFloat64);
  double* pixels = x.data_ptr<double>();
  for (int64_t i = 0; i < x.numel(); i += 7) {
    if (i / (height * width) % 2 == 0) continue;
    pixels[i] = i % 3 == 0 ? std::nan("") : i % 3 == 1 ? HUGE_VAL : -HUGE_VAL;
  }
  return to(x, type);
}

TEST(MaxPool2dLines, PickWhatALoopOverEachWindowPicks) {
  const Pair kernels[] = {2, 3, {1, 5}, {4, 1}, {2, 7}}, dilations[] = {1, {2, 3}, {3, 2}};
  const Pair strides[] = {1, 2, {1, 3}, {3, 2}, {2, 16}, {1, 17}};
  for (const Pair size : {Pair(9, 40), Pair(8, 7), Pair(31, 33), Pair(14, 16)})
    for (const Pair kernel : kernels)
      for (const Pair stride : strides)
        for (const Pair dilation : dilations)
          for (const bool pads : {false, true}) {
            const Pair padding = pads ? Pair(kernel[0] / 2, kernel[1] / 2) : Pair(0);
            if (size[0] + 2 * padding[0] <= dilation[0] * (kernel[0] - 1) ||
                size[1] + 2 * padding[1] <= dilation[1] * (kernel[1] - 1))
              continue;
            for (const ScalarType type : {kFloat32, kFloat64})
              expect_plain_maxima(image(2, size[0], size[1], type),
                                  {size[0], size[1], kernel, stride, padding, dilation}, !pads);
          }
}

TEST(MaxPool2dLines, AreCopiedInPartsOfLargePlanes) {
  for (const ScalarType type : {kFloat32, kFloat64, kInt64})
    for (const Pool& p : {Pool{300, 170, 3, 2, 1, 1}, Pool{5, 20000, {5, 3}, 1, {2, 1}, {1, 2}},
                          Pool{400, 150, {3, 2}, {5, 1}, 1, {2, 1}},
                          Pool{40000, 3, {7, 2}, {2, 1}, {3, 1}, {3, 1}}}) {
      const Tensor x = image(1, p.height, p.width, kFloat64);
      expect_plain_maxima(to(type == kInt64 ? nan_to_num(x, 3, 1000, -1000) : x, type), p, true);
    }
}

TEST(MaxPool2dLines, SeeTheFirstPixelWhereAllAreAsSmallAsPadding) {
  for (const ScalarType type : {kFloat32, kFloat64})
    for (const Pair stride : {Pair(1), Pair(2)}) {
      const Tensor x = full({2, 11, 13}, -HUGE_VAL, type);
      expect_plain_maxima(x, {11, 13, 3, stride, 1, 1}, false);
      expect_plain_maxima(x, {11, 13, {2, 3}, stride, 1, {4, 2}}, false);
      expect_plain_maxima(full({1, 1, 1}, -HUGE_VAL, type), {1, 1, 2, 1, 1, 2}, false);
    }
}

TEST(MaxPool2dLines, GiveTheSameWhateverTheLayoutAndTheThreads) {
  const Tensor x = image(70, 18, 20, kFloat32);
  const Tensor turned = x.transpose(1, 2).contiguous().transpose(1, 2);
  const int threads = get_num_threads();
  const Tensor indices = std::get<1>(max_pool2d_with_indices(x, 3, 2, 1));
  set_num_threads(1);
  const Tensor alone = std::get<1>(max_pool2d_with_indices(turned, 3, 2, 1));
  set_num_threads(threads);
  EXPECT_EQ(values(indices), values(alone));
}

}  // namespace
}  // namespace notape::testing
