// Sampling images at places that a grid names. Numbers are PyTorch 2.15's.
#include "autograd/testing/expect.h"
#include "ops/ops.h"
#include "ops/vision.h"

namespace notape::testing {
namespace {

struct GridRow {
  int64_t mode, padding;
  bool align_corners;
  /// The gradients of the sum by the image and by the grid; nearest: zeros.
  std::vector<double> value, of_image, of_grid;
};

const GridRow kGridRows[] = {
    {0,
     0,
     true,
     {0.1, 6.521, 2.176, 0, 0, 14.4, 5.278},
     {1, 0, 0, 0.08, 0.07, 0.245, 0.455, 0.32, 0.63, 0.105, 0.195, 1},
     {0.45, 2.4, 2.31, 6.92, -8.16, 1.92, 0, 0, 0, 0, -21.6, -14.4, 11.31, 3.92}},
    {0,
     0,
     false,
     {0.025, 7.642, 0, 0, 0, 3.6, 0.5265},
     {0.25, 0, 0, 0, 0, 0.165, 0.385, 0, 0.065, 0.135, 0.315, 0.25},
     {0.1, 0.075, 3.32, 10.44, 0, 0, 0, 0, 0, 0, -14.4, -10.8, 10.53, -1.215}},
    {0,
     1,
     true,
     {0.1, 6.521, 5.44, 8.1, 12.675, 14.4, 7.54},
     {1, 0, 0, 0.2, 0.1, 0.245, 0.455, 0.8, 1.9, 0.105, 0.945, 1.25},
     {0, 0, 2.31, 6.92, 0, 4.8, 0, 0, 3.45, 0, 0, 0, 0, 5.6}},
    {0,
     1,
     false,
     {0.1, 7.642, 4.96, 8.1, 13.25, 14.4, 8.1},
     {1, 0, 0, 0.3, 0, 0.165, 0.385, 0.7, 2, 0.135, 0.815, 1.5},
     {0, 0, 3.32, 10.44, 0, 7.2, 0, 0, 4.6, 0, 0, 0, 0, 0}},
    {0,
     2,
     true,
     {0.1, 6.521, 4.636, 1.271, 1.075, 14.4, 8.086},
     {1, 0.045, 1.725, 0.33, 0.07, 0.28, 1.03, 0.32, 0.63, 0.375, 0.195, 1},
     {0, 0, 2.31, 6.92, -2.01, 4.32, -0.87, -3.96, 1.05, 0, 0, 0, -2.73, 5.84}},
    {0,
     2,
     false,
     {0.1, 7.642, 4.582, 0.97, 1.25, 14.4, 8.1},
     {1, 0, 1.49, 0.81, 0, 0.165, 0.595, 0.49, 1, 0.135, 0.315, 1},
     {0, 0, 3.32, 10.44, -2.52, 6.84, -1.4, 0, 1.4, 0, 0, 0, 0, 0}},
    {1, 0, true, {0.1, 4.9, 0, 0, 0, 14.4, 8.1}, {1, 0, 0, 0, 0, 0, 1, 0, 1, 0, 0, 1}, {}},
    {1, 0, false, {0.1, 4.9, 0, 0, 0, 0, 0}, {1, 0, 0, 0, 0, 0, 1, 0, 0, 0, 0, 0}, {}},
    {1, 1, true, {0.1, 4.9, 6.4, 8.1, 12.1, 14.4, 8.1}, {1, 0, 0, 0, 0, 0, 1, 1, 2, 0, 1, 1}, {}},
    {1, 1, false, {0.1, 4.9, 6.4, 8.1, 12.1, 14.4, 8.1}, {1, 0, 0, 0, 0, 0, 1, 1, 2, 0, 1, 1}, {}},
    {1, 2, true, {0.1, 4.9, 4.9, 0.9, 0.9, 14.4, 8.1}, {1, 0, 2, 0, 0, 0, 2, 0, 1, 0, 0, 1}, {}},
    {1, 2, false, {0.1, 4.9, 6.4, 0.9, 0.9, 14.4, 8.1}, {1, 0, 2, 0, 0, 0, 1, 1, 1, 0, 0, 1}, {}},
    {2,
     0,
     true,
     {0.1, 7.228694, 1.965875, 9.7e-05, 0, 14.4, 5.65992},
     {1.000973, -0.042546, -0.100171, 0.104227, 0.024132, 0.316611, 0.580447, 0.331009, 0.794115,
      0.020197, 0.260724, 0.919657},
     {0.45, 1.875, 2.168343, 10.321247, -8.502336, 2.518632, 0.00569, -0.00184, 0, 0, -13.6125,
      -4.8, 13.172121, 0.625368}},
    {2,
     0,
     false,
     {-0.094531, 8.82647, -0.469048, 0, 0, 4.089844, 0.484837},
     {0.357363, -0.088972, -0.084865, -0.024713, -0.096611, 0.224302, 0.555985, -0.219885, 0.044128,
      0.166795, 0.38269, 0.306554},
     {-0.421875, -0.279492, 3.457148, 14.577299, -0.446712, -0.849366, 0, 0, 0, 0, -18.346875,
      -13.659961, 10.317161, -1.082812}},
    {2,
     1,
     true,
     {0.1, 6.696696, 4.879533, 8.1, 12.842578, 14.4, 7.454162},
     {0.99909, -0.042546, -0.098443, 0.200899, 0.048893, 0.316611, 0.580447, 0.894049, 2.002548,
      -0.097127, 1.102872, 1.092708},
     {0.3375, 1.8, 2.043479, 7.534592, -0.461664, 6.742848, 0, 0, 4.000781, 0, 2.5875, 6, 0.144884,
      4.583188}},
    {2,
     1,
     false,
     {-0.146094, 7.878365, 4.1788, 8.1, 13.446875, 15.372656, 8.707651},
     {1.201113, -0.135847, -0.084865, 0.290256, -0.245298, 0.224302, 0.555985, 0.656135, 2.097435,
      0.043545, 0.86013, 1.537109},
     {-0.084375, -0.653906, 3.141902, 10.84234, 0, 8.298, 0, 0, 4.3875, 0, -0.890625, -2.271094,
      -0.507125, -0.204553}},
    {2,
     2,
     true,
     {0.1, 7.022376, 4.104698, 0.89276, 1.135937, 14.4, 8.217191},
     {0.99923, -0.131597, 1.861295, 0.332822, -0.023594, 0.218273, 1.217059, 0.324262, 0.794115,
      0.349605, 0.138645, 0.919885},
     {0, 0, 2.089831, 9.240535, -2.414448, 7.182336, -1.244246, -0.715727, 1.434375, 0, 0, 0,
      -2.092689, 2.031702}},
    {2,
     2,
     false,
     {-0.378125, 7.878365, 3.893892, 0.28579, 0.457812, 16.359375, 8.918036},
     {1.41498, -0.451591, 1.856986, 0.902156, -0.435902, 0.250105, 0.575221, 0.196358, 1.228672,
      0.070986, 0.110294, 1.281736},
     {0, 0, 3.141902, 10.84234, -2.042361, 7.987223, -1.340903, -1.388543, 1.10625, 0, 0, 0,
      -2.4438, 1.871775}},
};

/// i^2 / 10, 3 by 4.
Tensor squares() { return (counting_leaf(12).square() / 10).detach().reshape({1, 1, 3, 4}); }
/// A corner, inside, outside, far outside, the other corner, near an edge.
Tensor grid_places() {
  return constant({{-1, -1}, {0.1, 0.3}, {1.4, -0.2}, {-2.3, 2.9}, {0.5, 7}, {1, 1}, {-1.2, 0.9}})
      .reshape({1, 1, 7, 2});
}

TEST(GridSampler, GivesLibTorchsValuesAndGradients) {
  for (const GridRow& row : kGridRows) {
    SCOPED_TRACE(format_message("mode {}, padding {}, align_corners {}",
                                {row.mode, row.padding, row.align_corners}));
    const Tensor x = squares().requires_grad_(), grid = grid_places().requires_grad_();
    const Tensor y = grid_sampler_2d(x, grid, row.mode, row.padding, row.align_corners);
    EXPECT_EQ(y.sizes(), IntArrayRef({1, 1, 1, 7}));
    expect_values(y, row.value, 1e-6);
    y.sum().backward();
    expect_values(x.grad(), row.of_image, 1e-6);
    expect_values(grid.grad(), row.mode == 1 ? std::vector<double>(14, 0) : row.of_grid, 1e-6);
  }
}

TEST(GridSampler, TakesNoNumberForTheFirstPixelWherePaddingMovesPlaces) {
  const double nan = std::numeric_limits<double>::quiet_NaN();
  const Tensor x = squares(), grid = constant({nan, 0}).reshape({1, 1, 1, 2});
  for (const bool align : {false, true})
    for (const int64_t padding : {0, 1, 2}) {
      const auto at_nan = [&](int64_t mode) {
        return values(grid_sampler_2d(x, grid, mode, padding, align))[0];
      };
      EXPECT_TRUE(padding == 0 ? std::isnan(at_nan(0)) : at_nan(0) == 2.5);
      EXPECT_EQ(at_nan(1), padding == 0 ? 0 : 2.5);
      EXPECT_TRUE(std::isnan(at_nan(2)));
    }
  const Tensor far = constant({1e20, 0.2}).reshape({1, 1, 1, 2});
  expect_values(grid_sampler_2d(x, far, 0, 0, false), {0});
  expect_values(grid_sampler_2d(x, far, 1, 1, true), {6.4});
}

TEST(GridSampler, GoesByNames) {
  const Tensor x = squares(), grid = grid_places();
  expect_values(grid_sample(x, grid), values(grid_sampler_2d(x, grid, 0, 0, false)));
  expect_values(grid_sample(x, grid, "nearest", "border", true),
                values(grid_sampler_2d(x, grid, 1, 1, true)));
  expect_values(grid_sample(x, grid, "bicubic", "reflection"),
                values(grid_sampler_2d(x, grid, 2, 2, false)));
  expect_error<ValueError>("expected mode to be 'bilinear', 'nearest' or 'bicubic', but got: 'cu",
                           [&] { grid_sample(x, grid, "cubic"); });
  expect_error<ValueError>("expected padding_mode to be 'zeros', 'border' or 'reflection'",
                           [&] { grid_sample(x, grid, "nearest", "zero"); });
}

TEST(GridSampler, ChecksItsArguments) {
  const auto refused = [](auto error, const char* why, IntArrayRef image, IntArrayRef grid,
                          ScalarType type = kFloat32, int64_t mode = 0, int64_t padding = 0) {
    expect_error<decltype(error)>(
        why, [&] { grid_sampler_2d(zeros(image, type), zeros(grid), mode, padding, false); });
  };
  const ShapeError shape("");
  refused(shape, "same batch size", {1, 1, 2, 2}, {2, 1, 1, 2});
  refused(shape, "expected 4D input and grid", {1, 2, 2}, {1, 1, 1, 2});
  refused(shape, "size 2 in last dimension", {1, 1, 2, 2}, {1, 1, 1, 3});
  refused(shape, "non-empty spatial dimensions", {1, 1, 0, 2}, {1, 1, 1, 2});
  refused(DtypeError(""), "expected scalar type", {1, 1, 2, 2}, {1, 1, 1, 2}, kFloat64);
  refused(DtypeError(""), "grid_sampler_2d", {1, 1, 2, 2}, {1, 1, 1, 2}, kInt64);
  refused(ValueError(""), "interpolation_mode", {1, 1, 2, 2}, {1, 1, 1, 2}, kFloat32, 3);
  refused(ValueError(""), "padding_mode", {1, 1, 2, 2}, {1, 1, 1, 2}, kFloat32, 0, 3);
  for (const std::vector<int64_t>& sizes :
       {std::vector<int64_t>{0, 1, 2, 2}, std::vector<int64_t>{1, 0, 2, 2}})
    EXPECT_EQ(grid_sampler_2d(zeros(sizes), zeros({sizes[0], 3, 1, 2}), 0, 0, true).sizes(),
              IntArrayRef({sizes[0], sizes[1], 3, 1}));
}

}  // namespace
}  // namespace notape::testing
