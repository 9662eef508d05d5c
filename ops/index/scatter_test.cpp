// Writing at indices, embedding, masks and binary search. Numbers are PyTorch 2.15's.
#include "autograd/testing/expect.h"
#include "ops/ops.h"

namespace notape::testing {
namespace {

Tensor six() { return leaf({{0, 1, 2}, {3, 4, 5}}); }

TEST(Scatter, OverwritesAndTheLastWriteCounts) {
  const Tensor x = six(), source = leaf({{10, 20}, {30, 40}});
  const Tensor y = scatter(x, 1, tensor({{2, 0}, {1, 1}}), source);
  expect_values(y, {20, 1, 10, 3, 40, 5});
  y.backward(constant({{1, 2, 3}, {4, 5, 6}}));
  expect_values(x.grad(), {0, 2, 0, 4, 0, 6});
  expect_values(source.grad(), {3, 1, 0, 5});  // LibTorch: 3, 1, 5, 5
  expect_values(scatter(x, 0, tensor({{0, 1}}, dtype(kInt32)), 7), {7, 1, 2, 3, 7, 5});
  expect_values(scatter(ones({2}, kInt32), 0, tensor({0}), 7.5), {7, 1});
  expect_values(scatter(constant(1), 0, tensor(0), constant(2)), {2});
}

TEST(Scatter, WritesInPlace) {
  Tensor x = constant({1, 2, 3});
  scatter_(x, 0, tensor({2, 0}), x.narrow(0, 0, 2));  // read before it is written
  expect_values(x, {2, 2, 1});
  expect_values(scatter_add_(x, 0, tensor({0, 0}), constant({1, 1})), {4, 2, 1});
  expect_values(index_add_(x, 0, tensor({2}), constant({3}), 2), {4, 2, 7});
  expect_values(index_copy_(x, 0, tensor({1}), constant({9})), {4, 9, 7});
  expect_values(index_fill_(x, 0, tensor({-1}), 5), {4, 9, 5});
}

TEST(Scatter, ChecksItsArguments) {
  Tensor x = six().detach();
  const Tensor index = tensor({{0, 1}});
  expect_error<DtypeError>("scatter: Expected self.dtype to be equal to src.dtype", [&] {
    scatter(x, 0, index, zeros({1, 2}, kFloat32));
  });
  expect_error<ShapeError>("no larger size than src [1, 1]", [&] {
    scatter(x, 0, index, zeros({1, 1}, kFloat64));
  });
  expect_error<IndexError>("index 2 is out of bounds for dimension 0 with size 2",
                           [&] { scatter_(x, 0, index + 1, 7); });
  expect_error<IndexError>("Expected dtype int32/int64 for index",
                           [&] { scatter(x, 0, index.to(kFloat32), 7); });
  expect_error<ValueError>("cannot be converted", [&] { scatter(x.to(kUInt8), 0, index, 300); });
  expect_values(x, {0, 1, 2, 3, 4, 5});
}

TEST(Indices, MayBeInt32) {
  const Tensor x = six(), index = tensor({1, 0}, dtype(kInt32));
  expect_values(x.index_select(1, index), {1, 0, 4, 3});
  expect_values(x.gather(0, tensor({{1, 0, 1}}, dtype(kInt32))), {3, 1, 5});
  expect_values(index_add(x, 0, tensor({0}, dtype(kInt32)), x.narrow(0, 0, 1), 2),
                {0, 3, 6, 3, 4, 5});
  expect_values(scatter_add(x, 0, tensor({{1}}, dtype(kInt32)), leaf({{1}})), {0, 1, 2, 4, 4, 5});
}

TEST(Take, CountsThroughTheTensorFromBothEnds) {
  expect_values(take(six(), tensor({{0, -1}, {5, 2}})), {0, 5, 5, 2});
  expect_error<IndexError>("take: index 6 is out of bounds", [] { take(six(), tensor({6})); });
  expect_values(take_along_dim(six(), tensor({{0}, {2}}), 1), {0, 5});
  expect_values(take_along_dim(six(), tensor({5, 0})), {5, 0});
  expect_values(take_along_dim(six(), tensor({{1, 0}}), 1), {1, 0, 4, 3});
  expect_error<ShapeError>("same number of dimensions, but got 2 dimensions for input, and 1",
                           [] { take_along_dim(six(), tensor({0}), 1); });
}

TEST(IndexCopy, WritesSlices) {
  const Tensor minus = full({2, 2}, -1, kFloat64);
  expect_values(index_copy(six(), 1, tensor({2, 0}), minus), {-1, 1, -1, -1, 4, -1});
  expect_values(index_fill(six(), 1, tensor({2, -3}), 7), {7, 1, 7, 7, 4, 7});
  expect_error<ValueError>("value cannot be converted to type uint8_t without overflow",
                           [] { index_fill(zeros({2}, kUInt8), 0, tensor({0}), tensor(-2.5)); });
  expect_error<IndexError>("index_fill: index 3 is out of bounds",
                           [] { index_fill(six(), 1, tensor({3}), 7); });
  expect_error<ShapeError>("index_copy: source must have the shape of self",
                           [&] { index_copy(six(), 0, tensor({0}), minus); });
}

TEST(IndexPut, CopiesOrAccumulates) {
  const Tensor x = leaf({0, 0, 0}), v = leaf({1, 2, 3});
  const Tensor y = index_put(x, {tensor({0, 0, 2})}, v, true);
  expect_values(y, {3, 0, 3});
  y.backward(constant({1, 2, 3}));
  expect_values(x.grad(), {1, 2, 3});
  expect_values(v.grad(), {1, 1, 3});
  expect_values(index_put(x, {tensor({0, 0, 2})}, v), {2, 0, 3});
  expect_values(index_put(six(), {indexing::Slice(), 1}, constant(9)), {0, 9, 2, 3, 9, 5});
  Tensor z = constant({1, 1});
  expect_values(index_put_(z, {tensor({1, 1})}, constant(2), true), {1, 5});
  expect_error<DtypeError>("Index put requires the source and destination dtypes match, got Double",
                           [&] { index_put(x, {tensor({0})}, zeros({1}, kFloat32)); });
  expect_error<ShapeError>("index_put: shape mismatch", [&] {
    index_put(x, {tensor({0, 1})}, v, true);
  });
}

TEST(MaskedSelect, BroadcastsBoth) {
  expect_values(masked_select(six(), tensor({true, false, true})), {0, 2, 3, 5});
  expect_values(masked_select(constant(2), tensor(true)), {2});
  expect_error<DtypeError>("masked_select: expected BoolTensor for mask", [] {
    masked_select(six(), ones({2, 3}));
  });
  expect_error<ShapeError>("masked_select", [] { masked_select(six(), ones({4}, kBool)); });
}

TEST(Embedding, LeavesPaddingOutAndDividesByFrequency) {
  const Tensor w = leaf({{0, 1}, {2, 3}, {4, 5}}), index = tensor({{0, 2}, {2, 1}}, dtype(kInt32));
  const Tensor y = embedding(w, index, 1, true);
  expect_values(y, {0, 1, 4, 5, 4, 5, 2, 3});
  y.backward(arange(1, 9, dtype(kFloat64)).reshape({2, 2, 2}));
  expect_values(w.grad(), {1, 2, 0, 0, 4, 5});
  expect_error<ShapeError>("embedding: 'weight' must be 2-D", [&] { embedding(w[0], index); });
  expect_error<IndexError>("embedding: index -1 is out of bounds",
                           [&] { embedding(w, tensor({-1})); });
  expect_error<IndexError>("int32/int64", [&] { embedding(w, zeros({1})); });
  expect_error<ValueError>("sparse", [&] { embedding(w, index, -1, false, true); });
}

TEST(Nonzero, ListsIndexTuples) {
  expect_values(nonzero(constant({{0, 2}, {3, 0}})), {0, 1, 1, 0});
  EXPECT_EQ(nonzero(tensor(1)).sizes(), IntArrayRef({1, 0}));
  EXPECT_EQ(nonzero(tensor(0)).sizes(), IntArrayRef({0, 0}));
  EXPECT_EQ(nonzero(zeros({0, 3})).sizes(), IntArrayRef({0, 2}));
}

TEST(OneHot, ChecksClasses) {
  expect_values(one_hot(tensor({0, 2})), {1, 0, 0, 0, 0, 1});
  expect_values(one_hot(tensor(1)), {0, 1});
  EXPECT_EQ(one_hot(zeros({0}, kInt64), 3).sizes(), IntArrayRef({0, 3}));
  const auto refused = [](const char* why, const Tensor& x, int64_t classes) {
    expect_error<ValueError>(why, [&] { one_hot(x, classes); });
  };
  refused("Class values must be smaller than num_classes", tensor({0, 2}), 2);
  refused("Class values must be smaller than num_classes", tensor(1), 0);
  refused("Class values must be non-negative", tensor({0, -2}), -1);
  refused("Can not infer total number of classes", zeros({0}, kInt64), -1);
  expect_error<DtypeError>("one_hot", [] { one_hot(tensor({0}, dtype(kInt32))); });
}

TEST(UniqueConsecutive, DropsRepetitions) {
  const auto [values, inverse, counts] =
      unique_consecutive(constant({1, 1, 2, 2, 3, 1, 1, 2}), true, true);
  expect_values(values, {1, 2, 3, 1, 2});
  expect_values(inverse, {0, 0, 1, 1, 2, 3, 3, 4});
  expect_values(counts, {2, 2, 1, 2, 1});
  const auto [rows, of, many] =
      unique_consecutive(tensor({{1, 1, 2}, {1, 1, 2}, {0, 1, 1}}), true, true, 0);
  expect_values(rows, {1, 1, 2, 0, 1, 1});
  expect_values(of, {0, 0, 1});
  expect_values(many, {2, 1});
  EXPECT_EQ(std::get<0>(unique_consecutive(zeros({0, 2}), false, false, 0)).sizes(),
            IntArrayRef({0, 2}));
  expect_error<ShapeError>("There are 0 sized dimensions", [] {
    unique_consecutive(zeros({0, 2}), false, false, 1);
  });
  const Tensor x = leaf({1, 1, 2});
  std::get<0>(unique_consecutive(x)).backward(constant({3, 4}));
  expect_values(x.grad(), {3, 0, 4});
}

TEST(Searchsorted, FindsPlaces) {
  const Tensor s = tensor({1, 3, 5, 7, 9}), x = tensor({{3, 6, 9}, {3, 6, 9}});
  expect_values(searchsorted(s, x), {1, 3, 4, 1, 3, 4});
  expect_values(searchsorted(s, x, false, true), {2, 3, 5, 2, 3, 5});
  expect_values(searchsorted(s, 3), {1});
  expect_values(searchsorted(s, 3.5), {2});
  const Tensor rows = stack({s, s + 1});
  expect_values(searchsorted(rows, x), {1, 3, 4, 1, 2, 4});
  expect_values(searchsorted(s.to(kFloat32), full({1}, std::numeric_limits<float>::quiet_NaN())),
                {5});
  expect_values(searchsorted(s, x.to(kFloat32) + 0.5), {2, 3, 5, 2, 3, 5});
  const Tensor narrow = tensor({0.0, 1.1, 2.0}), wide = full({}, 1.1, kFloat64);
  expect_values(searchsorted(narrow, wide, false, true), {2});
  expect_values(searchsorted(narrow, wide.view({1}), false, true), {1});
  const Tensor with_nan = tensor({1.0, std::numeric_limits<double>::quiet_NaN()});
  expect_values(searchsorted(with_nan, 1), {0});
  EXPECT_EQ(bucketize(x, s, true).dtype(), kInt32);
  expect_values(bucketize(3, s, false, true), {2});
  expect_values(searchsorted(tensor({3, 1, 2}), 2, false, false, "left", tensor({1, 2, 0})), {1});
  const auto refused = [&](const char* why, auto error, const Tensor& from, const Tensor& values,
                           std::optional<std::string_view> side, const Tensor& sorter) {
    expect_error<decltype(error)>(why,
                                  [&] { searchsorted(from, values, false, true, side, sorter); });
  };
  refused("set to opposites", ValueError(""), s, x, "left", {});
  refused("side can only be", ValueError(""), s, x, "middle", {});
  refused("the first N-1 dimensions", ShapeError(""), rows, tensor({3}), {}, {});
  refused("can be a scalar only", ShapeError(""), rows, tensor(3), {}, {});
  refused("must have the same size", ShapeError(""), s, x, {}, tensor({0, 1}));
  refused("sorter must be a tensor of long", DtypeError(""), s, x, {}, zeros({5}, kInt32));
  refused("out of bounds", IndexError(""), s, x, {}, tensor({0, 1, 2, 3, 5}));
  expect_error<ShapeError>("bucketize: boundaries tensor must be 1 dimension",
                           [&] { bucketize(x, rows); });
}

TEST(Isin, ComparesInTheCommonType) {
  const double nan = std::numeric_limits<double>::quiet_NaN();
  expect_values(isin(constant({1, nan}), constant({nan, 1})), {1, 0});
  expect_values(isin(tensor({1, 2}), constant({1.5, 1})), {1, 0});
  expect_values(isin(tensor({{1, 2}, {3, 4}}), tensor({4, 1}), false, true), {0, 1, 1, 0});
  expect_values(isin(tensor({1, 2}), 2, false, true), {1, 0});
  expect_values(isin(2, tensor({1, 2})), {1});
  expect_values(isin(tensor({1, 2}), zeros({0}, kInt64)), {0, 0});
}

}  // namespace
}  // namespace notape::testing
