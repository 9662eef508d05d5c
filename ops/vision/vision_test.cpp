#include "ops/vision.h"
#include "ops/linalg/testing/torch_example.h"

namespace notape::testing {
namespace {

const TorchExample kImages[] = {
    {.name = "constant_pad_nd",
     .inputs = {{{2, 3}, 5}},
     .call =
         [](const variable_list& x) {
           return constant_pad_nd(x[0], {1, 2, 0, 1}, 9);
         },
     .sizes = {3, 6},
     .output = {9, -0.25, 1, -1, 9, 9, 9, 0.25, 1.5, -0.5, 9, 9, 9, 9, 9, 9, 9, 9},
     .gradients = {{0.5, 1.5, -0.75, 0, 1, -1.25}}},
    {.name = "constant_pad_nd of negative pads",
     .inputs = {{{2, 4}, 5}},
     .call =
         [](const variable_list& x) {
           return constant_pad_nd(x[0], {-1, 1});
         },
     .sizes = {2, 4},
     .output = {1, -1, 0.25, 0, -0.5, 0.75, -1.25, 0},
     .gradients = {{0, -0.5, 0.5, 1.5, 0, 0.25, 1.25, -1}}},
    {.name = "pad by a constant",
     .inputs = {{{2, 2}, 5}},
     .call =
         [](const variable_list& x) {
           return pad(x[0], {1, 0}, "constant", 2.5);
         },
     .sizes = {2, 3},
     .output = {2.5, -0.25, 1, 2.5, -1, 0.25},
     .gradients = {{0.5, 1.5, 0.25, 1.25}}},
    {.name = "pad by reflection",
     .inputs = {{{1, 3, 3}, 5}},
     .call =
         [](const variable_list& x) {
           return pad(x[0], {2, 1}, "reflect");
         },
     .sizes = {1, 3, 6},
     .output = {-1, 1, -0.25, 1, -1, 1, -0.5, 1.5, 0.25, 1.5, -0.5, 1.5, 0, -1.25, 0.75, -1.25, 0,
                -1.25},
     .gradients = {{1.5, 1, -0.25, 1, -0.5, -1.25, 0.5, 1.25, -2.25}}},
    {.name = "pad by replication",
     .inputs = {{{1, 2, 3}, 5}},
     .call =
         [](const variable_list& x) {
           return pad(x[0], {2, 1}, "replicate");
         },
     .sizes = {1, 2, 6},
     .output = {-0.25, -0.25, -0.25, 1, -1, -1, 0.25, 0.25, 0.25, 1.5, -0.5, -0.5},
     .gradients = {{1.5, -0.75, 1.5, 0, -1.25, 0.5}}},
    {.name = "pad in a circle",
     .inputs = {{{1, 2, 3}, 5}},
     .call = [](const variable_list& x) { return pad(x[0], {2, 1}, "circular"); },
     .sizes = {1, 2, 6},
     .output = {1, -1, -0.25, 1, -1, -0.25, 1.5, -0.5, 0.25, 1.5, -0.5, 0.25},
     .gradients = {{2.75, -1.25, 0.75, 1.75, -2.25, -0.25}}},
    {.name = "reflection_pad1d",
     .inputs = {{{2, 4}, 5}},
     .call = [](const variable_list& x) { return reflection_pad1d(x[0], {2, -1}); },
     .sizes = {2, 5},
     .output = {-1, 1, -0.25, 1, -1, 0.75, -0.5, 1.5, -0.5, 0.75},
     .gradients = {{1.5, -0.25, -0.25, 0, 0, 0, 0, 0}}},
    {.name = "reflection_pad2d",
     .inputs = {{{1, 3, 3}, 5}},
     .call =
         [](const variable_list& x) {
           return reflection_pad2d(x[0], {1, 2, 2, 1});
         },
     .sizes = {1, 6, 6},
     .output = {-1.25, 0.75,  -1.25, 0,  -1.25, 0.75,  1.5, 0.25, 1.5, -0.5, 1.5, 0.25,
                1,     -0.25, 1,     -1, 1,     -0.25, 1.5, 0.25, 1.5, -0.5, 1.5, 0.25,
                -1.25, 0.75,  -1.25, 0,  -1.25, 0.75,  1.5, 0.25, 1.5, -0.5, 1.5, 0.25},
     .gradients = {{-0.25, -1.75, 1.5, -0.5, 0, -0.25, -0.5, 3, -0.25}}},
    {.name = "reflection_pad3d",
     .inputs = {{{1, 2, 2, 2}, 5}},
     .call =
         [](const variable_list& x) {
           return reflection_pad3d(x[0], {1, 0, 1, 0, 0, 1});
         },
     .sizes = {1, 3, 3, 3},
     .output = {0.25, -1,    0.25, 1,     -0.25, 1,  0.25, -1, 0.25,  -1.25, 0.75, -1.25, -0.5, 1.5,
                -0.5, -1.25, 0.75, -1.25, 0.25,  -1, 0.25, 1,  -0.25, 1,     0.25, -1,    0.25},
     .gradients = {{-1, 1.25, -2, 2.5, -0.5, -1, -1, 1.25}}},
    {.name = "replication_pad1d",
     .inputs = {{{2, 3}, 5}},
     .call =
         [](const variable_list& x) {
           return replication_pad1d(x[0], {2, -1});
         },
     .sizes = {2, 4},
     .output = {-0.25, -0.25, -0.25, 1, 0.25, 0.25, 0.25, 1.5},
     .gradients = {{1.5, -0.75, 0, 0.5, 0, 0}}},
    {.name = "replication_pad2d",
     .inputs = {{{1, 2, 3}, 5}},
     .call =
         [](const variable_list& x) {
           return replication_pad2d(x[0], {1, 2, 2, 0});
         },
     .sizes = {1, 4, 6},
     .output = {-0.25, -0.25, 1, -1, -1, -1, -0.25, -0.25, 1,   -1,   -1,   -1,
                -0.25, -0.25, 1, -1, -1, -1, 0.25,  0.25,  1.5, -0.5, -0.5, -0.5},
     .gradients = {{-3, 3, 1, 0.25, 0, -0.5}}},
    {.name = "replication_pad3d",
     .inputs = {{{1, 2, 2, 2}, 5}},
     .call =
         [](const variable_list& x) {
           return replication_pad3d(x[0], {1, 0, 0, 0, 0, 1});
         },
     .sizes = {1, 3, 2, 3},
     .output = {-0.25, -0.25, 1, -1, -1, 0.25, 1.5, 1.5, -0.5, 0.75, 0.75, -1.25, 1.5, 1.5, -0.5,
                0.75, 0.75, -1.25},
     .gradients = {{0, 1.5, -0.5, 1.25, -3, 1.5, -0.75, 1}}},
    {.name = "upsample_nearest1d",
     .inputs = {{{1, 2, 3}, 5}},
     .call = [](const variable_list& x) { return upsample_nearest1d(x[0], 5); },
     .sizes = {1, 2, 5},
     .output = {-0.25, -0.25, 1, 1, -1, 0.25, 0.25, 1.5, 1.5, -0.5},
     .gradients = {{0, 0.75, 0.25, 0.25, 1, -1.25}}},
    {.name = "upsample_nearest1d to fewer",
     .inputs = {{{1, 1, 7}, 5}},
     .call = [](const variable_list& x) { return upsample_nearest1d(x[0], 3); },
     .sizes = {1, 1, 3},
     .output = {-0.25, -1, 1.5},
     .gradients = {{-0.5, 0, 0.5, 0, 1.5, 0, 0}}},
    {.name = "upsample_nearest2d",
     .inputs = {{{1, 1, 2, 3}, 5}},
     .call =
         [](const variable_list& x) {
           return upsample_nearest2d(x[0], {4, 5});
         },
     .sizes = {1, 1, 4, 5},
     .output = {-0.25, -0.25, 1,   1,   -1,   -0.25, -0.25, 1,   1,   -1,
                0.25,  0.25,  1.5, 1.5, -0.5, 0.25,  0.25,  1.5, 1.5, -0.5},
     .gradients = {{0.25, 1.75, -1, 1.25, -0.5, -0.5}}},
    {.name = "upsample_nearest2d with scales",
     .inputs = {{{1, 1, 3, 3}, 5}},
     .call =
         [](const variable_list& x) {
           return upsample_nearest2d(x[0], {4, 5}, 1.5, 1.8);
         },
     .sizes = {1, 1, 4, 5},
     .output = {-0.25, -0.25, 1,   1,   -1,   -0.25, -0.25, 1,     1,     -1,
                0.25,  0.25,  1.5, 1.5, -0.5, 0.75,  0.75,  -1.25, -1.25, 0},
     .gradients = {{0.25, 1.75, -1, 0.5, -2, 0.5, 0.75, 1.5, -1}}},
    {.name = "upsample_linear1d",
     .inputs = {{{1, 1, 3}, 5}},
     .call = [](const variable_list& x) { return upsample_linear1d(x[0], 5, false); },
     .sizes = {1, 1, 5},
     .output = {-0.25, 0.25, 1, -0.2, -1},
     .gradients = {{-0.2, 1.4, -0.2}}},
    {.name = "upsample_linear1d with aligned corners",
     .inputs = {{{1, 1, 3}, 5}},
     .call = [](const variable_list& x) { return upsample_linear1d(x[0], 6, true); },
     .sizes = {1, 1, 6},
     .output = {-0.25, 0.25, 0.75, 0.6, -0.2, -1},
     .gradients = {{0.1, 0.9, 1.25}}},
    {.name = "upsample_bilinear2d",
     .inputs = {{{1, 1, 3, 3}, 5}},
     .call =
         [](const variable_list& x) {
           return upsample_bilinear2d(x[0], {2, 5}, false);
         },
     .sizes = {1, 1, 2, 5},
     .output = {-0.125, 0.375, 1.125, -0.075, -0.875, 0.625, 0.15, -0.5625, -0.3, -0.125},
     .gradients = {{-0.15, 1.05, -0.15, 0.1125, 0.35, -0.2125, 0.4875, 1.1102230246e-16, -0.4875}}},
    {.name = "upsample_bilinear2d with aligned corners",
     .inputs = {{{1, 1, 3, 3}, 5}},
     .call =
         [](const variable_list& x) {
           return upsample_bilinear2d(x[0], {1, 5}, true);
         },
     .sizes = {1, 1, 1, 5},
     .output = {-0.25, 0.375, 1, 0, -1},
     .gradients = {{-0.25, 1.375, -0.125, 0, 0, 0, 0, 0, 0}}},
    {.name = "upsample_bilinear2d with scales",
     .inputs = {{{1, 1, 3, 3}, 5}},
     .call =
         [](const variable_list& x) {
           return upsample_bilinear2d(x[0], {4, 5}, false, 1.5, 1.8);
         },
     .sizes = {1, 1, 4, 5},
     .output = {-0.25,
                0.16666666667,
                0.86111111111,
                0.11111111111,
                -1,
                -1.3877787808e-17,
                0.41666666667,
                1.1111111111,
                0.36111111111,
                -0.75,
                0.33333333333,
                0.56944444444,
                0.96296296296,
                0.39351851852,
                -0.41666666667,
                0.66666666667,
                0.18055555556,
                -0.62962962963,
                -0.47685185185,
                -0.083333333333},
     .gradients = {{0.29166666667, 1.1944444444, -0.48611111111, 0.53240740741, -0.91203703704,
                    -0.24537037037, 0.87037037037, 0.3287037037, -0.32407407407}}},
    {.name = "upsample_bicubic2d",
     .inputs = {{{1, 1, 3, 3}, 5}},
     .call =
         [](const variable_list& x) {
           return upsample_bicubic2d(x[0], {2, 5}, false);
         },
     .sizes = {1, 1, 2, 5},
     .output = {-0.285265625, 0.52726171875, 1.2099609375, 0.01426171875, -1.107265625, 0.775609375,
                0.1270078125, -0.609375, -0.3859921875, -0.046390625},
     .gradients = {{-0.1695234375, 1.0897734375, -0.1468125, 0.1303359375, 0.36876171875,
                    -0.23737890625, 0.5371875, -0.04953515625, -0.52280859375}}},
    {.name = "upsample_bicubic2d with aligned corners",
     .inputs = {{{1, 1, 3, 3}, 5}},
     .call =
         [](const variable_list& x) {
           return upsample_bicubic2d(x[0], {2, 4}, true);
         },
     .sizes = {1, 1, 2, 4},
     .output = {-0.25, 0.8287037037, 0.50925925926, -1, 0.75, -0.75925925926, -1.0787037037, 0},
     .gradients = {{-0.50925925926, 1.5925925926, -0.33333333333, 0, 0, 0, 0.75462962963,
                    0.19907407407, -0.4537037037}}},
    {.name = "pixel_shuffle",
     .inputs = {{{8, 1, 2}, 5}},
     .call = [](const variable_list& x) { return pixel_shuffle(x[0], 2); },
     .sizes = {2, 2, 4},
     .output = {-0.25, -1, 1, 0.25, 1.5, 0.75, -0.5, -1.25, 0, -0.75, 1.25, 0.5, -1.5, 1, -0.25,
                -1},
     .gradients = {{-0.5, 1.5, 0.5, -0.75, 0.25, -1, 1.25, 0, 1, -0.25, -1.25, 0.75, -1.5, 0.5,
                    -0.5, 1.5}}},
    {.name = "pixel_unshuffle",
     .inputs = {{{1, 1, 2, 4}, 5}},
     .call = [](const variable_list& x) { return pixel_unshuffle(x[0], 2); },
     .sizes = {1, 4, 1, 2},
     .output = {-0.25, -1, 1, 0.25, 1.5, 0.75, -0.5, -1.25},
     .gradients = {{-0.5, 1.5, 0.5, -0.75, 0.25, -1, 1.25, 0}}},
};

TEST(Vision, HasTheValuesAndGradientsOfLibTorch) {
  for (const TorchExample& example : kImages) expect_example(example);
}

TEST(Padding, KeepsTheType) {
  EXPECT_EQ(constant_pad_nd(zeros({2}, kBool), {1, 1}, 1).dtype(), kBool);
  expect_values(constant_pad_nd(arange(2, kInt32), {1, 1}, 1.5), {1, 0, 1, 1});
  expect_values(reflection_pad1d(arange(3, kInt64).reshape({1, 3}), {1, 2}), {1, 0, 1, 2, 1, 0});
  expect_values(upsample_nearest1d(arange(2, kUInt8).reshape({1, 1, 2}), 4), {0, 0, 1, 1});
}

TEST(Padding, TakesBools) {
  const Tensor x = tensor({true, false, false, true}, kBool).reshape({1, 1, 4});
  const auto expect_bools = [](const Tensor& y, std::vector<double> expected) {
    EXPECT_EQ(y.dtype(), kBool);
    expect_values(y.to(kFloat64), expected);
  };
  expect_bools(pad(x, {1, 2}, "circular"), {1, 1, 0, 0, 1, 1, 0});
  // What is cut off is not wrapped around, either.
  const Tensor line = arange(6.0).view({1, 6});
  expect_values(pad(line, {2, -1}, "circular").flatten(), {3, 4, 0, 1, 2, 3, 4});
  expect_values(pad(line, {-1, 2}, "circular").flatten(), {1, 2, 3, 4, 5, 1, 2});
  expect_error<ShapeError>("or equal to", [&] { pad(line, {-4, 3}, "circular"); });
  expect_bools(pad(x, {1, 2}, "reflect"), {0, 1, 0, 0, 1, 0, 0});
  expect_bools(pad(x, {1, 2}, "replicate"), {1, 1, 0, 0, 1, 1, 1});
}

TEST(Padding, ToNothing) {
  EXPECT_EQ(constant_pad_nd(zeros({2, 5}), {-2, -3}).sizes(), IntArrayRef({2, 0}));
  EXPECT_EQ(reflection_pad1d(zeros({0, 3}), {1, 1}).sizes(), IntArrayRef({0, 5}));
}

TEST(Padding, RejectsWrongArguments) {
  const Tensor x = zeros({2, 4, 5});
  expect_error<ShapeError>("even", [&] { constant_pad_nd(x, {1}); });
  expect_error<ShapeError>("twice", [&] { constant_pad_nd(x, {1, 1, 1, 1, 1, 1, 1, 1}); });
  expect_error<ShapeError>("negative output size", [&] { constant_pad_nd(x, {-3, -3}); });
  expect_error<ValueError>("constant_pad_nd", [&] { constant_pad_nd(x.to(kUInt8), {1, 1}, 300); });
  expect_error<ShapeError>("less than the", [&] { reflection_pad1d(x, {5, 1}); });
  expect_error<ShapeError>("expected to be 2", [&] { reflection_pad1d(x, {1, 1, 1}); });
  expect_error<ShapeError>("reflection_pad2d", [&] {
    reflection_pad2d(zeros({4, 5}), {1, 1, 1, 1});
  });
  expect_error<ShapeError>("too small", [&] { replication_pad1d(x, {-2, -3}); });
  expect_error<ShapeError>("replication_pad1d", [&] { replication_pad1d(zeros({2, 0}), {1, 1}); });
  expect_error<ShapeError>("divisible", [&] { pad(x, {1, 1, 1}, "reflect"); });
  expect_error<ValueError>("value argument", [&] { pad(x, {1, 1}, "reflect", 1); });
  expect_error<ValueError>("mode foo", [&] { pad(x, {1, 1}, "foo"); });
  expect_error<ShapeError>("or equal to", [&] { pad(x, {6, 1}, "circular"); });
}

TEST(Upsample, TakesNearestEntriesInExactArithmetic) {
  // 87 entries of 29: i / 3, which in float32 with a rounded step is one less now and then.
  const Tensor x = arange(29, kFloat64).reshape({1, 1, 29});
  const std::vector<double> got = values(upsample_nearest1d(x, 87));
  for (std::size_t i = 0; i < got.size(); ++i)
    EXPECT_EQ(got[i], std::floor(static_cast<double>(i) / 3));
}

TEST(Upsample, DoesNotReadWhatHasNoWeight) {
  const Tensor x = constant({1, kInfinity, 3}).reshape({1, 1, 3});
  expect_close(upsample_linear1d(x, 2, true), {1, 3});
}

TEST(Upsample, RejectsWrongArguments) {
  const Tensor x = zeros({1, 2, 3, 3});
  expect_error<ShapeError>("upsample_nearest2d", [&] { upsample_nearest2d(x[0], 2); });
  expect_error<ShapeError>("greater than 0", [&] { upsample_nearest2d(x, {0, 2}); });
  expect_error<ShapeError>("Non-empty", [&] { upsample_nearest2d(zeros({1, 0, 3, 3}), 2); });
  expect_error<DtypeError>("upsample_bilinear2d",
                           [&] { upsample_bilinear2d(x.to(kInt64), 2, false); });
  EXPECT_EQ(upsample_bicubic2d(zeros({0, 2, 3, 3}), 2, false).sizes(), IntArrayRef({0, 2, 2, 2}));
}

TEST(PixelShuffle, RejectsWrongArguments) {
  const Tensor x = zeros({3, 4, 5});
  expect_error<ShapeError>("divisible by the square", [&] { pixel_shuffle(x, 2); });
  expect_error<ValueError>("upscale_factor", [&] { pixel_shuffle(x, 0); });
  expect_error<ShapeError>("3 dimensions", [&] { pixel_shuffle(x[0], 1); });
  expect_error<ShapeError>("width", [&] { pixel_unshuffle(x, 2); });
  expect_error<ShapeError>("height", [&] { pixel_unshuffle(x, 3); });
}

}  // namespace
}  // namespace notape::testing
