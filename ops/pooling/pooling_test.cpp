#include "ops/pooling.h"
#include "ops/linalg/testing/torch_example.h"

namespace notape::testing {
namespace {

const TorchExample kPools[] = {
    {.name = "max_pool1d",
     .inputs = {{{1, 2, 6}, 5}},
     .call = [](const variable_list& x) { return max_pool1d(x[0], 3, 2, 1); },
     .sizes = {1, 2, 3},
     .output = {1, 1, 1.5, 0.75, 1.25, 1.25},
     .gradients = {{0, 0, 0, 0, 1.5, 0, -0.75, 0, 0, 1.5, 0, 0}}},
    {.name = "max_pool1d dilated in ceil_mode",
     .inputs = {{{2, 6}, 5}},
     .call = [](const variable_list& x) { return max_pool1d(x[0], 2, 2, 0, 2, true); },
     .sizes = {2, 3},
     .output = {-0.25, 1.5, 1.5, 0.75, 0, -0.75},
     .gradients = {{-0.5, 0, 0, 0, 2, 0, -0.75, 0, 0.25, 0, 1.25, 0}}},
    {.name = "avg_pool1d",
     .inputs = {{{1, 2, 6}, 5}},
     .call = [](const variable_list& x) { return avg_pool1d(x[0], 3, 2, 1); },
     .sizes = {1, 2, 3},
     .output = {0.25, 0.083333333333, 0.41666666667, -0.16666666667, 0, 0.33333333333},
     .gradients = {{-0.16666666667, 0, 0.16666666667, 0.66666666667, 0.5, 0.5, -0.25,
                    -0.16666666667, 0.083333333333, 0.5, 0.41666666667, 0.41666666667}}},
    {.name = "avg_pool1d in ceil_mode",
     .inputs = {{{2, 6}, 5}},
     .call = [](const variable_list& x) { return avg_pool1d(x[0], 3, 2, 1, true, false); },
     .sizes = {2, 4},
     .output = {0.375, 0.083333333333, 0.41666666667, -0.5, -0.25, 0, 0.33333333333, 0.5},
     .gradients = {{-0.25, -0.083333333333, 0.16666666667, 0.66666666667, 0.5, -0.25, 0.125,
                    0.54166666667, 0.41666666667, 0.083333333333, -0.33333333333, -0.33333333333}}},
    {.name = "avg_pool2d",
     .inputs = {{{1, 1, 4, 5}, 5}},
     .call =
         [](const variable_list& x) {
           return avg_pool2d(x[0], {2, 3}, Pair(2, 1), {1, 0});
         },
     .sizes = {1, 1, 3, 3},
     .output = {-0.041666666667, 0.041666666667, 0.125, -0.45833333333, -0.29166666667, -0.125,
                0.125, 0.20833333333, 0.29166666667},
     .gradients = {{-0.083333333333,
                    0,
                    0.25,
                    0.33333333333,
                    0.25,
                    -0.125,
                    -0.083333333333,
                    0.125,
                    0.25,
                    0.20833333333,
                    -0.125,
                    -0.083333333333,
                    0.125,
                    0.25,
                    0.20833333333,
                    -0.16666666667,
                    -0.16666666667,
                    0,
                    0.16666666667,
                    0.16666666667}}},
    {.name = "avg_pool2d in ceil_mode",
     .inputs = {{{1, 5, 5}, 5}},
     .call = [](const variable_list& x) { return avg_pool2d(x[0], 3, 2, 1, true); },
     .sizes = {1, 3, 3},
     .output = {0.11111111111, -0.027777777778, 0.33333333333, -0.083333333333, -0.055555555556,
                0.25, -0.22222222222, 0.19444444444, 0},
     .gradients = {{-0.055555555556,
                    0,
                    0.055555555556,
                    0.22222222222,
                    0.16666666667,
                    -0.13888888889,
                    -0.055555555556,
                    0.083333333333,
                    0.38888888889,
                    0.30555555556,
                    -0.083333333333,
                    -0.055555555556,
                    0.027777777778,
                    0.16666666667,
                    0.13888888889,
                    -0.19444444444,
                    -0.16666666667,
                    0.027777777778,
                    0.27777777778,
                    0.25,
                    -0.11111111111,
                    -0.11111111111,
                    0,
                    0.11111111111,
                    0.11111111111}}},
    {.name = "avg_pool2d in ceil_mode beyond the padding",
     .inputs = {{{1, 4, 4}, 5}},
     .call = [](const variable_list& x) { return avg_pool2d(x[0], 3, 2, 0, true); },
     .sizes = {1, 2, 2},
     .output = {0.22222222222, -0.25, -0.041666666667, -0.0625},
     .gradients = {{-0.055555555556, -0.055555555556, 0.027777777778, 0.083333333333,
                    -0.055555555556, -0.055555555556, 0.027777777778, 0.083333333333, 0.19444444444,
                    0.19444444444, 0.090277777778, -0.10416666667, 0.25, 0.25, 0.0625, -0.1875}}},
    {.name = "avg_pool2d without the padding",
     .inputs = {{{1, 4, 4}, 5}},
     .call = [](const variable_list& x) { return avg_pool2d(x[0], 3, 2, 1, true, false); },
     .sizes = {1, 3, 3},
     .output = {0.4375, -0.125, -0.5, 0.083333333333, -0.027777777778, -0.58333333333, -0.875,
                -0.083333333333, -1},
     .gradients = {{-0.125, -0.041666666667, 0.083333333333, 0.83333333333, -0.25, -0.13888888889,
                    0.11111111111, 1.2777777778, -0.125, -0.097222222222, 0.027777777778,
                    0.44444444444, -0.625, -0.59722222222, 0.027777777778, 1.4444444444}}},
    {.name = "avg_pool2d with a divisor",
     .inputs = {{{1, 4, 4}, 5}},
     .call = [](const variable_list& x) { return avg_pool2d(x[0], 3, 2, 1, false, false, 5); },
     .sizes = {1, 2, 2},
     .output = {0.35, -0.15, 0.1, -0.05},
     .gradients = {{-0.1, 0, 0.1, 0.1, 0.2, 0.15, -0.05, -0.05, 0.3, 0.15, -0.15, -0.15, 0.3, 0.15,
                    -0.15, -0.15}}},
    {.name = "avg_pool3d",
     .inputs = {{{1, 2, 3, 3}, 5}},
     .call =
         [](const variable_list& x) {
           return avg_pool3d(x[0], {2, 2, 3}, 1, {1, 1, 0}, true, false);
         },
     .sizes = {1, 3, 4, 1},
     .output = {-0.083333333333, 0.16666666667, 0.125, -0.16666666667, 0.125, 0.10416666667, 0.0625,
                0.041666666667, 0.33333333333, 0.041666666667, 0, 0.25},
     .gradients = {{0.0625, 0.0625, 0.0625, 0.35416666667, 0.35416666667, 0.35416666667,
                    -0.083333333333, -0.083333333333, -0.083333333333, 0.27083333333, 0.27083333333,
                    0.27083333333, -0.22916666667, -0.22916666667, -0.22916666667, 0.125, 0.125,
                    0.125}}},
    {.name = "adaptive_avg_pool1d",
     .inputs = {{{1, 2, 5}, 5}},
     .call = [](const variable_list& x) { return adaptive_avg_pool1d(x[0], 3); },
     .sizes = {1, 2, 3},
     .output = {0.375, 0.083333333333, 0.875, 0.125, -0.16666666667, 0.625},
     .gradients = {{-0.25, -0.083333333333, 0.16666666667, 0.91666666667, 0.75, -0.375,
                    -0.29166666667, 0.083333333333, 0.70833333333, 0.625}}},
    {.name = "adaptive_avg_pool2d",
     .inputs = {{{1, 4, 5}, 5}},
     .call =
         [](const variable_list& x) {
           return adaptive_avg_pool2d(x[0], {3, 2});
         },
     .sizes = {1, 3, 2},
     .output = {-0.20833333333, 0.125, -0.45833333333, -0.125, -0.16666666667, 0.16666666667},
     .gradients = {{-0.083333333333, -0.083333333333, 0,     0.083333333333,  0.083333333333,
                    0.16666666667,   0.16666666667,   0.125, -0.041666666667, -0.041666666667,
                    0.29166666667,   0.29166666667,   0.375, 0.083333333333,  0.083333333333,
                    0.041666666667,  0.041666666667,  0.25,  0.20833333333,   0.20833333333}}},
    {.name = "adaptive_avg_pool2d to more",
     .inputs = {{{1, 2, 3}, 5}},
     .call =
         [](const variable_list& x) {
           return adaptive_avg_pool2d(x[0], {3, 5});
         },
     .sizes = {1, 3, 5},
     .output = {-0.25, 0.375, 1, 0, -1, 0, 0.625, 1.25, 0.25, -0.75, 0.25, 0.875, 1.5, 0.5, -0.5},
     .gradients = {{0.125, 1.375, -0.5, 0.5, -1.375, -0.125}}},
    {.name = "adaptive_avg_pool3d",
     .inputs = {{{1, 2, 3, 3}, 5}},
     .call =
         [](const variable_list& x) {
           return adaptive_avg_pool3d(x[0], {1, 2, 2});
         },
     .sizes = {1, 1, 2, 2},
     .output = {0.15625, 0.1875, -0.15625, 0.28125},
     .gradients = {{-0.0625, 0, 0.0625, 0.125, 0.09375, -0.03125, 0.1875, 0.09375, -0.09375,
                    -0.0625, 0, 0.0625, 0.125, 0.09375, -0.03125, 0.1875, 0.09375, -0.09375}}},
};

const TorchExample kMaxPools[] = {
    {.name = "adaptive_max_pool1d",
     .inputs = {{{1, 2, 5}, 5}},
     .call = [](const variable_list& x) { return std::get<0>(adaptive_max_pool1d(x[0], 3)); },
     .sizes = {1, 2, 3},
     .output = {1, 1, 1.5, 0.75, 0.75, 1.25},
     .gradients = {{0, 0, 0, 0, 1.5, 0, -0.5, 0, 0, 1.25}}},
    {.name = "adaptive_max_pool2d",
     .inputs = {{{1, 4, 5}, 5}},
     .call =
         [](const variable_list& x) {
           return std::get<0>(adaptive_max_pool2d(x[0], {3, 2}));
         },
     .sizes = {1, 3, 2},
     .output = {1, 1.5, 0.75, 1.25, 1.5, 1.5},
     .gradients = {{0, -0.5, 0, 0, 0.5, 0, 1.5, 0, 0, -0.75, 0, 0, 0, 0, 0, 0, 0, 1.5, 0, 0}}},
    {.name = "indices of adaptive_max_pool2d",
     .inputs = {{{1, 4, 5}, 5}},
     .call =
         [](const variable_list& x) {
           return std::get<1>(adaptive_max_pool2d(x[0], {3, 2})) + x[0].sum() * 0;
         },
     .sizes = {1, 3, 2},
     .output = {1, 4, 6, 9, 17, 17},
     .gradients = {{0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0}}},
    {.name = "max_pool3d",
     .inputs = {{{1, 3, 3, 4}, 5}},
     .call =
         [](const variable_list& x) {
           return max_pool3d(x[0], {2, 2, 3}, Triple(1, 2, 1), {1, 1, 0}, 1, true);
         },
     .sizes = {1, 4, 2, 2},
     .output = {1, 1, 1.5, 1.25, 1, 1, 1.5, 1.5, 1, 1, 1.5, 1.5, 0.5, 1, 1.5, 1.5},
     .gradients = {{0, 1.5, 0, 0, 0.5, 0, 0,    0, 0, -0.75, 0, 0, 0, 0, -0.25, 0, 0, 0.5,
                    0, 0,   0, 0, 0,   0, -1.5, 0, 0, -0.5,  0, 0, 2, 0, 0,     0, 0, 0}}},
    {.name = "max_pool3d dilated",
     .inputs = {{{1, 1, 3, 3, 4}, 5}},
     .call =
         [](const variable_list& x) {
           return max_pool3d(x[0], 2, 1, 0, {1, 2, 1});
         },
     .sizes = {1, 1, 2, 1, 3},
     .output = {1.25, 1.25, 1.25, 0.75, 1.25, 1.25},
     .gradients = {{0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,     0, 0, 0,
                    0, 0, 0, 0, 3, 0, 0, 0, 0, 0, 0, 0, 0, 0, -0.75, 0, 0, 0}}},
};

TEST(Pooling, HasTheValuesAndGradientsOfLibTorch) {
  for (const TorchExample& example : kMaxPools) expect_example(example);
  for (const TorchExample& example : kPools) expect_example(example);
}

TEST(Pooling, GivesPositionsInTheRow) {
  const auto [values, indices] = max_pool1d_with_indices(constant({{1, 3, 2, 5, 4}}), 2, 2);
  expect_close(values, {3, 5});
  expect_close(indices, {1, 3});
}

TEST(Pooling, OfNoImagesGivesNone) {
  const Tensor none = zeros({0, 2, 4, 4});
  EXPECT_EQ(avg_pool2d(none, 2).sizes(), IntArrayRef({0, 2, 2, 2}));
  EXPECT_EQ(adaptive_avg_pool2d(none, 3).sizes(), IntArrayRef({0, 2, 3, 3}));
  EXPECT_EQ(adaptive_avg_pool2d(zeros({1, 2, 4, 4}), {0, 3}).sizes(), IntArrayRef({1, 2, 0, 3}));
}

// Numbers from LibTorch 1.13.
TEST(Pooling, AveragesWholeNumbersWithoutARest) {
  const Tensor row = arange(5) * 7 - 9, image = (arange(9) * 7 - 9).reshape({1, 3, 3});
  expect_values(avg_pool1d(row.reshape({1, 5}), 2, {}, 1, true), {-4, 1, 15});
  expect_values(avg_pool2d(image, 2, {}, 1, true), {-2, 0, 11, 33});
  const Tensor volume = (arange(27) * 7 - 9).reshape({1, 3, 3, 3});
  expect_values(avg_pool3d(volume, 2, {}, 1, true), {-1, 0, 5, 16, 21, 48, 58, 127});
  EXPECT_EQ(avg_pool2d(image, 2).dtype(), kInt64);
  expect_values(avg_pool2d(tensor({{{-7, -2}, {3, 1}}}), 2), {-1});
  expect_values(avg_pool2d(tensor({{{-7, -2}, {3, 1}}}), 2, {}, 0, false, true, -2), {2});
  expect_error<DtypeError>("avg_pool2d", [&] { avg_pool2d(image.to(kInt32), 2); });
}

TEST(Pooling, AveragesWideImagesAsItDoesWindowByWindow) {
  const Tensor image = arange(2 * 67 * 131).to(kFloat64).remainder(19).reshape({1, 2, 67, 131});
  for (const int64_t kernel : {1, 2, 3, 4})
    for (const int64_t stride : {1, 2, 3})
      for (const int64_t padding : {int64_t{0}, kernel / 2}) {
        const Tensor padded = constant_pad_nd(image, {padding, padding, padding, padding});
        const Tensor windows = padded.unfold(2, kernel, stride).unfold(3, kernel, stride);
        const Tensor averages = avg_pool2d(image, kernel, stride, padding);
        ASSERT_EQ(averages.sizes(), windows.sizes().slice(0, 4));
        ASSERT_TRUE(allclose(averages, windows.mean({4, 5}), 1e-14, 1e-14))
            << kernel << " " << stride << " " << padding;
      }
}

TEST(Pooling, OfPaddingAloneIsMinusInfinity) {
  const Tensor x = zeros({1, 1, 1, 2}, kFloat64).requires_grad_();
  const auto [values, indices] =
      max_pool3d_with_indices(x, {1, 1, 2}, Triple(1), {0, 0, 1}, {1, 1, 3});
  expect_close(values, {-kInfinity});
  expect_close(indices, {-1});
  values.sum().backward();
  expect_close(x.grad(), {0, 0});
  const Tensor whole = std::get<0>(max_pool3d_with_indices(zeros({1, 1, 1, 2}, kInt32), {1, 1, 2},
                                                           Triple(1), {0, 0, 1}, {1, 1, 3}));
  EXPECT_EQ(whole.item<int32_t>(), std::numeric_limits<int32_t>::lowest());
}

TEST(Pooling, OfOnePixelHasAnyDilation) {
  constexpr int64_t far = std::numeric_limits<int64_t>::max();
  const Tensor line = -arange(4, kFloat64).reshape({1, 4}), image = line.reshape({1, 2, 2});
  const Tensor volume = line.reshape({1, 1, 2, 2});
  for (const int64_t dilation : {far, far / 2 + 2}) {
    EXPECT_TRUE(max_pool1d(line, 1, 1, 0, dilation).equal(line));
    EXPECT_TRUE(max_pool2d(image, 1, Pair(1), 0, dilation).equal(image));
    EXPECT_TRUE(max_pool3d(volume, 1, Triple(1), 0, dilation).equal(volume));
  }
}

TEST(Pooling, SumsIn16BitsAreRoundedOnce) {
  const Tensor x = ones({1, 1, 4096}, kFloat16);
  expect_values(avg_pool1d(x, 4096), {1});
}

TEST(Pooling, RejectsWrongArguments) {
  const Tensor x = zeros({1, 4, 5}), row = zeros({2, 5});
  expect_error<ValueError>("avg_pool2d: kernel", [&] { avg_pool2d(x, {0, 2}); });
  expect_error<ValueError>("stride", [&] { avg_pool2d(x, 2, {0}); });
  expect_error<ValueError>("at most half", [&] { avg_pool2d(x, 2, 2, 2); });
  expect_error<ValueError>("non-negative", [&] { avg_pool2d(x, 2, 2, -1); });
  expect_error<ValueError>("divisor", [&] { avg_pool2d(x, 2, 2, 0, false, true, 0); });
  expect_error<ShapeError>("too small", [&] { avg_pool2d(x, 6); });
  expect_error<ShapeError>("avg_pool2d: Expected 3D or 4D", [&] { avg_pool2d(row, 2); });
  expect_error<ShapeError>("Expected 3D or 4D", [&] { avg_pool2d(zeros({1, 0, 4, 4}), 2); });
  expect_error<DtypeError>("avg_pool2d", [&] { avg_pool2d(x.to(kInt32), 2); });
  expect_error<ShapeError>("avg_pool1d: Expected 2D or 3D", [&] { avg_pool1d(zeros({5}), 2); });
  expect_error<ShapeError>("max_pool1d", [&] { max_pool1d(zeros({5}), 2); });
  expect_error<ValueError>("dilation", [&] { max_pool1d(row, 2, 1, 0, 0); });
  expect_error<ShapeError>("too small", [&] { max_pool1d(row, 6); });
  expect_error<ValueError>("output_size", [&] { adaptive_avg_pool2d(x, {-1, 2}); });
  expect_error<ShapeError>("adaptive_avg_pool2d", [&] { adaptive_avg_pool2d(row, 2); });
  expect_error<ShapeError>("adaptive_avg_pool1d", [&] { adaptive_avg_pool1d(zeros({2, 0}), 2); });
  expect_error<ShapeError>("max_pool3d", [&] { max_pool3d(x, 2); });
  expect_error<ValueError>("dilation", [&] { max_pool3d(zeros({1, 2, 2, 2}), 2, 1, 0, 0); });
  expect_error<ShapeError>("too small", [&] { max_pool3d(zeros({1, 2, 2, 2}), 3); });
  expect_error<ValueError>("output_size", [&] { adaptive_max_pool2d(x, {-1, 2}); });
  expect_error<ShapeError>("adaptive_max_pool1d", [&] { adaptive_max_pool1d(zeros({5}), 2); });
  expect_error<ValueError>("one or three", [&] { avg_pool3d(zeros({1, 2, 2, 2}), {1, 2}); });
}

}  // namespace
}  // namespace notape::testing
