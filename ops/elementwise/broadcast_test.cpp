// Shapes: broadcasting, 0-d and empty tensors, expanded operands, and gradients that come back in
// the shape of the operand.
#include "autograd/testing/expect.h"
#include "ops/ops.h"

namespace notape::testing {
namespace {

TEST(Broadcasting, RepeatsDimensionsOfSizeOne) {
  const Tensor column = constant({{1}, {2}}), row = constant({10, 20, 30});
  expect_values(column + row, {11, 21, 31, 12, 22, 32});
  expect_values(where(column > 1, row, 0), {0, 0, 0, 10, 20, 30});
  expect_values(addcmul(constant(1), column, row), {11, 21, 31, 21, 41, 61});
  EXPECT_EQ((column < row).sizes(), IntArrayRef({2, 3}));
}

TEST(Broadcasting, LetsTheConditionDecideTheShape) {
  const Tensor condition = constant({{1}, {-1}}) > 0;
  const Tensor a = leaf({1, 2}), b = leaf(5);
  const Tensor chosen = where(condition, a, b);
  expect_values(chosen, {1, 2, 5, 5});
  chosen.backward(constant({{1, 2}, {3, 4}}));
  expect_values(a.grad(), {1, 2});
  expect_values(b.grad(), {7});
  EXPECT_EQ(b.grad().dim(), 0);
  const Tensor x = leaf({1, 2});
  masked_fill(x, condition, 9).backward(constant({{1, 2}, {3, 4}}));
  expect_values(x.grad(), {3, 4});
}

TEST(Broadcasting, SumsTheGradientBackIntoTheOperand) {
  const Tensor a = leaf({{1}, {2}}), b = leaf({3, 4, 5}), c = leaf(2);
  lerp(a, b, c).backward(ones({2, 3}, kFloat64));
  expect_values(a.grad(), {-3, -3});
  expect_values(b.grad(), {4, 4, 4});
  expect_values(c.grad(), {15});
  const Tensor base = leaf({{2}, {3}}), exponent = leaf({1, 2});
  pow(base, exponent).backward(ones({2, 2}, kFloat64));
  expect_values(base.grad(), {5, 7});
  EXPECT_EQ(exponent.grad().sizes(), IntArrayRef({2}));
}

TEST(Broadcasting, OfZeroDimensionalTensorsStaysZeroDimensional) {
  const Tensor x = leaf(3);
  for (const Tensor& y : {x + x, x * 2, maximum(x, x), pow(x, x), where(x > 0, x, x), exp(x)})
    EXPECT_EQ(y.dim(), 0);
}

TEST(Broadcasting, OfEmptyTensorsIsEmpty) {
  const Tensor empty_matrix = empty({4, 0}, dtype(kFloat64).requires_grad(true));
  const Tensor column = ones({4, 1}, dtype(kFloat64).requires_grad(true));
  const Tensor sum = empty_matrix + column;
  EXPECT_EQ(sum.sizes(), IntArrayRef({4, 0}));
  sum.sum().backward();
  EXPECT_EQ(empty_matrix.grad().sizes(), IntArrayRef({4, 0}));
  expect_values(column.grad(), {0, 0, 0, 0});
  EXPECT_EQ(exp(empty_matrix).numel(), 0);
  EXPECT_EQ(where(empty_matrix > 0, empty_matrix, column).sizes(), IntArrayRef({4, 0}));
  EXPECT_EQ(pow(empty_matrix, 2).sizes(), IntArrayRef({4, 0}));
  expect_error<ShapeError>("must match the size", [&] { empty_matrix + ones({4, 2}); });
}

TEST(Broadcasting, ReadsExpandedOperands) {
  const Tensor x = leaf({1, 2});
  const Tensor wide = x.expand({3, 2});
  expect_values(wide * wide, {1, 4, 1, 4, 1, 4});
  (wide * constant({{1, 2}, {3, 4}, {5, 6}})).sum().backward();
  expect_values(x.grad(), {9, 12});
  EXPECT_TRUE((wide + 1).is_contiguous());
  Tensor target = x.detach().expand({3, 2});
  expect_error<MemoryOverlap>("more than one element of the written-to tensor",
                              [&] { target.add_(1); });
}

TEST(Layout, OfTheResultFollowsADenseOperand) {
  const Tensor x = constant({{1, 2, 3}, {4, 5, 6}}).t();
  EXPECT_EQ(exp(x).strides(), x.strides());
  EXPECT_EQ((x + 1).strides(), x.strides());
  EXPECT_EQ((x > 2).strides(), x.strides());
  EXPECT_EQ((constant(1) + x).strides(), x.strides());
  expect_values(x * 2, {2, 8, 4, 10, 6, 12});
}

TEST(Layout, InPlaceWritesGoThroughViews) {
  Tensor base = constant({{1, 2, 3}, {4, 5, 6}});
  base.select(1, 1).mul_(10);
  expect_values(base, {1, 20, 3, 4, 50, 6});
  base.t().add_(constant({{100}, {200}, {300}}));
  expect_values(base, {101, 220, 303, 104, 250, 306});
  base.narrow(1, 0, 2).clamp_(103, 249);
  expect_values(base, {103, 220, 303, 104, 249, 306});
}

TEST(Members, AreTheFunctions) {
  struct Pair {
    const char* name;
    Tensor (*function)(const Tensor&, At);
    Tensor (ElementwiseMembers::*member)(At) const;
  };
  const Pair pairs[] = {
      {"neg", neg, &Tensor::neg},
      {"abs", abs, &Tensor::abs},
      {"sign", sign, &Tensor::sign},
      {"sqrt", sqrt, &Tensor::sqrt},
      {"rsqrt", rsqrt, &Tensor::rsqrt},
      {"reciprocal", reciprocal, &Tensor::reciprocal},
      {"exp", exp, &Tensor::exp},
      {"log", log, &Tensor::log},
      {"log1p", log1p, &Tensor::log1p},
      {"sin", sin, &Tensor::sin},
      {"cos", cos, &Tensor::cos},
      {"tanh", tanh, &Tensor::tanh},
      {"sigmoid", sigmoid, &Tensor::sigmoid},
      {"relu", relu, &Tensor::relu},
      {"erf", erf, &Tensor::erf},
      {"square", square, &Tensor::square},
  };
  const Tensor x = constant({0.25, 0.75, 2});
  for (const Pair& pair : pairs)
    EXPECT_EQ(values(pair.function(x, At::current())), values((x.*pair.member)(At::current())))
        << pair.name;
  const Tensor y = constant({2, 1, 0.5}), w = constant({0.1, 0.6, 1});
  const std::pair<Tensor, Tensor> several[] = {
      {add(x, y, 2), x.add(y, 2)},
      {add(x, 3), x.add(3)},
      {sub(x, y), x.sub(y)},
      {sub(x, 3, 2), x.sub(3, 2)},
      {mul(x, y), x.mul(y)},
      {mul(x, 3), x.mul(3)},
      {div(x, y), x.div(y)},
      {div(x, 3), x.div(3)},
      {pow(x, y), x.pow(y)},
      {pow(x, 3), x.pow(3)},
      {maximum(x, y), x.maximum(y)},
      {minimum(x, y), x.minimum(y)},
      {lerp(x, y, w), x.lerp(y, w)},
      {lerp(x, y, 0.3), x.lerp(y, 0.3)},
      {addcmul(x, y, w, 2), x.addcmul(y, w, 2)},
      {where(x > y, x, y), x.where(x > y, y)},
      {masked_fill(x, x > y, 7), x.masked_fill(x > y, 7)},
      {clamp(x, 0.5, 1), x.clamp(0.5, 1)},
      {clamp_min(x, 0.5), x.clamp_min(0.5)},
      {clamp_max(x, 0.5), x.clamp_max(0.5)},
  };
  for (std::size_t i = 0; i < std::size(several); ++i)
    EXPECT_EQ(values(several[i].first), values(several[i].second)) << "pair " << i;
}

TEST(Members, WriteInPlace) {
  const Tensor start = constant({0.25, 0.75, 2}), y = constant({2, 1, 0.5});
  const auto written = [&](auto&& program) {
    Tensor x = start.clone();
    program(x);
    return values(x);
  };
  using X = Tensor&;
  EXPECT_EQ(written([&](X x) { x += y; }), values(start + y));
  EXPECT_EQ(written([&](X x) { x -= 3; }), values(start - 3));
  EXPECT_EQ(written([&](X x) { x *= y; }), values(start * y));
  EXPECT_EQ(written([&](X x) { x /= 3; }), values(start / 3));
  EXPECT_EQ(written([&](X x) { x.pow_(y); }), values(pow(start, y)));
  EXPECT_EQ(written([&](X x) { x.pow_(2); }), values(pow(start, 2)));
  EXPECT_EQ(written([&](X x) { x.lerp_(y, 0.3); }), values(lerp(start, y, 0.3)));
  EXPECT_EQ(written([&](X x) { x.addcmul_(y, y, 2); }), values(addcmul(start, y, y, 2)));
  EXPECT_EQ(written([&](X x) { x.add_(x); }), values(start * 2));
  EXPECT_EQ(written([&](X x) { x.mul_(x); }), values(square(start)));
}

}  // namespace
}  // namespace notape::testing
