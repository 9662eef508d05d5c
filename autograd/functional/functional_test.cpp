// vjp, jvp, Jacobians and Hessians agree with each other and with what is known by hand.
#include "autograd/functional/functional.h"

#include "autograd/testing/expect.h"
#include "ops/ops.h"

namespace notape::testing {
namespace {

using namespace autograd::functional;

Tensor f(const Tensor& x) { return (x.tanh() * x.square() + x.exp()).sum(); }
Tensor g(const Tensor& x) { return stack({x[0] * x[1], x[1].exp(), x[0].square()}, 0); }

TEST(Functional, VjpAndJvpAreRowAndColumnOfTheJacobian) {
  const Tensor x = constant({2, 3});
  const double e = std::exp(3);
  expect_values(jacobian(g, x), {3, 2, 0, e, 4, 0}, 1e-12);
  const auto [value, row] = vjp(g, x, constant({1, 10, 100}));
  expect_values(value, {6, e, 4}, 1e-12);
  expect_values(row, {3 + 400, 2 + 10 * e}, 1e-12);
  expect_values(jvp(g, x, constant({1, 10})).product, {3 + 20, 10 * e, 4}, 1e-12);
}

TEST(Functional, JacobiansHaveTheShapesOfOutputAndInput) {
  const Tensor x = rand({2, 3}, kFloat64);
  const auto rows = [](const Tensor& t) { return t.square().sum(IntArrayRef({1})); };
  for (const Strategy strategy : {Strategy::Reverse, Strategy::Forward}) {
    const Tensor j = jacobian(rows, x, {.strategy = strategy});
    EXPECT_EQ(j.sizes(), IntArrayRef({2, 2, 3}));
    EXPECT_DOUBLE_EQ(values(j)[1], 2 * values(x)[1]);
    EXPECT_DOUBLE_EQ(values(j)[3], 0);
    EXPECT_DOUBLE_EQ(values(j)[10], 2 * values(x)[4]);
  }
}

TEST(Functional, JacobiansByInputsWithoutElementsHaveTheirShapes) {
  const auto rows = [](const Tensor& t) { return t.square().sum(IntArrayRef({1})); };
  for (const Strategy strategy : {Strategy::Reverse, Strategy::Forward})
    for (const bool vectorize : {false, true}) {
      const Options options{.strategy = strategy, .vectorize = vectorize};
      const Tensor j = jacobian(rows, zeros({3, 0}, kFloat64), options);
      EXPECT_EQ(j.sizes(), IntArrayRef({3, 3, 0}));
      const auto none = jacobian([&](const variable_list&) { return variable_list{zeros({2})}; },
                                 variable_list(), options);
      ASSERT_EQ(none.size(), 1u);
      EXPECT_TRUE(none[0].empty());
      const auto total = [](const Tensor& t) { return t.square().sum(); };
      EXPECT_EQ(hessian(total, zeros({0, 2}), options).sizes(), IntArrayRef({0, 2, 0, 2}));
    }
}

TEST(Functional, TheCallersTensorsAreLeftAlone) {
  const NothingLeaks guard;
  const Tensor x = leaf({2, 3});
  const Unchanged unchanged({x});
  jacobian(g, x);
  hessian(f, x);
  hvp(f, x, constant({1, 1}));
  EXPECT_FALSE(jvp(g, x, constant({1, 1})).product.requires_grad());
  unchanged.check();
}

TEST(Functional, C19_HessiansAreSymmetricAndAllWaysAgree) {
  const Tensor x = constant({0.3, -1.2, 2});
  const auto h = [](const Tensor& t) { return (t.outer(t).exp() * t).sum().tanh(); };
  const std::vector<double> reverse = values(hessian(h, x));
  const std::vector<double> forward = values(hessian(h, x, {.strategy = Strategy::Forward}));
  for (std::size_t i = 0; i < 3; ++i)
    for (std::size_t j = 0; j < 3; ++j) {
      EXPECT_NEAR(reverse[3 * i + j], reverse[3 * j + i],
                  1e-9 * (1 + std::abs(reverse[3 * i + j])));
      EXPECT_NEAR(reverse[3 * i + j], forward[3 * i + j], 1e-10);
    }
  const Tensor v = constant({1, -2, 0.5});
  std::vector<double> expected;
  for (std::size_t i = 0; i < 3; ++i)
    expected.push_back(reverse[3 * i] - 2 * reverse[3 * i + 1] + 0.5 * reverse[3 * i + 2]);
  expect_values(hvp(h, x, v).product, expected, 1e-10);
  expect_values(vhp(h, x, v).product, expected, 1e-10);
}

TEST(Functional, IndependentPairsGiveZerosOrAnError) {
  const ListFunction both = [](const variable_list& x) {
    return variable_list{x[0].square(), constant({7})};
  };
  const variable_list inputs{constant({1, 2}), constant({3})};
  const auto blocks = jacobian(both, inputs);
  expect_values(blocks[0][0], {2, 0, 0, 4});
  expect_values(blocks[0][1], {0, 0});
  expect_values(blocks[1][0], {0, 0});
  expect_error<UnusedInput>("strict mode", [&] { jacobian(both, inputs, {.strict = true}); });
}

TEST(Functional, CreateGraphLeadsOnToTheCaller) {
  const Tensor x = leaf({2, 3});
  const Tensor j = jacobian(g, x, {.create_graph = true});
  j[0][0].backward();  // dg0/dx0 = x1
  expect_values(x.grad(), {0, 1});
  const Tensor product = hvp(f, x, constant({1, 0}), {.create_graph = true}).product;
  EXPECT_TRUE(product.requires_grad());
}

// The old value that sin_ copies for its derivative has a tangent with a history, of a view, too.
TEST(Functional, DerivativesOfHessianProductsThroughWritesIntoViews) {
  const TensorFunction h = [](const Tensor& x) {
    Tensor y = x * x;
    y.slice(0, 1, 3).sin_();
    return y.sum();
  };
  const Tensor x = leaf({0.5, 0.7, -1.1, 2}), v = ones({4}, kFloat64);
  std::vector<double> third;
  for (const double t : {0.7, -1.1})
    third.push_back(-12 * t * std::sin(t * t) - 8 * t * t * t * std::cos(t * t));
  for (const Tensor& product :
       {hvp(h, x, v, {.create_graph = true}).product, vhp(h, x, v, {.create_graph = true}).product})
    expect_values(autograd::grad({product.sum()}, {x})[0], {0, third[0], third[1], 0}, 1e-12);
}

// Views of what was expanded or unfolded have the tangents of their own entries.
TEST(Functional, TangentsOfTensorsThatShowCellsTwice) {
  const TensorFunction second = [](const Tensor& x) { return x.narrow(0, 1, 1).sum(); };
  const Tensor v = constant({1, 2, 4, 8}).view({2, 2});
  expect_values(jvp(second, constant({3, 5}).expand({2, 2}), v).product, {12});
  expect_values(jvp(second, constant({3, 5, 7}).unfold(0, 2, 1), v).product, {12});
  const TensorFunction products = [](const Tensor& x) {
    return x.exp().unfold(0, 2, 1).cumprod(1).sum();
  };
  const Tensor x = leaf({0.1, 0.2, 0.3}), ones3 = ones({3}, kFloat64);
  const Tensor forward = hvp(products, x, ones3, {.create_graph = true}).product;
  const Tensor reverse = vhp(products, x, ones3, {.create_graph = true}).product;
  expect_values(autograd::grad({forward.sum()}, {x})[0],
                values(autograd::grad({reverse.sum()}, {x})[0]), 1e-12);
}

TEST(Functional, WrongShapesAreNamed) {
  const Tensor x = constant({2, 3});
  expect_error<ShapeError>("vjp: v[0] has size [2], but should have size [3]",
                           [&] { vjp(g, x, x); });
  expect_error<ShapeError>("jvp: v[0] has size [1]", [&] { jvp(g, x, constant({1})); });
  expect_error<ShapeError>("hessian: the function must return one tensor with one element",
                           [&] { hessian(g, x); });
}

}  // namespace
}  // namespace notape::testing
