#include "ops/linalg/testing/pattern.h"

namespace notape::testing {
namespace {

TEST(Addmm, HasLibTorchsValuesAndGradientsForEveryBroadcast) {
  struct Case {
    std::vector<int64_t> sizes;
    std::vector<double> expected, gradient;
  };
  const Case cases[] = {{{2, 2}, {0.25, -0.125, -0.5, 3.625}, {-0.25, 0.25, 0.75, -0.375}},
                        {{2}, {0.25, -0.125, -1.25, 2.875}, {0.5, -0.125}},
                        {{2, 1}, {0.25, -0.5, -0.875, 2.875}, {0, 0.375}},
                        {{1}, {0.25, -0.5, -1.25, 2.5}, {0.375}},
                        {{}, {0.25, -0.5, -1.25, 2.5}, {0.375}}};
  for (const Case& one : cases) {
    SCOPED_TRACE(to_string(one.sizes));
    const Tensor self = pattern_leaf(one.sizes, 3);
    const Tensor a = pattern_leaf({2, 3}, 5), b = pattern_leaf({3, 2}, 7);
    const Tensor result = addmm(self, a, b, 0.5, -2);
    expect_values(result, one.expected);
    result.backward(pattern({2, 2}, 4));
    expect_values(self.grad(), one.gradient);
    expect_values(a.grad(), {1.5, 1.5, 1.5, -2.625, -3, -3.375});
    expect_values(b.grad(), {-1, 0.625, -3.5, 1.25, 0.5, 0.25});
  }
}

TEST(Addmm, WithBetaZeroIgnoresNaNInSelf) {
  const Tensor nan = constant({std::nan(""), std::nan("")});
  const Tensor a = pattern({2, 3}, 5), b = pattern({3, 2}, 7);
  expect_values(addmm(nan, a, b, 0), values(mm(a, b)));
  expect_values(addmm(nan, empty({2, 0}, kFloat64), empty({0, 2}, kFloat64), 0), {0, 0, 0, 0});
  const Tensor large_a = pattern({40, 50}, 5), large_b = pattern({50, 60}, 7);
  const Tensor large = full({40, 60}, std::nan(""), kFloat64);
  EXPECT_EQ(values(addmm(large, large_a, large_b, 0)), values(mm(large_a, large_b)));
}

TEST(Addmm, WithAlphaZeroIgnoresNaNInTheProduct) {
  const Tensor nan = full({2, 3}, std::nan(""), kFloat64);
  expect_values(addmm(constant({1, 2}), nan, pattern({3, 2}, 7), 3, 0), {3, 6, 3, 6});
}

TEST(Addmm, InPlaceIsTheSameInEveryLayoutOfSelf) {
  for (const auto& [n, k, m] :
       std::vector<std::array<int64_t, 3>>{{2, 3, 2}, {30, 20, 40}, {30, 40, 1}}) {
    SCOPED_TRACE(n);
    const Tensor self = pattern({n, m}, 3), a = pattern({n, k}, 5), b = pattern({k, m}, 7);
    const std::vector<double> expected = values(addmm(self, a, b, 0.5, -2));
    for (const std::vector<int>& order : std::vector<std::vector<int>>{{0, 1}, {1, 0}})
      for (int64_t gap : {0, 1}) {
        Tensor target = laid_out(self, order, gap);
        addmm_(target, a, b, 0.5, -2);
        expect_values(target, expected);
      }
  }
}

TEST(Addmm, InPlaceMayReadItself) {
  Tensor x = pattern({3, 3}, 5);
  const Tensor before = x.clone();
  x.addmm_(x, x);
  expect_values(x, values(before + mm(before, before)));
  expect_error<MemoryOverlap>("", [&] { x.addmm_(x.t(), before); });
}

TEST(Addmm, InPlaceIsDifferentiable) {
  const Tensor self = pattern_leaf({2, 2}, 3);
  const Tensor a = pattern_leaf({2, 3}, 5), b = pattern_leaf({3, 2}, 7);
  Tensor result = self * 1;
  result.addmm_(a, b, 0.5, -2);
  expect_values(result, {0.25, -0.125, -0.5, 3.625});
  result.backward(pattern({2, 2}, 4));
  expect_values(self.grad(), {-0.25, 0.25, 0.75, -0.375});
  expect_values(a.grad(), {1.5, 1.5, 1.5, -2.625, -3, -3.375});
}

TEST(Addmm, MultipliesIntegersByIntegers) {
  const Tensor a = tensor({{1, 2}, {3, 4}}), self = tensor({10, 20});
  expect_values(addmm(self, a, a, 2, -1), {20 - 7, 40 - 10, 20 - 15, 40 - 22});
  expect_error<DtypeError>("must not be floating point numbers",
                           [&] { addmm(self, a, a, 1, 1.5); });
}

TEST(Addmm, RefusesWhatDoesNotFit) {
  const Tensor a = zeros({2, 3}), b = zeros({3, 5});
  expect_error<ShapeError>("mat1 and mat2 shapes cannot be multiplied (2x3 and 4x5)", [&] {
    addmm(zeros({5}), a, zeros({4, 5}));
  });
  expect_error<ShapeError>("mat1 must be a matrix, got 1-D tensor",
                           [&] { addmm(zeros({5}), zeros({3}), b); });
  expect_error<ShapeError>("mat2 must be a matrix, got 3-D tensor", [&] {
    addmm(zeros({5}), a, zeros({1, 3, 5}));
  });
  for (const Tensor& self : {zeros({3}), zeros({2, 3, 4}), zeros({3, 5})})
    expect_error<ShapeError>("cannot be expanded to that of the product, [2, 5]",
                             [&] { addmm(self, a, b); });
  expect_error<DtypeError>("expected scalar type Float but found Double",
                           [&] { addmm(zeros({5}, kFloat64), a, b); });
  expect_error<DtypeError>("expected scalar type Float but found Double",
                           [&] { addmm(zeros({5}), a, b.to(kFloat64)); });
}

TEST(Addmm, InPlaceRefusesToGrowAndChangesNothing) {
  const Tensor a = ones({2, 3}), b = ones({3, 5});
  Tensor self = zeros({1, 5});
  const Unchanged unchanged({self, a, b});
  expect_error<ShapeError>("input tensor size [1, 5] and output tensor size [2, 5] should match",
                           [&] { self.addmm_(a, b); });
  Tensor expanded = self.expand({2, 5});
  expect_error<MemoryOverlap>("", [&] { expanded.addmm_(a, b); });
  Tensor wanting = zeros({2, 5}, TensorOptions().requires_grad(true));
  expect_error<LeafInPlace>("", [&] { wanting.addmm_(a, b); });
  unchanged.check();
}

}  // namespace
}  // namespace notape::testing
