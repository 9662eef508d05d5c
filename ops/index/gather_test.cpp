// index_select, gather, scatter_add, index_add. Numbers are LibTorch's.
#include "autograd/graph/saved_variable.h"
#include "autograd/testing/expect.h"
#include "ops/ops.h"

namespace notape::testing {
namespace {

Tensor numbers() { return leaf({{1, 2, 3}, {4, 5, 6}}); }

TEST(IndexSelect, TakesSlicesAndAddsTheirGradientsUp) {
  const Tensor x = numbers();
  const Tensor y = x.index_select(1, tensor({2, 0, 2}));
  expect_values(y, {3, 1, 3, 6, 4, 6});
  y.backward(constant({{1, 2, 3}, {4, 5, 6}}));
  expect_values(x.grad(), {2, 0, 4, 5, 0, 10});
  EXPECT_EQ(y.grad_fn()->name(), "IndexSelectBackward0");
}

TEST(IndexSelect, TakesScalarsEmptyIndicesAndZeroDimensionalOnes) {
  const Tensor x = numbers(), scalar = leaf(5);
  EXPECT_EQ(x.index_select(0, zeros({0}, kInt64)).sizes().vec(), (std::vector<int64_t>{0, 3}));
  EXPECT_EQ(x.index_select(0, tensor(1)).sizes().vec(), (std::vector<int64_t>{1, 3}));
  const Tensor y = scalar.index_select(0, tensor({0}));
  EXPECT_EQ(y.dim(), 0);
  y.backward();
  expect_values(scalar.grad(), {1});
}

TEST(Gather, ReadsElementByElement) {
  const Tensor x = numbers();
  const Tensor y = x.gather(1, tensor({{0, 0, 2, 1}, {2, 2, 2, 0}}));
  expect_values(y, {1, 1, 3, 2, 6, 6, 6, 4});
  y.backward(constant({{1, 2, 3, 4}, {5, 6, 7, 8}}));
  expect_values(x.grad(), {3, 4, 3, 8, 0, 18});
  const Tensor first = x.gather(-2, tensor({{1, 0}}));  // fewer columns than x
  expect_values(first, {4, 2});
}

TEST(Gather, AddsRepeatedIndicesUp) {
  const Tensor x = leaf({.1});
  x.gather(0, tensor({0, 0})).backward(constant({.2, .3}));
  expect_values(x.grad(), {.5});
}

TEST(Gather, WorksOnScalarsAndEmptyIndices) {
  const Tensor x = leaf(5);
  expect_values(x.gather(0, tensor(0)), {5});
  const Tensor y = numbers().gather(0, zeros({0, 3}, kInt64));
  EXPECT_EQ(y.sizes().vec(), (std::vector<int64_t>{0, 3}));
}

TEST(ScatterAdd, AddsAtEachIndex) {
  const Tensor x = numbers(), source = leaf({{10, 20, 30}, {40, 50, 60}});
  const Tensor y = scatter_add(x, 0, tensor({{0, 1, 1}, {0, 0, 1}}), source);
  expect_values(y, {51, 52, 3, 4, 25, 96});
  y.backward(constant({{1, 2, 3}, {4, 5, 6}}));
  expect_values(x.grad(), {1, 2, 3, 4, 5, 6});
  expect_values(source.grad(), {1, 5, 6, 1, 2, 6});
}

TEST(ScatterAdd, GivesNothingToSourceElementsThatWereNotRead) {  // LibTorch fails in backward
  const Tensor x = numbers(), source = leaf({{10, 20, 30}, {40, 50, 60}, {70, 80, 90}});
  const Tensor y = scatter_add(x, 1, tensor({{2, 2}}), source);
  expect_values(y, {1, 2, 33, 4, 5, 6});
  (y * y).sum().backward();
  expect_values(source.grad(), {66, 66, 0, 0, 0, 0, 0, 0, 0});
  const Tensor other = leaf({{1, 2}});
  scatter_add(x, 1, zeros({0, 2}, kInt64), other).sum().backward();
  expect_values(other.grad(), {0, 0});
}

TEST(IndexAdd, AddsSlices) {
  const Tensor x = numbers(), source = leaf({{10, 20, 30}, {40, 50, 60}, {70, 80, 90}});
  const Tensor y = index_add(x, 0, tensor({1, 1, 0}), source);
  expect_values(y, {71, 82, 93, 54, 75, 96});
  y.backward(constant({{1, 2, 3}, {4, 5, 6}}));
  expect_values(x.grad(), {1, 2, 3, 4, 5, 6});
  expect_values(source.grad(), {4, 5, 6, 4, 5, 6, 1, 2, 3});
  expect_values(index_add(leaf(1), 0, tensor({0}), leaf(2)), {3});
  const Tensor flags = tensor({true, false}), last = tensor({1}), yes = tensor({true});
  expect_values(index_add(flags, 0, last, yes, 2), {1, 1});
  expect_values(index_add(flags, 0, last, yes, 0), {1, 0});
}

TEST(IndexAdd, HasWholeFactorsOfIntegers) {
  Tensor x = tensor({1, 2}, kInt8);
  const Tensor source = tensor({3}, kInt8);
  expect_values(index_add(x, 0, tensor({1}), source, 2), {1, 8});
  const char* refusal =
      "For integral input tensors, argument alpha must not be a floating point number.";
  expect_error<DtypeError>(refusal, [&] { index_add(x, 0, tensor({1}), source, 0.5); });
  expect_error<DtypeError>(refusal, [&] { index_add_(x, 0, tensor({1}), source, 0.5); });
  expect_values(x, {1, 2});
}

TEST(IndexAdd, DoesNotBroadcastItsSource) {
  const Tensor x = numbers();
  expect_error<ShapeError>("Got self.shape = [2, 3] source.shape = [2, 1]", [&] {
    index_add(x, 0, tensor({0, 1}), constant({{1}, {2}}));
  });
  expect_error<ShapeError>("Number of indices (1) should be equal to source.size(dim): (2)", [&] {
    index_add(x, 0, tensor({0}), constant({{1, 2, 3}, {4, 5, 6}}));
  });
}

TEST(IndexOperators, GiveTheSameBitsWhateverTheLayout) {
  const Tensor x = randn({3, 5}), source = randn({40, 5});
  const Tensor index = randint(0, 3, {40}), each = randint(0, 3, {40, 5});
  const Tensor turned = source.t().contiguous().t();
  EXPECT_EQ(values(index_add(x, 0, index, source)), values(index_add(x, 0, index, turned)));
  EXPECT_EQ(values(scatter_add(x, 0, each, source)),
            values(scatter_add(x, 0, each.t().contiguous().t(), turned)));
}

TEST(IndexOperators, HaveSecondDerivatives) {
  const Tensor x = leaf({1, 2, 3}), i = tensor({2, 2, 0});
  const auto second = [&](const Tensor& y) {
    const Tensor first = autograd::grad({(y * y * y).sum()}, {x}, {}, {}, true)[0];
    return values(autograd::grad({first.sum()}, {x})[0]);
  };
  EXPECT_EQ(second(x.index_select(0, i)), (std::vector<double>{6, 0, 36}));
  EXPECT_EQ(second(x.gather(0, i)), (std::vector<double>{6, 0, 36}));
  // y = {3, 0, 1 + 2}: 6 y0 + 6 y2 (1 + 1)^2 spread over x2, x0, x1
  EXPECT_EQ(second(scatter_add(zeros({3}, kFloat64), 0, tensor({2, 2, 0}), x)),
            (std::vector<double>{36, 36, 18}));
  EXPECT_EQ(second(index_add(zeros({3}, kFloat64), 0, tensor({2, 2, 0}), x)),
            (std::vector<double>{36, 36, 18}));
}

TEST(IndexOperators, NoticeWhenASavedIndexIsOverwritten) {
  const Tensor x = numbers();
  Tensor index = tensor({0, 1});
  const Tensor y = x.index_select(0, index);
  index.fill_(0);
  EXPECT_THROW(y.sum().backward(), SavedTensorModified);
}

TEST(IndexOperators, RefuseBadIndices) {
  const Tensor x = numbers(), source = constant({{1, 2, 3}});
  const auto out_of_range = "index 5 is out of bounds for dimension 0 with size 2";
  expect_error<IndexError>(out_of_range, [&] { x.index_select(0, tensor({0, 5})); });
  expect_error<IndexError>(out_of_range, [&] { x.gather(0, tensor({{0, 5}})); });
  expect_error<IndexError>(out_of_range, [&] { scatter_add(x, 0, tensor({{0, 5, 0}}), source); });
  expect_error<IndexError>(out_of_range, [&] { index_add(x, 0, tensor({5}), source); });
  expect_error<IndexError>("index -1 is out of bounds", [&] { x.gather(0, tensor({{-1}})); });
  expect_error<IndexError>("Expected dtype int32/int64 for index, but got bool", [&] {
    x.gather(0, ones({1, 1}, kBool));
  });
  expect_error<IndexError>("Expected dtype int32/int64 for index, but got float32",
                           [&] { x.index_select(0, ones({1})); });
  expect_error<IndexError>("Index is supposed to be a vector",
                           [&] { x.index_select(0, tensor({{0}})); });
  expect_error<ShapeError>("Index tensor must have the same number of dimensions as input tensor",
                           [&] { x.gather(0, tensor({0})); });
  expect_error<ShapeError>(
      "Size does not match at dimension 1 expected index [1, 4] to be smaller than self [2, 3]",
      [&] {
        x.gather(0, tensor({{0, 1, 1, 1}}));
      });
  expect_error<ShapeError>("to be smaller size than src [1, 3]", [&] {
    scatter_add(x, 0, tensor({{0}, {1}}), source);
  });
  expect_error<DtypeError>("Expected self.dtype to be equal to src.dtype", [&] {
    scatter_add(x, 0, tensor({{0}}), ones({1, 1}));
  });
  expect_error<DtypeError>("must have the same scalar type", [&] {
    index_add(x, 0, tensor({0}), ones({1, 3}));
  });
  expect_error<IndexError>("Dimension out of range", [&] { x.gather(2, tensor({{0}})); });
}

}  // namespace
}  // namespace notape::testing
