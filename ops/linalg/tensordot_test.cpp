// tensordot, bilinear and linalg_cross: numbers from PyTorch 2.15.
#include "ops/linalg/testing/second_source.h"
#include "ops/ops.h"

namespace notape::testing {
namespace {

using X = const variable_list&;

TEST(NamedProducts, HaveLibTorchsValuesAndGradients) {
  expect_as_libtorch(
      [](X x) -> TensorList {
        return {tensordot(x[0], x[1], {1, 0}, {0, 1})};
      },
      {{{1, 2, 2}, 5}, {{2, 2}, 3}}, {{-2.0625, -0.1875}},
      {{-0.75, -1.5, 2.25, 4.5}, {1.75, 1.75, -0.5, -0.5}});
  expect_as_libtorch(
      [](X x) -> TensorList { return {bilinear(x[0], x[1], x[2], x[3])}; },
      {{{2, 2}, 5}, {{2, 1}, 3}, {{2, 2, 1}, 7}, {{2}, 4}}, {{0.484375, 1.34375, -0.5, 0.5}},
      {{-0.9375, 2.4375, 0, 0}, {-3.5625, -4.6875}, {0.1875, -0.75, 0.375, -1.5}, {4, 6}});
  expect_as_libtorch([](X x) -> TensorList { return {linalg_cross(x[0], x[1], 0)}; },
                     {{{3, 2}, 5}, {{3, 1}, 7}}, {{1.375, -0.5, 0.5, -0.625, 0.5625, -1.3125}},
                     {{-7.75, -9.5, -0.75, -0.5, 2, 3.5}, {6, 4.25, -3.75}});
}

TEST(NamedProducts, TakeIntegersAndNothing) {
  const Tensor a = tensor({1, 2, 3}), b = tensor({4, 5, 6});
  expect_values(linalg_cross(a, b), {-3, 6, -3});
  expect_values(tensordot(a, b, {0}, {0}), {32});
  EXPECT_EQ(tensordot(a, b, IntArrayRef(), IntArrayRef()).sizes().vec(),
            (std::vector<int64_t>{3, 3}));
  EXPECT_EQ(linalg_cross(zeros({0, 3}), zeros({1, 3})).sizes().vec(), (std::vector<int64_t>{0, 3}));
  expect_values(bilinear(zeros({1, 0}), zeros({1, 2}), zeros({1, 0, 2})), {0});
  EXPECT_EQ(linalg_cross(ones({3}), ones({3}, kFloat64)).dtype(), kFloat64);
}

TEST(NamedProducts, RefuseWhatDoesNotFit) {
  const Tensor a = zeros({2, 3}), b = zeros({3, 4});
  expect_error<ShapeError>("tensordot: both dimension lists should have same length", [&] {
    tensordot(a, b, {0}, {0, 1});
  });
  expect_error<ShapeError>("tensordot: contracted dimensions need to match",
                           [&] { tensordot(a, b, {0}, {0}); });
  expect_error<IndexError>("tensordot: dim -1 appears multiple times", [&] {
    tensordot(a, b, {1, -1}, {0, 1});
  });
  expect_error<DtypeError>("tensordot: expected scalar type Float but found Double",
                           [&] { tensordot(a, b.to(kFloat64), {1}, {0}); });
  expect_error<ShapeError>("bilinear: weight must have 3 dimensions", [&] { bilinear(a, a, b); });
  expect_error<ShapeError>("bilinear: inputs of size [2, 3] and [3, 4] do not fit", [&] {
    bilinear(a, b, zeros({1, 3, 4}));
  });
  expect_error<ShapeError>("bilinear: bias of size [2] does not fit", [&] {
    bilinear(a, a, zeros({1, 3, 3}), zeros({2}));
  });
  expect_error<ShapeError>("linalg_cross: inputs dimension -1 must have length 3. Got 3 and 4",
                           [&] { linalg_cross(a, b); });
  expect_error<ShapeError>("linalg_cross: inputs must have the same number of dimensions",
                           [&] { linalg_cross(a, zeros({3})); });
  expect_error<ShapeError>("", [&] { linalg_cross(zeros({2, 3}), zeros({4, 3})); });
  expect_error<UndefinedTensor>("linalg_cross:", [&] { linalg_cross(a, Tensor()); });
}

}  // namespace
}  // namespace notape::testing
