#include "ops/linalg/testing/pattern.h"

namespace notape::testing {
namespace {

struct Case {
  const char* name;
  std::vector<int64_t> input;
  Pair kernel, stride, padding, dilation;
  bool ceil_mode;
  std::vector<int64_t> sizes;
  std::vector<double> output, indices, gradient;
};
// What LibTorch computes for image(input) and the incoming gradient pattern(sizes, 4).
const Case kCases[] = {
    {.name = "plain",
     .input = {1, 4, 4},
     .kernel = 2,
     .stride = 2,
     .padding = 0,
     .dilation = 1,
     .ceil_mode = false,
     .sizes = {1, 2, 2},
     .output = {77, 87, 96, 76},
     .indices = {5, 2, 9, 15},
     .gradient = {0, 0, 0.5, 0, 0, -0.5, 0, 0, 0, 1.5, 0, 0, 0, 0, 0, -0.75}},
    {.name = "overlapping windows",
     .input = {1, 4, 4},
     .kernel = {3, 2},
     .stride = 1,
     .padding = 0,
     .dilation = 1,
     .ceil_mode = false,
     .sizes = {1, 2, 3},
     .output = {96, 96, 87, 96, 96, 76},
     .indices = {9, 9, 2, 9, 9, 15},
     .gradient = {0, 0, 1.5, 0, 0, 0, 0, 0, 0, -0.5, 0, 0, 0, 0, 0, 1.25}},
    {.name = "padding",
     .input = {1, 1, 4, 5},
     .kernel = 3,
     .stride = 2,
     .padding = 1,
     .dilation = 1,
     .ceil_mode = false,
     .sizes = {1, 1, 2, 3},
     .output = {77, 87, 96, 77, 86, 96},
     .indices = {5, 2, 9, 5, 12, 9},
     .gradient = {0, 0, 0.5, 0, 0, -1.25, 0, 0, 0, 2.75, 0, 0, 0.25, 0, 0, 0, 0, 0, 0, 0}},
    {.name = "ceil_mode",
     .input = {1, 5, 5},
     .kernel = 2,
     .stride = 2,
     .padding = 0,
     .dilation = 1,
     .ceil_mode = true,
     .sizes = {1, 3, 3},
     .output = {77, 87, 96, 76, 86, 95, 56, 85, 46},
     .indices = {5, 2, 9, 15, 12, 19, 21, 22, 24},
     .gradient = {0, 0, 0.5,   0, 0, -0.5, 0,    0, 0,  1.5, 0, 0, 0.25,
                  0, 0, -0.75, 0, 0, 0,    1.25, 0, -1, 0,   0, 1}},
    {.name = "floor",
     .input = {1, 5, 5},
     .kernel = 2,
     .stride = 2,
     .padding = 0,
     .dilation = 1,
     .ceil_mode = false,
     .sizes = {1, 2, 2},
     .output = {77, 87, 76, 86},
     .indices = {5, 2, 15, 12},
     .gradient = {0, 0, 0.5, 0, 0, -0.5, 0, 0, 0, 0, 0, 0, -0.75,
                  0, 0, 1.5, 0, 0, 0,    0, 0, 0, 0, 0, 0}},
    {.name = "dilation",
     .input = {1, 5, 6},
     .kernel = 2,
     .stride = 1,
     .padding = 0,
     .dilation = {2, 3},
     .ceil_mode = false,
     .sizes = {1, 3, 3},
     .output = {86, 58, 87, 96, 95, 67, 86, 75, 94},
     .indices = {12, 1, 2, 9, 19, 8, 12, 25, 29},
     .gradient = {0, 0.5, 1.5, 0, 0,    0, 0, 0, 1.25, -0.75, 0, 0, -1.5, 0, 0,
                  0, 0,   0,   0, 0.25, 0, 0, 0, 0,    0,     0, 0, 0,    0, 1}},
    {.name = "ceil_mode and padding",
     .input = {2, 5, 4},
     .kernel = 3,
     .stride = {2, 3},
     .padding = 1,
     .dilation = 1,
     .ceil_mode = true,
     .sizes = {2, 3, 2},
     .output = {77, 87, 96, 76, 86, 95, 75, 85, 94, 74, 84, 93},
     .indices = {5, 2, 9, 15, 12, 19, 5, 2, 9, 15, 12, 19},
     .gradient = {0, 0, 0.5, 0, 0, -0.5, 0, 0, 0, 1.5, 0, 0, 0.25,  0, 0, -0.75, 0, 0, 0, 1.25,
                  0, 0, 0,   0, 0, -1,   0, 0, 0, 1,   0, 0, -0.25, 0, 0, -1.25, 0, 0, 0, 0.75}},
    {.name = "ceil_mode drops windows in the padding",
     .input = {1, 3, 3},
     .kernel = 2,
     .stride = 2,
     .padding = 1,
     .dilation = 1,
     .ceil_mode = true,
     .sizes = {1, 2, 2},
     .output = {29, 87, 19, 77},
     .indices = {0, 2, 3, 5},
     .gradient = {-0.5, 0, 0.5, 1.5, 0, -0.75, 0, 0, 0}},
    {.name = "batch and channels",
     .input = {2, 2, 3, 3},
     .kernel = 2,
     .stride = 1,
     .padding = 0,
     .dilation = 1,
     .ceil_mode = false,
     .sizes = {2, 2, 2, 2},
     .output = {58, 87, 48, 77, 96, 57, 86, 47, 95, 95, 85, 85, 65, 94, 55, 84},
     .indices = {1, 2, 4, 5, 0, 2, 3, 5, 1, 1, 4, 4, 1, 2, 4, 5},
     .gradient = {0, -0.5,  0.5, 0, 1.5, -0.75, 0, 0, 0, 0.25, 0,    1.25, -1, 0,   0,   0, 0, 0,
                  0, -0.25, 0,   0, 0.5, 0,     0, 0, 0, 0,    -1.5, -0.5, 0,  0.5, 1.5, 0, 0, 0}},
    {.name = "all",
     .input = {1, 2, 6, 7},
     .kernel = {2, 3},
     .stride = {3, 2},
     .padding = {1, 1},
     .dilation = {1, 2},
     .ceil_mode = true,
     .sizes = {1, 2, 3, 3},
     .output = {58, 77, 77, 85, 95, 95, 64, 64, 64, 73, 73, 73, 91, 91, 91, 60, 79, 79},
     .indices = {1, 5, 5, 22, 19, 19, 38, 38, 38, 3, 3, 3, 17, 17, 17, 36, 40, 40},
     .gradient = {0, -0.5,  0, 0,     0, 2, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,   0, 0,    0, 1.5,  0,
                  0, -0.75, 0, 0,     0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,   0, 0,    0, 0,    0,
                  0, 0,     0, -0.75, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,   0, -1.5, 0, 0,    0,
                  0, 0,     0, 0,     0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1.5, 0, 0,    0, -0.5, 0}},
};

/// 29, 58, 87, 19, ...: no two equal.
Tensor image(const std::vector<int64_t>& sizes) {
  Tensor result = empty(sizes, kFloat64);
  for (int64_t i = 0; i < result.numel(); ++i)
    result.data_ptr<double>()[i] = static_cast<double>((i + 1) * 29 % 97);
  return result;
}

std::tuple<Tensor, Tensor> run(const Case& one, const Tensor& x) {
  return max_pool2d_with_indices(x, one.kernel, one.stride, one.padding, one.dilation,
                                 one.ceil_mode);
}

TEST(MaxPool2d, HasLibTorchsValuesIndicesAndGradients) {
  for (const Case& one : kCases) {
    SCOPED_TRACE(one.name);
    const Tensor x = image(one.input).requires_grad_();
    const auto [largest, indices] = run(one, x);
    EXPECT_EQ(largest.sizes(), IntArrayRef(one.sizes));
    expect_values(largest, one.output);
    EXPECT_EQ(indices.dtype(), kInt64);
    EXPECT_FALSE(indices.requires_grad());
    expect_values(indices, one.indices);
    largest.backward(pattern(one.sizes, 4));
    expect_values(x.grad(), one.gradient);
    expect_values(max_pool2d(x, one.kernel, one.stride, one.padding, one.dilation, one.ceil_mode),
                  one.output);
  }
}

TEST(MaxPool2d, TakesImagesAndGradientsInEveryLayout) {
  for (const Case& one : kCases) {
    SCOPED_TRACE(one.name);
    std::vector<int> order;
    for (auto d = static_cast<int>(one.input.size()); d-- > 0;) order.push_back(d);
    const Tensor x = laid_out(image(one.input), order, 1).requires_grad_();
    const Tensor largest = std::get<0>(run(one, x));
    expect_values(largest, one.output);
    largest.backward(laid_out(pattern(one.sizes, 4), order, 2));
    expect_values(x.grad(), one.gradient);
  }
}

TEST(MaxPool2d, IsLinearInTheGradientToEveryOrder) {
  for (const Case& one : kCases) {
    SCOPED_TRACE(one.name);
    const Tensor x = image(one.input).requires_grad_();
    const Tensor incoming = pattern_leaf(one.sizes, 4);
    const Tensor first = autograd::grad({std::get<0>(run(one, x))}, {x}, {incoming}, {}, true)[0];
    // Of <scatter(u), v> with respect to u: gather(v); of that, with respect to v: scatter again.
    const Tensor v = pattern_leaf(one.input, 3);
    const Tensor second = autograd::grad({first}, {incoming}, {v}, {}, true)[0];
    std::vector<double> picked;
    const std::vector<double> all = values(v);
    const int64_t plane = x.size(-1) * x.size(-2), outputs = second.size(-1) * second.size(-2);
    for (std::size_t i = 0; i < one.indices.size(); ++i)
      picked.push_back(all[static_cast<std::size_t>(static_cast<int64_t>(i) / outputs * plane) +
                           static_cast<std::size_t>(one.indices[i])]);
    expect_values(second, picked);
    const Tensor third = autograd::grad({second}, {v}, {pattern(one.sizes, 4)})[0];
    expect_values(third, one.gradient);
  }
}

TEST(MaxPool2d, CarriesTheTangentOfThePickedPixel) {
  const Case& one = kCases[2];
  const autograd::forward_ad::DualLevelGuard level;
  const Tensor direction = pattern(one.input, 3);
  const Tensor x = autograd::forward_ad::make_dual(image(one.input), direction);
  const Tensor tangent = autograd::forward_ad::unpack_dual(std::get<0>(run(one, x))).tangent;
  const std::vector<double> along = values(direction);
  std::vector<double> expected;
  for (double index : one.indices) expected.push_back(along[static_cast<std::size_t>(index)]);
  expect_values(tangent, expected);
}

TEST(MaxPool2d, PicksTheFirstOfEqualPixels) {
  const Tensor x = ones({1, 3, 3}, dtype(kFloat64).requires_grad(true));
  const auto [largest, indices] = max_pool2d_with_indices(x, 2, 1);
  expect_values(indices, {0, 1, 3, 4});
  largest.sum().backward();
  expect_values(x.grad(), {1, 1, 0, 1, 1, 0, 0, 0, 0});
}

TEST(MaxPool2d, PrefersNaNAndThenTheFirst) {
  const double nan = std::nan(""), infinity = std::numeric_limits<double>::infinity();
  const Tensor x = constant({{{infinity, nan, 1}, {nan, 2, 3}}});
  const auto [largest, indices] = max_pool2d_with_indices(x, 2, 1);
  for (double value : values(largest)) EXPECT_TRUE(std::isnan(value));
  expect_values(indices, {1, 1});
}

TEST(MaxPool2d, FindsTheFirstPixelWhereAllAreMinusInfinity) {
  const double infinity = std::numeric_limits<double>::infinity();
  const auto [largest, indices] =
      max_pool2d_with_indices(full({1, 2, 2}, -infinity, kFloat64), 2, 2, 1);
  expect_values(indices, {0, 1, 2, 3});
  for (double value : values(largest)) EXPECT_EQ(value, -infinity);
}

TEST(MaxPool2d, OfPaddingAloneIsMinusInfinityAndHasNoGradient) {
  // Dilation 2 steps over the only row and column of each plane.
  const Tensor x = constant({{{5}}, {{6}}}).requires_grad_();
  const auto [largest, indices] = max_pool2d_with_indices(x, 2, 1, 1, 2);
  for (double value : values(largest)) EXPECT_EQ(value, -std::numeric_limits<double>::infinity());
  expect_values(indices, {-1, -1});
  const Tensor incoming = constant({{{7}}, {{8}}}).requires_grad_();
  const Tensor gradient = autograd::grad({largest}, {x}, {incoming}, {}, true)[0];
  expect_values(gradient, {0, 0});
  expect_values(autograd::grad({gradient}, {incoming}, {ones({2, 1, 1}, kFloat64)})[0], {0, 0});
}

TEST(MaxPool2d, DefaultsItsStrideToTheKernel) {
  EXPECT_EQ(max_pool2d(zeros({1, 6, 9}), {2, 3}).sizes(), IntArrayRef({1, 3, 3}));
  EXPECT_EQ(max_pool2d(zeros({1, 6, 9}), {2, 3}, {}).sizes(), IntArrayRef({1, 3, 3}));
}

TEST(MaxPool2d, TakesItsStrideInBraces) {
  EXPECT_EQ(max_pool2d(zeros({1, 6, 9}), {2, 3}, {1}).sizes(), IntArrayRef({1, 5, 7}));
  EXPECT_EQ(max_pool2d(zeros({1, 6, 9}), {2, 3}, {1, 2}, {1, 0}).sizes(), IntArrayRef({1, 7, 4}));
  EXPECT_EQ(max_pool3d(zeros({1, 4, 6, 9}), 2, {1, 2, 3}).sizes(), IntArrayRef({1, 3, 3, 3}));
  expect_error<ValueError>({"one or two numbers"}, [] {
    max_pool2d(zeros({1, 6, 9}), 2, {1, 2, 3});
  });
}

TEST(MaxPool2d, TakesIntegersAndEmptyBatches) {
  const Tensor x = tensor({{{1, -2}, {7, 3}}});
  EXPECT_EQ(max_pool2d(x, 2).item<int64_t>(), 7);
  EXPECT_EQ(max_pool2d(x, 2).dtype(), kInt64);
  const Tensor batch = empty({0, 2, 4, 4}, dtype(kFloat64).requires_grad(true));
  const Tensor largest = max_pool2d(batch, 2);
  EXPECT_EQ(largest.sizes(), IntArrayRef({0, 2, 2, 2}));
  largest.sum().backward();
  EXPECT_EQ(batch.grad().sizes(), batch.sizes());
}

TEST(MaxPool2d, NoticesThatItsIndicesWereOverwritten) {
  const Tensor x = image({1, 4, 4}).requires_grad_();
  auto [largest, indices] = max_pool2d_with_indices(x, 2);
  indices.fill_(0);
  EXPECT_THROW(largest.sum().backward(), SavedTensorModified);
}

TEST(MaxPool2d, RefusesParametersOutOfRange) {
  const Tensor x = zeros({1, 2, 5, 5});
  expect_error<ValueError>(
      "pad should be at most half of kernel size, but got pad=2 and "
      "kernel_size=3",
      [&] { max_pool2d(x, 3, 1, 2); });
  expect_error<ValueError>("pad must be non-negative, but got pad: -1", [&] {
    max_pool2d(x, 3, 1, {0, -1});
  });
  expect_error<ValueError>("kernel size should be greater than zero, but got kH: 0 kW: 2", [&] {
    max_pool2d(x, {0, 2});
  });
  expect_error<ValueError>("stride should be greater than zero, but got dH: 1 dW: 0",
                           [&] { max_pool2d(x, 2, Pair(1, 0)); });
  expect_error<ValueError>(
      "dilation should be greater than zero, but got dilationH: 0 dilationW: 0",
      [&] { max_pool2d(x, 2, 2, 0, 0); });
}

TEST(MaxPool2d, RefusesImagesThatDoNotFit) {
  expect_error<ShapeError>(
      "Given input size: (2x2x2). Calculated output size: (2x0x0). Output size is too small", [] {
        max_pool2d(zeros({1, 2, 2, 2}), 3);
      });
  for (const std::vector<int64_t>& sizes : std::vector<std::vector<int64_t>>{
           {4, 4}, {1, 0, 4, 4}, {1, 2, 0, 4}, {0, 4, 4}, {1, 1, 1, 4, 4}})
    expect_error<ShapeError>("Expected 3D or 4D (batch mode) tensor",
                             [&] { max_pool2d(zeros(sizes), 2); });
  expect_error<NoKernel>("not implemented for bool on cpu", [] {
    max_pool2d(zeros({1, 2, 2}, kBool), 2);
  });
}

}  // namespace
}  // namespace notape::testing
