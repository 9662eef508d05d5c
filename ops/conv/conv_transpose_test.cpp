// Convolutions of sequences, transposed convolutions, im2col and col2im: numbers from PyTorch 2.15.
#include "ops/linalg/testing/second_source.h"
#include "ops/ops.h"

namespace notape::testing {
namespace {

using X = const variable_list&;

TEST(Conv1d, HasLibTorchsValuesAndGradients) {
  expect_as_libtorch(
      [](X x) -> TensorList { return {conv1d(x[0], x[1], x[2], 2, 1, 2, 2)}; },
      {{{1, 2, 6}, 5}, {{2, 1, 2}, 7}, {{2}, 3}}, {{-2, -0.8125, -0.0625, 1.25, -1.875, 0.125}},
      {{0, -0.75, 0, -1.75, 0, -3.75, 0, -1.5, 0, -2, 0, -6}, {2.75, 0, 1.25, 4.25}, {6, 15}});
}

TEST(Conv3d, HasLibTorchsValuesAndGradients) {
  expect_as_libtorch(
      [](X x) -> TensorList {
        return {conv3d(x[0], x[1], x[2], {2, 1, 1}, {1, 0, 1}, {2, 1, 1}, 2)};
      },
      {{{1, 2, 3, 1, 2}, 5}, {{2, 1, 2, 1, 2}, 7}, {{2}, 3}},
      {{0.25, -1.5, -0.625, 0.5, -1.3125, -0.6875, 0, -0.625, 1.25, 0, -0.9375, 0.9375}},
      {{0, 0, -3.75, -5.25, 0, 0, 0, 0, 5.25, 5.75, 0, 0},
       {-3.5, -2.75, -1.25, -0.5, 15, 13.75, 11.25, 10},
       {21, 57}});
  EXPECT_EQ(conv3d(zeros({2, 3, 1, 2}), zeros({4, 2, 2, 1, 1})).sizes().vec(),
            (std::vector<int64_t>{4, 2, 1, 2}));
  const Tensor x = zeros({1, 2, 3, 4, 4}), w = zeros({3, 2, 2, 2, 2});
  expect_error<ShapeError>("conv3d: Expected 4D (unbatched) or 5D", [&] { conv3d(zeros({3}), w); });
  expect_error<ShapeError>("conv3d: expected 5D weight", [&] { conv3d(x, zeros({3})); });
  expect_error<ShapeError>("conv3d: Calculated padded input depth: 3. Kernel depth: 5", [&] {
    conv3d(x, zeros({3, 2, 5, 2, 2}));
  });
  expect_error<ValueError>("non-positive stride", [&] { conv3d(x, w, {}, 0); });
  expect_error<ValueError>("negative padding", [&] { conv3d(x, w, {}, 1, -1); });
  expect_error<ValueError>("dilation should be greater", [&] { conv3d(x, w, {}, 1, 0, 0); });
}

TEST(ConvTranspose, HasLibTorchsValuesAndGradients) {
  expect_as_libtorch(
      [](X x) -> TensorList {
        return {conv_transpose2d(x[0], x[1], x[2], {2, 1}, {1, 0}, {1, 0})};
      },
      {{{1, 1, 2, 2}, 5}, {{1, 2, 2, 2}, 7}, {{2}, 3}},
      {{-0.875, 0, -1.75, -1, 0.5625, -1.0625, -1.25, 0.375, -1, -0.25, 1.125, -0.5, -0.75, 0.9375,
        -0.1875, -1, 0.75, -0.125}},
      {{3, 3, -3, -4}, {-2.75, -3.5, -3.25, -3.25, -9.5, -10.25, -3.25, -3.25}, {45, 126}});
  expect_as_libtorch(
      [](X x) -> TensorList { return {conv_transpose1d(x[0], x[1], {}, 3, 1, 2, 2)}; },
      {{{1, 2, 2}, 5}, {{2, 1, 2}, 7}}, {{0.3125, 0, 0.25, -1.25, 0, 1, 0, 0.125, -0.25, 0}},
      {{-1.25, -4.25, -6, -5}, {3, 3.75, 2, -3.75}});
}

TEST(ConvTranspose, TakesAnOutputPaddingBeyondTheStride) {
  expect_as_libtorch(
      [](X x) -> TensorList {
        return {conv_transpose2d(x[0], x[1], {}, 1, {1, 0}, {2, 0}, 1, {3, 1})};
      },
      {{{1, 1, 2, 1}, 5}, {{1, 1, 2, 1}, 7}}, {{0.25, 0, 0.3125, -1.25, 0}},
      {{-3.75, -4.75}, {1, 3.25}});
  // A kernel of one pixel, whose image is larger than the response all the same.
  const Tensor y =
      conv_transpose2d(ones({1, 1, 1, 1}), ones({1, 2, 1, 1}), {}, 1, 0, {1, 0}, 1, {2, 1});
  EXPECT_EQ(y.sizes().vec(), (std::vector<int64_t>{1, 2, 2, 1}));
  expect_values(y, {1, 0, 1, 0});
}

TEST(ConvTranspose, MayHaveNothingButOutputPadding) {
  const Tensor x = tensor({2.}).reshape({1, 1, 1}).requires_grad_();
  const Tensor w = tensor({3., 5.}).reshape({1, 1, 2}).requires_grad_();
  const Tensor y = conv_transpose1d(x, w, {}, 2, 1, 1);
  expect_values(y, {10});
  y.sum().backward();
  expect_values(x.grad(), {5});
  expect_values(w.grad(), {0, 2});
  // Without it, the result would have -1 elements.
  expect_values(conv_transpose1d(x, w.slice(2, 0, 1), tensor({7.}), 3, 1, 2), {7});
}

TEST(Im2col, HasLibTorchsValuesAndGradients) {
  expect_as_libtorch(
      [](X x) -> TensorList {
        return {im2col(x[0], {2, 1}, 1, {1, 0}, {2, 1})};
      },
      {{{1, 1, 3, 2}, 5}}, {{0, 0, -1, 0.25, -0.25, 1, 1.5, -0.5}}, {{5, 6, 3, 4, 7, 8}});
  expect_as_libtorch([](X x) -> TensorList { return {col2im(x[0], 3, 2, 1, 0, 1)}; },
                     {{{1, 4, 4}, 5}}, {{-0.25, 2.5, -0.5, -1, 0.75, -1.5, -0.75, 1.5, -1}},
                     {{1, 2, 4, 5, 2, 3, 5, 6, 4, 5, 7, 8, 5, 6, 8, 9}});
}

TEST(Im2col, TakesOneImageAndAnyDtype) {
  const Tensor x = arange(4).reshape({1, 2, 2});
  EXPECT_EQ(im2col(x, 2, 1, 0, 1).sizes().vec(), (std::vector<int64_t>{4, 1}));
  expect_values(im2col(x, 2, 1, 0, 1), {0, 1, 2, 3});
  expect_values(col2im(im2col(x, 2, 1, 1, 1), 2, 2, 1, 1, 1), {0, 4, 8, 12});
  const Tensor half = ones({1, 1, 60, 60}, kFloat16);
  expect_values(col2im(im2col(half, 60, 1, 59, 1), 60, 60, 1, 59, 1),
                std::vector<double>(3600, 3600));  // each pixel is in 3,600 windows
  expect_error<NoKernel>("", [] { col2im(ones({1, 1}, kBool), 1, 1, 1, 0, 1); });
}

TEST(ConvolutionsOfOtherKinds, TakeOneSampleAndNoSample) {
  EXPECT_EQ(conv1d(zeros({2, 5}), zeros({3, 2, 2})).sizes().vec(), (std::vector<int64_t>{3, 4}));
  EXPECT_EQ(conv1d(zeros({0, 2, 5}), zeros({3, 2, 2})).sizes().vec(),
            (std::vector<int64_t>{0, 3, 4}));
  EXPECT_EQ(conv_transpose1d(zeros({2, 5}), zeros({2, 3, 2})).sizes().vec(),
            (std::vector<int64_t>{3, 6}));
  EXPECT_EQ(conv_transpose2d(zeros({2, 5, 1}), zeros({2, 3, 2, 1})).sizes().vec(),
            (std::vector<int64_t>{3, 6, 1}));
  EXPECT_EQ(conv_transpose2d(zeros({0, 2, 5, 1}), zeros({2, 3, 2, 1})).sizes().vec(),
            (std::vector<int64_t>{0, 3, 6, 1}));
}

TEST(ConvolutionsOfOtherKinds, NameThemselvesNotWhatTheyAreMadeOf) {
  constexpr int64_t far = int64_t{1} << 31;
  const Tensor x = zeros({1, 2, 3, 3, 3}), w = zeros({2, 2, 2, 2, 2});
  expect_error<ValueError>("conv1d: stride, padding", [&] { conv1d(x[0][0], w[0][0], {}, far); });
  expect_error<ShapeError>("conv1d: Calculated padded", [&] { conv1d(x[0][0], zeros({2, 3, 9})); });
  expect_error<ValueError>("conv3d: non-positive groups", [&] { conv3d(x, w, {}, 1, 0, 1, 0); });
  expect_error<ShapeError>("conv_transpose3d: sizes of images and kernels are",
                           [&] { conv_transpose3d(x, w, {}, far - 1); });
}

TEST(ConvolutionsOfOtherKinds, RefuseWhatDoesNotFit) {
  const Tensor x = zeros({1, 2, 5}), w = zeros({3, 2, 2});
  expect_error<ShapeError>("conv1d: Expected 2D (unbatched) or 3D (batched) input to conv1d", [&] {
    conv1d(zeros({1, 2, 5, 1}), w);
  });
  expect_error<ShapeError>("conv1d: expected 3D weight", [&] { conv1d(x, zeros({3, 2})); });
  expect_error<ValueError>("non-positive stride is not supported", [&] { conv1d(x, w, {}, 0); });
  const Tensor image = zeros({1, 2, 3, 3}), kernel = zeros({2, 3, 2, 2});
  const auto transposed = [&](Pair stride, Pair padding, Pair output_padding, int64_t groups = 1) {
    return [=] { conv_transpose2d(image, kernel, {}, stride, padding, output_padding, groups); };
  };
  expect_error<ValueError>("output padding must be at least 0 and smaller than either",
                           transposed(2, 0, {0, 2}));
  expect_error<ValueError>("output padding must be at least 0", transposed(2, 0, -1));
  expect_error<ValueError>("non-positive stride", transposed(0, 0, 0));
  expect_error<ValueError>("negative padding", transposed(1, -1, 0));
  expect_error<ValueError>("non-positive groups", transposed(1, 0, 0, 0));
  expect_error<ShapeError>("the output would have size 0 at dimension 2", transposed(1, 2, 0));
  expect_error<ShapeError>("to have 2 channels, a multiple of groups", transposed(1, 0, 0, 3));
  expect_error<ShapeError>("expected bias to be 1-dimensional with 3 elements",
                           [&] { conv_transpose2d(image, kernel, zeros({2})); });
  expect_error<ShapeError>("expected input with something in it", [&] {
    conv_transpose2d(zeros({1, 2, 0, 3}), kernel);
  });
  expect_error<DtypeError>("expected scalar type Float but found Double",
                           [&] { conv_transpose2d(image, kernel.to(kFloat64)); });
  expect_error<ShapeError>("im2col: expected 3D or 4D", [] { im2col(zeros({2}), 1, 1, 0, 1); });
  expect_error<ShapeError>("im2col: Calculated padded input size per channel", [] {
    im2col(zeros({1, 2, 2}), 3, 1, 0, 1);
  });
  expect_error<ShapeError>("col2im: expected size of input's dimension 1 to be divisible", [] {
    col2im(zeros({1, 3, 4}), 3, 2, 1, 0, 1);
  });
  expect_error<ShapeError>("to match the number of sliding blocks 4, but got input.size(2)=5", [] {
    col2im(zeros({1, 4, 5}), 3, 2, 1, 0, 1);
  });
  expect_error<UndefinedTensor>("", [&] { conv_transpose1d(x, Tensor()); });
}

}  // namespace
}  // namespace notape::testing
