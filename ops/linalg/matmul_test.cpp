#include "ops/linalg/testing/pattern.h"

namespace notape::testing {
namespace {

struct Case {
  std::vector<int64_t> a, b, sizes;
  std::vector<double> expected;
};
// What LibTorch computes for pattern(a, 5) and pattern(b, 7).
const Case kCases[] = {
    {{3}, {3}, {}, {-1.8125}},
    {{2, 3}, {3}, {2}, {-1.8125, -2.0625}},
    {{3}, {3, 2}, {2}, {-0.3125, 0.0625}},
    {{2, 3}, {3, 2}, {2, 2}, {-0.3125, 0.0625, 0.4375, -1.4375}},
    {{1, 3}, {3, 1}, {1, 1}, {-1.8125}},
    {{2, 2, 3}, {3}, {2, 2}, {-1.8125, -2.0625, 1.75, 1.5}},
    {{2, 2, 3},
     {3, 2},
     {2, 2, 2},
     {-0.3125, 0.0625, 0.4375, -1.4375, -0.4375, 0.3125, 0.3125, -1.1875}},
    {{2, 1, 2, 3}, {3, 1}, {2, 1, 2, 1}, {-1.8125, -2.0625, 1.75, 1.5}},
    {{3}, {2, 3, 2}, {2, 2}, {-0.3125, 0.0625, -0.5, -0.125}},
    {{2, 3}, {2, 3, 2}, {2, 2, 2}, {-0.3125, 0.0625, 0.4375, -1.4375, -0.5, -0.125, 1.375, -0.5}},
    {{2, 2, 3},
     {2, 3, 2},
     {2, 2, 2},
     {-0.3125, 0.0625, 0.4375, -1.4375, -0.8125, -0.0625, 1.0625, -0.4375}},
    {{1, 2, 3}, {2, 3, 1}, {2, 2, 1}, {-1.8125, -2.0625, 1.75, 1.25}},
    {{2, 1, 2, 2},
     {2, 2, 1},
     {2, 2, 2, 1},
     {-1.3125, -0.5625, -1.125, -0.75, 1, 1.75, 1.25, 1.625}},
    {{2, 1, 1, 2}, {1, 3, 2, 1}, {2, 3, 1, 1}, {-1.3125, -1.125, -0.9375, -0.5625, -0.75, -0.9375}},
    {{1, 1, 2}, {2, 2}, {1, 1, 2}, {0.4375, -0.6875}},
    {{2}, {2, 1, 2, 2}, {2, 1, 2}, {0.4375, -0.6875, 0.8125, -0.3125}},
    {{2, 3, 1, 2}, {2, 1, 2, 1}, {2, 3, 1, 1}, {-1.3125, -0.5625, 1, 1.625, -1.25, -0.875}},
    {{4, 1}, {1, 2}, {4, 2}, {-0.0625, 0.3125, 0.25, -1.25, -0.25, 1.25, 0.0625, -0.3125}},
    {{2, 2, 2, 1},
     {2, 2, 1, 2},
     {2, 2, 2, 2},
     {-0.0625, 0.3125, 0.25, -1.25, -0.5, 1, 0.125, -0.25, 1.125, -1.125, -0.375, 0.375, 0.75,
      -0.375, -1.25, 0.625}},
};

std::vector<int> reversed(const Tensor& value) {
  std::vector<int> order;
  for (auto d = static_cast<int>(value.dim()); d-- > 0;) order.push_back(d);
  return order;
}

TEST(Matmul, HasLibTorchsShapesAndValues) {
  for (const Case& one : kCases) {
    SCOPED_TRACE(to_string(one.a) + " by " + to_string(one.b));
    const Tensor a = pattern(one.a, 5), b = pattern(one.b, 7);
    const Tensor product = matmul(a, b);
    EXPECT_EQ(product.sizes(), IntArrayRef(one.sizes));
    expect_values(product, one.expected);
    expect_values(matmul(a.to(kFloat32), b.to(kFloat32)), one.expected);
  }
}

TEST(Matmul, TakesOperandsInEveryLayout) {
  for (const Case& one : kCases) {
    SCOPED_TRACE(to_string(one.a) + " by " + to_string(one.b));
    const Tensor a = pattern(one.a, 5), b = pattern(one.b, 7);
    expect_values(matmul(laid_out(a, reversed(a)), laid_out(b, reversed(b), 1)), one.expected);
    expect_values(matmul(laid_out(a, reversed(a), 2), b), one.expected);
  }
}

TEST(Matmul, HasLibTorchsGradients) {
  struct Gradients {
    std::vector<int64_t> a, b;
    std::vector<double> da, db;
  };
  const Gradients cases[] = {
      {{2, 2, 3},
       {3},
       {-0.1875, 0.9375, -0.375, 0, 0, 0, 0.1875, -0.9375, 0.375, 0.375, -1.875, 0.75},
       {2.625, -2.8125, 1.5}},
      {{3},
       {2, 3, 2},
       {-0.1875, 0.1875, 0.5625},
       {0.1875, 0, -0.75, 0, 0.75, 0, -0.1875, -0.375, 0.75, 1.5, -0.75, -1.5}},
      {{2, 1, 2, 2},
       {2, 2, 1},
       {0.1875, 0.1875, 0.75, -1.5, 0, 0.75, 0.5625, -0.9375},
       {-1.5, 0.0625, 0, -0.6875}},
      {{2, 3},
       {2, 3, 2},
       {-1.0625, -1.5625, -2.0625, -1.8125, -0.8125, 0.1875},
       {0.375, 0.375, 0.375, 2.25, 0.375, -0.75, 0.375, 0.375, -0.25, 1.625, 0.75, -0.375}},
  };
  for (const Gradients& one : cases) {
    SCOPED_TRACE(to_string(one.a) + " by " + to_string(one.b));
    const Tensor a = pattern_leaf(one.a, 5), b = pattern_leaf(one.b, 7);
    const Tensor product = matmul(a, b);
    product.backward(pattern(product.sizes(), 3));
    expect_values(a.grad(), one.da);
    expect_values(b.grad(), one.db);
  }
}

TEST(Matmul, WithZeroSizesIsZeroOrEmpty) {
  struct Empty {
    std::vector<int64_t> a, b, sizes;
  };
  const Empty cases[] = {{{0}, {0}, {}},
                         {{2, 0}, {0, 3}, {2, 3}},
                         {{2, 2, 0}, {0}, {2, 2}},
                         {{2, 2, 0}, {2, 0, 3}, {2, 2, 3}},
                         {{0, 3}, {3}, {0}},
                         {{3}, {3, 0}, {0}},
                         {{0, 2, 3}, {3, 4}, {0, 2, 4}},
                         {{2, 3}, {0, 3, 4}, {0, 2, 4}},
                         {{1, 2, 3}, {0, 3, 4}, {0, 2, 4}},
                         {{3, 0, 2}, {1, 2, 2}, {3, 0, 2}}};
  for (const Empty& one : cases) {
    SCOPED_TRACE(to_string(one.a) + " by " + to_string(one.b));
    const Tensor a = pattern_leaf(one.a, 5), b = pattern_leaf(one.b, 7);
    const Tensor product = matmul(a, b);
    EXPECT_EQ(product.sizes(), IntArrayRef(one.sizes));
    expect_values(product, std::vector<double>(static_cast<std::size_t>(product.numel()), 0));
    product.sum().backward();
    EXPECT_EQ(a.grad().sizes(), a.sizes());
    EXPECT_EQ(b.grad().sizes(), b.sizes());
  }
}

TEST(Matmul, MultipliesIntegers) {
  const Tensor a = pattern({2, 2, 3}, 5, kInt64), b = pattern({3}, 7, kInt64);
  const Tensor product = matmul(a, b);
  EXPECT_EQ(product.dtype(), kInt64);
  expect_values(product, {-29, -33, 28, 24});
}

TEST(Matmul, FoldsTheBatchIntoOneProductForASingleMatrix) {
  const Tensor product = matmul(pattern_leaf({2, 2, 3}, 5), pattern_leaf({3, 2}, 7));
  EXPECT_EQ(product.grad_fn()->next_edge(0).function->name(), "MmBackward0");
}

TEST(Matmul, RefusesScalarsAndShapesThatDoNotFit) {
  expect_error<ShapeError>(
      "both arguments to matmul need to be at least 1D, but they are 0D and 1D",
      [] { matmul(zeros({}), zeros({4})); });
  struct Wrong {
    std::vector<int64_t> a, b;
    const char* fragment;
  };
  const Wrong cases[] = {{{2, 3}, {4, 5}, "cannot be multiplied (2x3 and 4x5)"},
                         {{3}, {4}, "cannot be multiplied (3 and 4)"},
                         {{2, 3}, {4}, "cannot be multiplied (2x3 and 4)"},
                         {{2, 3, 4}, {2, 5, 5}, "cannot be multiplied (2x3x4 and 2x5x5)"},
                         {{2, 3, 4},
                          {5, 4, 5},
                          "The size of tensor a (2) must match the size of "
                          "tensor b (5) at non-singleton dimension 0"}};
  for (const Wrong& one : cases)
    expect_error<ShapeError>(one.fragment, [&] { matmul(zeros(one.a), zeros(one.b)); });
}

TEST(Matmul, RefusesDifferentTypes) {
  for (const std::vector<int64_t>& b : std::vector<std::vector<int64_t>>{{3}, {3, 2}, {2, 3, 2}})
    expect_error<DtypeError>("matmul: expected scalar type Float but found Double", [&] {
      matmul(zeros({2, 2, 3}), zeros(b, kFloat64));
    });
}

}  // namespace
}  // namespace notape::testing
