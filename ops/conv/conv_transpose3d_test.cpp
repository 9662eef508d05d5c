// Transposed convolutions of volumes, and padding by name: numbers from PyTorch 2.15.
#include "ops/linalg/testing/second_source.h"
#include "ops/ops.h"

namespace notape::testing {
namespace {

using Leaves = const variable_list&;

TEST(ConvTranspose3d, HasLibTorchsValuesAndGradients) {
  expect_as_libtorch(
      [](Leaves x) -> TensorList {
        return {conv_transpose3d(x[0], x[1], x[2], {2, 1, 2}, {1, 0, 1}, {1, 0, 0}, 1, {1, 2, 1})};
      },
      {{{1, 1, 2, 1, 2}, 5}, {{1, 2, 2, 2, 2}, 7}, {{2}, 3}},
      {{-0.5625, 0,    -0.75,  -0.75, -0.625,  0.25,  0.5,   -0.6875, -0.75,
        -0.75,   0.25, -0.625, 0,     -0.5625, -0.75, -0.75, -0.25,   -0.5,
        -0.0625, -1.5, 0,      0,     -0.125,  -1.25, 0.25,  0.3125,  0,
        0,       0,    0.375,  -0.25, -0.375,  0,     0,     -0.5,    -0.3125}},
      {{13, -52.5, -19, 21},
       {2, -7, 3, -11, 5.5, -13.25, 10.5, -18.25, 6.5, -25, 7.5, -29, 28, -35.75, 33, -40.75},
       {171, 495}});
}

TEST(ConvTranspose3d, TakesAnOutputPaddingBeyondWhatTheKernelReaches) {
  expect_as_libtorch(
      [](Leaves x) -> TensorList {
        return {conv_transpose3d(x[0], x[1], {}, {1, 2, 1}, {2, 0, 0}, {3, 1, 2}, 2, {4, 1, 3})};
      },
      {{{2, 1, 2, 1}, 5}, {{2, 1, 2, 1, 1}, 7}},
      {{0,      0, 0, 0, 0, 0, 0,     0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
        0.3125, 0, 0, 0, 0, 0, -1.25, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
        0,      0, 0, 0, 0, 0, 0,     0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
        1,      0, 0, 0, 0, 0, -0.25, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0}},
      {{-31.25, -38.75, -73, -79}, {0, 24.75, 0, -53.25}});
  const Tensor y = conv_transpose3d(ones({1, 1, 1, 1, 1}), ones({1, 1, 1, 1, 1}), {}, 1, {2, 0, 0},
                                    {4, 0, 0}, 1, {5, 1, 1});
  EXPECT_EQ(y.sizes().vec(), (std::vector<int64_t>{1, 1, 1, 1, 1}));
  expect_values(y, {0});
}

TEST(ConvTranspose3d, TakesOneSampleNoSampleAndIntegers) {
  EXPECT_EQ(conv_transpose3d(zeros({2, 5, 1, 1}), zeros({2, 3, 2, 1, 1})).sizes().vec(),
            (std::vector<int64_t>{3, 6, 1, 1}));
  EXPECT_EQ(conv_transpose3d(zeros({0, 2, 5, 1, 1}), zeros({2, 3, 2, 1, 1})).sizes().vec(),
            (std::vector<int64_t>{0, 3, 6, 1, 1}));
  const Tensor one = ones({1, 1, 2, 1, 1}, kInt64);
  expect_values(conv_transpose3d(one, one), {1, 2, 1});
}

TEST(ConvTranspose3d, RefusesWhatDoesNotFit) {
  const Tensor x = zeros({1, 2, 3, 3, 3}), w = zeros({2, 3, 2, 2, 2});
  const auto with = [&](Triple stride, Triple padding, Triple more, int64_t groups = 1,
                        Triple dilation = 1) {
    return [=] { conv_transpose3d(x, w, {}, stride, padding, more, groups, dilation); };
  };
  expect_error<ValueError>(
      "conv_transpose3d: output padding must be at least 0 and smaller than either",
      with(2, 0, {0, 0, 2}));
  expect_error<ValueError>("output padding must be at least 0", with(2, 0, {-1, 0, 0}));
  expect_error<ValueError>("non-positive stride", with({0, 1, 1}, 0, 0));
  expect_error<ValueError>("negative padding", with(1, {0, 0, -1}, 0));
  expect_error<ValueError>("dilation should be greater than zero", with(1, 0, 0, 1, {1, 0, 1}));
  expect_error<ValueError>("non-positive groups", with(1, 0, 0, 0));
  expect_error<ShapeError>("the output would have size 0 at dimension 3", with(1, {0, 2, 0}, 0));
  expect_error<ShapeError>("to have 2 channels, a multiple of groups", with(1, 0, 0, 3));
  expect_error<ShapeError>("expected bias to be 1-dimensional with 3 elements",
                           [&] { conv_transpose3d(x, w, zeros({2})); });
  expect_error<ShapeError>("Expected 4D (unbatched) or 5D",
                           [&] { conv_transpose3d(zeros({3}), w); });
  expect_error<ShapeError>("expected 5D weight", [&] { conv_transpose3d(x, zeros({3})); });
  expect_error<ShapeError>("with something in them", [&] {
    conv_transpose3d(zeros({1, 2, 0, 3, 3}), w);
  });
  expect_error<DtypeError>("expected scalar type Float but found Double",
                           [&] { conv_transpose3d(x, w.to(kFloat64)); });
  expect_error<UndefinedTensor>("conv_transpose3d: ", [&] { conv_transpose3d(x, Tensor()); });
}

TEST(PaddingName, SameHasLibTorchsValuesAndGradients) {
  expect_as_libtorch([](Leaves x) -> TensorList { return {conv1d(x[0], x[1], x[2], 1, "same")}; },
                     {{{1, 2, 4}, 5}, {{1, 2, 4}, 7}, {{1}, 3}},
                     {{-0.9375, 0.0625, -1.3125, 0.1875}},
                     {{-0.75, -1.25, -2.75, -5.5, 0.75, 1.75, 2.25, -1},
                      {-1.5, -0.25, -0.25, -0.5, 4.5, -2.25, -2.75, -1.75},
                      {10}});
  expect_as_libtorch(
      [](Leaves x) -> TensorList {
        return {conv2d(x[0], x[1], {}, 1, "same", {1, 2})};
      },
      {{{1, 1, 2, 3}, 5}, {{1, 1, 2, 3}, 7}}, {{0.375, -0.125, 0.5625, -0.5625, -1.875, 0.6875}},
      {{-0.5, -2.5, -3.25, -5.75, -4.75, -4}, {0.75, 4.25, -3, 0.75, 1.75, -0.5}});
  expect_as_libtorch([](Leaves x) -> TensorList { return {conv3d(x[0], x[1], {}, 1, "same")}; },
                     {{{1, 1, 2, 2, 1}, 5}, {{1, 1, 2, 1, 2}, 7}},
                     {{-0.5625, 0.375, -0.25, 0.0625}},
                     {{0.25, 0.5, 1.25, 2}, {-0.25, 0, -0.5, 0}});
}

TEST(PaddingName, ValidIsNone) {
  expect_as_libtorch(
      [](Leaves x) -> TensorList { return {conv2d(x[0], x[1], {}, 2, std::string("valid"))}; },
      {{{1, 1, 3, 3}, 5}, {{1, 1, 2, 2}, 7}}, {{-2.6875}},
      {{0.25, -1.25, 0, 0.5, -1, 0, 0, 0, 0}, {-0.25, 1, 0.25, 1.5}});
  EXPECT_EQ(conv1d(zeros({2, 5}), zeros({3, 2, 2}), {}, 2, "valid").sizes().vec(),
            (std::vector<int64_t>{3, 2}));
  EXPECT_EQ(conv3d(zeros({2, 5, 1, 1}), zeros({3, 2, 2, 1, 1}), {}, 1, "valid").sizes().vec(),
            (std::vector<int64_t>{3, 4, 1, 1}));
  EXPECT_EQ(conv3d(zeros({2, 5, 1, 1}), zeros({3, 2, 2, 1, 1}), {}, 1, "same").sizes().vec(),
            (std::vector<int64_t>{3, 5, 1, 1}));
}

TEST(PaddingName, RefusesWhatDoesNotFit) {
  const Tensor x = zeros({1, 2, 5}), w = zeros({3, 2, 2});
  expect_error<ValueError>("conv1d: padding='same' is not supported for strided convolutions",
                           [&] { conv1d(x, w, {}, 2, "same"); });
  expect_error<ValueError>("conv1d: invalid padding string: 'full'",
                           [&] { conv1d(x, w, {}, 1, "full"); });
  expect_error<ValueError>("conv2d: padding='same'", [&] {
    conv2d(zeros({1, 1, 2, 2}), zeros({1, 1, 1, 1}), {}, {1, 2}, "same");
  });
  expect_error<ShapeError>("conv1d: expected 3D weight", [&] {
    conv1d(x, zeros({3, 2}), {}, 1, "same");
  });
  expect_error<ValueError>("conv2d: ", [&] {
    conv2d(zeros({1, 1, 2, 2}), zeros({1, 1, 1, 2}), {}, 1, "same", 0);
  });
  expect_error<UndefinedTensor>("conv3d: ", [&] { conv3d(x, Tensor(), {}, 1, "same"); });
}

}  // namespace
}  // namespace notape::testing
