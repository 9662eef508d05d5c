#include "ops/linalg/testing/torch_example.h"
#include "ops/vision.h"

namespace notape::testing {
namespace {

const TorchExample kSamples[] = {
    {.name = "interpolate by nearest",
     .inputs = {{{1, 1, 2, 3}, 5}},
     .call =
         [](const variable_list& x) {
           return interpolate(x[0], {}, {{2, 1.5}});
         },
     .sizes = {1, 1, 4, 4},
     .output = {-0.25, -0.25, 1, -1, -0.25, -0.25, 1, -1, 0.25, 0.25, 1.5, -0.5, 0.25, 0.25, 1.5,
                -0.5},
     .gradients = {{1.5, 0.5, -0.75, -2.25, 0.25, 2.25}}},
    {.name = "interpolate of rows",
     .inputs = {{{1, 2, 3}, 5}},
     .call = [](const variable_list& x) { return interpolate(x[0], {{5}}, {}, "linear"); },
     .sizes = {1, 2, 5},
     .output = {-0.25, 0.25, 1, -0.2, -1, 0.25, 0.75, 1.5, 0.3, -0.5},
     .gradients = {{-0.2, 1.4, -0.2, 0.65, 1.6653345369e-16, -0.65}}},
    {.name = "interpolate bilinearly with a scale",
     .inputs = {{{1, 1, 3, 3}, 5}},
     .call = [](const variable_list& x) { return interpolate(x[0], {}, {{1.7}}, "bilinear"); },
     .sizes = {1, 1, 5, 5},
     .output = {-0.25,
                0.22794117647,
                0.96323529412,
                -0.11764705882,
                -1,
                -0.058823529412,
                0.41911764706,
                1.1544117647,
                0.073529411765,
                -0.80882352941,
                0.23529411765,
                0.71323529412,
                1.4485294118,
                0.36764705882,
                -0.51470588235,
                0.52941176471,
                0.31293252595,
                -0.020112456747,
                -0.13948961938,
                -0.22058823529,
                0.75,
                -0.014705882353,
                -1.1911764706,
                -0.55147058824,
                0},
     .gradients = {{0.24848615917, 1.3116349481, -0.58953287197, 0.86656574394, -1.1025086505,
                    -0.18317474048, 1.1643598616, -0.65765570934, 0.44182525952}}},
    {.name = "interpolate with the scale recomputed",
     .inputs = {{{1, 1, 3, 3}, 5}},
     .call =
         [](const variable_list& x) {
           return interpolate(x[0], {}, {{1.7}}, "bilinear", false, true);
         },
     .sizes = {1, 1, 5, 5},
     .output = {-0.25, 0.25, 1,    -0.2,  -1,    -0.05, 0.45, 1.2,  1.9428902931e-16,
                -0.8,  0.25, 0.75, 1.5,   0.3,   -0.5,  0.55, 0.27, -0.15,
                -0.18, -0.2, 0.75, -0.05, -1.25, -0.5,  0},
     .gradients = {{0.19, 1.4, -0.59, 0.88, -1.22, -0.16, 1.23, -0.68, 0.45}}},
    {.name = "interpolate with aligned corners",
     .inputs = {{{1, 1, 3, 3}, 5}},
     .call =
         [](const variable_list& x) {
           return interpolate(x[0], {{4, 2}}, {}, "bicubic", true);
         },
     .sizes = {1, 1, 4, 2},
     .output = {-0.25, -1, 0.037037037037, -0.71296296296, 0.46296296296, -0.28703703704, 0.75, 0},
     .gradients = {{-0.055555555556, 0, 0.125, 1.3935185185, 0, 0.39814814815, -1.087962963, 0,
                    0.47685185185}}},
    {.name = "interpolate over areas",
     .inputs = {{{1, 1, 3, 4}, 5}},
     .call =
         [](const variable_list& x) {
           return interpolate(x[0], {{2, 3}}, {}, "area");
         },
     .sizes = {1, 1, 2, 3},
     .output = {0.4375, 0.0625, -0.3125, 0.5625, 0.1875, -0.1875},
     .gradients = {{-0.125, 0, 0.5, 0.375, -0.3125, -0.125, 0.875, 0.6875, -0.1875, -0.125, 0.375,
                    0.3125}}},
    {.name = "affine_grid_generator",
     .inputs = {{{2, 2, 3}, 5}},
     .call =
         [](const variable_list& x) {
           return affine_grid_generator(x[0], {2, 1, 2, 3}, false);
         },
     .sizes = {2, 2, 3, 2},
     .output = {-1.3333333333,  -1.4166666667,  -1.5,   -1.25, -1.6666666667,  -1.0833333333,
                -0.33333333333, 0.083333333333, -0.5,   0.25,  -0.66666666667, 0.41666666667,
                0.125,          0.041666666667, 0.625,  0.875, 1.125,          1.7083333333,
                -1.125,         -0.70833333333, -0.625, 0.125, -0.125,         0.95833333333},
     .gradients = {{1, -0.75, 1, 1, -0.75, 0.5, -1.1666666667, 0.875, -1.75, 1, -0.75, 1}}},
    {.name = "affine_grid_generator with aligned corners",
     .inputs = {{{1, 2, 3}, 5}},
     .call =
         [](const variable_list& x) {
           return affine_grid_generator(x[0], {1, 1, 1, 3}, true);
         },
     .sizes = {1, 1, 3, 2},
     .output = {-0.75, -0.75, -1, -0.5, -1.25, -0.25},
     .gradients = {{0.75, 0, 1.25, 0.75, 0, 1}}},
};

TEST(Interpolate, HasTheValuesAndGradientsOfLibTorch) {
  for (const TorchExample& example : kSamples) expect_example(example);
}

TEST(Interpolate, RejectsWrongArguments) {
  const Tensor x = zeros({1, 2, 3, 3});
  expect_error<ValueError>("either size or scale_factor", [&] { interpolate(x); });
  expect_error<ValueError>("only one of", [&] { interpolate(x, {{2}}, {{2}}); });
  expect_error<ShapeError>("expected 2 numbers", [&] { interpolate(x, {{2, 2, 2}}); });
  expect_error<ValueError>("unknown mode", [&] { interpolate(x, {{2}}, {}, "foo"); });
  expect_error<ShapeError>("mode linear", [&] { interpolate(x, {{2}}, {}, "linear"); });
  expect_error<ValueError>("align_corners", [&] { interpolate(x, {{2}}, {}, "nearest", true); });
  expect_error<ShapeError>("interpolate", [&] { interpolate(x[0][0], {{2}}); });
  expect_error<ValueError>("scale_factor", [&] { interpolate(x, {}, {{-1}}); });
}

TEST(AffineGrid, RejectsWrongArguments) {
  const Tensor theta = zeros({1, 2, 3});
  expect_error<ShapeError>("4 numbers", [&] { affine_grid_generator(theta, {1, 1, 2}, true); });
  expect_error<ShapeError>("Nx2x3", [&] { affine_grid_generator(theta, {2, 1, 2, 2}, true); });
  expect_error<ValueError>("above 0", [&] { affine_grid_generator(theta, {1, 1, 0, 2}, true); });
  expect_error<DtypeError>("affine_grid", [&] {
    affine_grid_generator(theta.to(kInt64), {1, 1, 2, 2}, true);
  });
}

}  // namespace
}  // namespace notape::testing
