// Reducing at indices, and bags of rows. Numbers are PyTorch 2.15's.
#include "autograd/testing/expect.h"
#include "ops/ops.h"

namespace notape::testing {
namespace {

struct ReduceRow {
  const char* reduce;
  bool include_self;
  std::vector<double> value, of_self, of_source;
};

// Places 0, 0, 1 and three times 3 of four; place 2 gets nothing.
const ReduceRow kReduceRows[] = {
    {"sum", true, {12, 4, 3, 11}, {1, 10, 100, 1000}, {1, 1, 10, 1000, 1000, 1000}},
    {"sum", false, {11, 2, 3, 7}, {0, 0, 100, 0}, {1, 1, 10, 1000, 1000, 1000}},
    {"prod", true, {30, 4, 3, -64}, {30, 20, 100, -16000}, {6, 5, 20, -16000, -16000, 64000}},
    {"prod", false, {30, 2, 3, -16}, {0, 0, 100, 0}, {6, 5, 10, -4000, -4000, 16000}},
    {"mean", true, {4, 2, 3, 2.75}, {1. / 3, 5, 100, 250}, {1. / 3, 1. / 3, 5, 250, 250, 250}},
    {"mean",
     false,
     {5.5, 2, 3, 7. / 3},
     {0, 0, 100, 0},
     {0.5, 0.5, 10, 1000. / 3, 1000. / 3, 1000. / 3}},
    {"amax", true, {6, 2, 3, 4}, {0, 5, 100, 1000. / 3}, {0, 1, 5, 1000. / 3, 1000. / 3, 0}},
    {"amax", false, {6, 2, 3, 4}, {0, 0, 100, 0}, {0, 1, 10, 500, 500, 0}},
    {"amin", true, {1, 2, 3, -1}, {1, 5, 100, 0}, {0, 0, 5, 0, 0, 1000}},
    {"amin", false, {5, 2, 3, -1}, {0, 0, 100, 0}, {1, 0, 10, 0, 0, 1000}},
};

TEST(ScatterReduce, GivesLibTorchsValuesAndGradients) {
  const Tensor index = tensor({0, 0, 1, 3, 3, 3}), grad = constant({1, 10, 100, 1000});
  for (const ReduceRow& row : kReduceRows) {
    SCOPED_TRACE(std::string(row.reduce) + (row.include_self ? " with self" : ""));
    const Tensor self = leaf({1, 2, 3, 4}), source = leaf({5, 6, 2, 4, 4, -1});
    const Tensor y = scatter_reduce(self, 0, index, source, row.reduce, row.include_self);
    expect_values(y, row.value, 1e-15);
    y.backward(grad);
    expect_values(self.grad(), row.of_self, 1e-12);
    // LibTorch lets entries of self that are left out take part in ties: 5 and 333.3, not 10, 500.
    expect_values(source.grad(), row.of_source, 1e-12);
    Tensor written = self.detach().clone();
    written.scatter_reduce_(0, index, source.detach(), row.reduce, row.include_self);
    expect_values(written, row.value, 1e-15);
  }
}

TEST(ScatterReduce, DifferentiatesProductsWithZerosToEveryOrder) {
  const Tensor self = leaf({1, 2, 0, 0}), source = leaf({0, 3, 0, 0, 7, 0});
  const Tensor y = scatter_reduce(self, 0, tensor({0, 0, 1, 1, 2, 3}), source, "prod");
  expect_values(y, {0, 0, 0, 0});
  const std::vector<Tensor> first =
      autograd::grad({y}, {self, source}, {constant({1, 10, 100, 1000})}, {}, true);
  expect_values(first[0], {0, 0, 700, 0});
  expect_values(first[1], {3, 0, 0, 0, 0, 0});
  // LibTorch refuses the second order here. d2 (2 a b) = 2 for both zeros of place 1, at 10.
  expect_values(autograd::grad({first[1].sum()}, {source})[0], {1, 1, 20, 20, 0, 0});
}

TEST(ScatterReduce, SharesNaNAmongNaNs) {
  const double nan = std::numeric_limits<double>::quiet_NaN();
  const Tensor self = leaf({1, nan, 3}), source = leaf({nan, 1, 2, nan});
  const Tensor y = scatter_reduce(self, 0, tensor({0, 0, 1, 1}), source, "amax");
  EXPECT_TRUE(std::isnan(values(y)[0]) && std::isnan(values(y)[1]));
  y.backward(constant({1, 10, 100}));
  expect_values(self.grad(), {0, 5, 100});
  expect_values(source.grad(), {1, 0, 0, 5});
}

TEST(ScatterReduce, TakesIntegersBoolsAndSingleNumbers) {
  const Tensor index = tensor({0, 0, 1, 2});
  expect_values(scatter_reduce(tensor({7, -7, 0}), 0, index, tensor({1, -4, 2, -1}), "mean"),
                {1, -3, -1});
  expect_values(scatter_reduce(tensor({7, -7, 0}), 0, index, tensor({1, -4, 2, -1}), "mean", false),
                {-2, 2, -1});
  const Tensor bytes = tensor({200, 100}, dtype(kUInt8));
  expect_values(scatter_reduce(zeros({3}, kUInt8), 0, tensor({0, 0}), bytes, "mean"),
                {100, 0, 0});  // LibTorch: 14, since 300 leaves the type before it is divided
  const Tensor truth = tensor({true, false});
  for (const auto& [reduce, first] :
       {std::pair("sum", 1), std::pair("prod", 0), std::pair("amax", 1), std::pair("amin", 0)})
    expect_values(scatter_reduce(truth, 0, tensor({0, 0}), truth, reduce),
                  {static_cast<double>(first), 0});
  expect_values(scatter_reduce(constant(3), 0, tensor(0), constant(2), "mean"), {2.5});
  expect_values(scatter_reduce(constant(3), 0, tensor({0}), constant(2), "prod"), {6});
  expect_values(scatter_reduce(constant({1, 2}), 0, zeros({0}, kInt64), constant({5}), "amax"),
                {1, 2});
}

TEST(ScatterReduce, HasTheOlderNames) {
  const Tensor x = leaf({1, 1, 1}), source = leaf({2, 3});
  const Tensor product = scatter(x, 0, tensor({0, 0}), source, "multiply");
  expect_values(product, {6, 1, 1});
  product.sum().backward();
  expect_values(source.grad(), {3, 2});  // LibTorch has no derivative
  Tensor y = constant({1, 1, 1});
  expect_values(y.scatter_(0, tensor({0, 0}), source.detach(), "add"), {6, 1, 1});
}

TEST(ScatterReduce, ChecksItsArguments) {
  Tensor x = constant({1, 2, 3});
  const Unchanged before({x});
  const Tensor at0 = tensor({0}), one = constant({5});
  expect_error<ValueError>("scatter_reduce_: reduce argument must be either sum, prod",
                           [&] { scatter_reduce_(x, 0, at0, one, "max"); });
  expect_error<ValueError>("scatter_: reduce argument must be either add or multiply",
                           [&] { scatter_(x, 0, at0, one, "sum"); });
  expect_error<DtypeError>("Expected self.dtype to be equal to src.dtype",
                           [&] { scatter_reduce_(x, 0, at0, zeros({1}, kFloat32), "sum"); });
  expect_error<DtypeError>("not implemented for 'Bool'", [] {
    scatter_reduce(zeros({1}, kBool), 0, tensor({0}), zeros({1}, kBool), "mean");
  });
  for (const char* reduce : {"sum", "prod", "amax"}) {
    expect_error<IndexError>("index 3 is out of bounds for dimension 0 with size 3",
                             [&] { scatter_reduce_(x, 0, at0 + 3, one, reduce); });
    expect_error<IndexError>("index -1 is out of bounds",
                             [&] { scatter_reduce_(x, 0, at0 - 1, one, reduce); });
    expect_error<ShapeError>("no larger size than src [1]", [&] {
      scatter_reduce_(x, 0, tensor({0, 1}), one, reduce);
    });
    expect_error<ShapeError>("same number of dimensions",
                             [&] { scatter_reduce_(x, 0, tensor({{0}}), one, reduce); });
  }
  Tensor leaf_itself = leaf({1, 2});
  expect_error<LeafInPlace>("scatter_reduce_",
                            [&] { scatter_reduce_(leaf_itself, 0, at0, one, "prod"); });
  before.check();
}

struct BagRow {
  const char* name;
  int64_t mode, padding;
  bool by_frequency;
  std::vector<double> output, bag_size, largest, gradient;
};

const BagRow kBagRows[] = {
    {"sum",
     0,
     -1,
     false,
     {5, 13, 0, 0, 3, 15, 2, 7},
     {0, 0, 0, 0},
     {0, 0, 0, 0},
     {5, 6, 13, 16, 1, 2, 0, 0}},
    {"sum without padding",
     0,
     1,
     false,
     {3, 6, 0, 0, 1, 8, 0, 0},
     {0, 0, 0, 0},
     {0, 0, 0, 0},
     {5, 6, 0, 0, 1, 2, 0, 0}},
    {"sum by frequency",
     0,
     -1,
     true,
     {5, 13, 0, 0, 3, 15, 2, 7},
     {0, 0, 0, 0},
     {0, 0, 0, 0},
     {5, 6, 13. / 3, 16. / 3, 1, 2, 0, 0}},
    {"mean",
     1,
     -1,
     false,
     {2.5, 6.5, 0, 0, 1.5, 7.5, 2, 7},
     {2, 0, 2, 1},
     {2, 0, 2, 1},
     {2.5, 3, 10, 12, 0.5, 1, 0, 0}},
    {"mean without padding",
     1,
     1,
     false,
     {3, 6, 0, 0, 1, 8, 0, 0},
     {1, 0, 1, 0},
     {1, 0, 1, 0},
     {5, 6, 0, 0, 1, 2, 0, 0}},
    {"max",
     2,
     -1,
     false,
     {3, 7, 0, 0, 2, 8, 2, 7},
     {2, 0, 2, 1},
     {2, 1, 0, 0, 1, 0, 1, 1},
     {0, 6, 12, 10, 1, 0, 0, 0}},
    {"max without padding",
     2,
     1,
     false,
     {3, 6, 0, 0, 1, 8, 0, 0},
     {1, 0, 1, 0},
     {2, 2, 0, 0, 0, 0, 0, 0},
     {5, 6, 0, 0, 1, 2, 0, 0}},
};

Tensor bag_weight() { return leaf({{1, 8}, {2, 7}, {3, 6}, {4, 5}}); }

TEST(EmbeddingBag, GivesLibTorchsResults) {
  const Tensor index = tensor({1, 2, 1, 0, 1}), starts = tensor({0, 2, 2, 4});
  for (const BagRow& row : kBagRows) {
    SCOPED_TRACE(row.name);
    for (const bool with_end : {false, true}) {
      const Tensor w = bag_weight(), offsets = with_end ? cat({starts, tensor({5})}) : starts;
      const auto [y, of, sizes, largest] = embedding_bag(
          w, index, offsets, row.by_frequency, row.mode, false, {}, with_end, row.padding);
      expect_values(y, row.output);
      expect_values(of, {0, 0, 2, 2, 3});
      expect_values(sizes, row.bag_size);
      expect_values(largest, row.largest);
      y.backward(arange(1, 9, dtype(kFloat64)).reshape({4, 2}));
      expect_values(w.grad(), row.gradient, 1e-14);
    }
  }
}

TEST(EmbeddingBag, WeighsItsRows) {
  const Tensor index = tensor({1, 2, 3, 1, 0, 1}, dtype(kInt32)), offsets = tensor({0, 2, 2, 5});
  const Tensor w = bag_weight(), scales = leaf({1, 2, 3, 4, 5, 6});
  const Tensor y = std::get<0>(embedding_bag(w, index, offsets, false, 0, false, scales, false, 1));
  expect_values(y, {6, 12, 0, 0, 17, 55, 0, 0});
  y.backward(arange(1, 9, dtype(kFloat64)).reshape({4, 2}));
  expect_values(w.grad(), {25, 30, 0, 0, 2, 4, 15, 18});
  expect_values(scales.grad(), {0, 15, 50, 0, 53, 0});
}

TEST(EmbeddingBag, TakesTheFirstOfEqualMaximaAndEmptyBags) {
  const double inf = std::numeric_limits<double>::infinity();
  const Tensor w = leaf({{1, -inf}, {1, -inf}, {-inf, 3}});
  const auto [y, of, sizes, largest] =
      embedding_bag(w, tensor({2, 1, 0, 0, 1}), tensor({0, 3, 3}), false, 2, false, {}, false, 2);
  expect_values(y, {1, -inf, 0, 0, 1, -inf});
  expect_values(largest, {1, 1, 0, 0, 0, 0});
  const Tensor none = std::get<0>(embedding_bag(w, zeros({0}, kInt64), tensor({0, 0})));
  expect_values(none, {0, 0, 0, 0});
  for (const int64_t mode : {0, 1, 2})
    EXPECT_EQ(
        std::get<0>(embedding_bag(w, zeros({0}, kInt64), zeros({0}, kInt64), false, mode)).sizes(),
        IntArrayRef({0, 2}));
}

TEST(EmbeddingBag, ChecksItsArguments) {
  const Tensor w = bag_weight(), index = tensor({1, 2, 3}), offsets = tensor({0, 2});
  const auto refused = [&](auto error, const char* why, const Tensor& weight, const Tensor& indices,
                           const Tensor& starts, int64_t mode, const Tensor& scales, bool has_end,
                           int64_t padding) {
    expect_error<decltype(error)>(why, [&] {
      embedding_bag(weight, indices, starts, false, mode, false, scales, has_end, padding);
    });
  };
  const ShapeError shape("");
  const ValueError value("");
  const Tensor none, scales = constant({1, 2, 3});
  refused(shape, "weight has to be a 2D Tensor", w[0], index, offsets, 0, none, false, -1);
  refused(shape, "indices has to be a 1D Tensor", w, index.reshape({1, 3}), offsets, 0, none, false,
          -1);
  refused(shape, "offsets has to be a 1D Tensor", w, index, tensor({{0}}), 0, none, false, -1);
  refused(shape, "number of offsets should be at least 1", w, index, zeros({0}, kInt64), 0, none,
          true, -1);
  refused(shape, "per_sample_weights of the shape of indices", w, index, offsets, 0,
          constant({1, 2}), false, -1);
  refused(value, "mode must be 0 (sum)", w, index, offsets, 3, none, false, -1);
  refused(value, "offsets[0] has to be 0", w, index, tensor({1, 2}), 0, none, false, -1);
  refused(value, "got offsets[-1] of 4", w, index, tensor({0, 4}), 0, none, false, -1);
  refused(value, "1 follows 2", w, index, tensor({0, 2, 1}), 0, none, false, -1);
  refused(value, "only supported with mode='sum'", w, index, offsets, 1, scales, false, -1);
  refused(value, "padding_idx", w, index, offsets, 0, none, false, 4);
  refused(DtypeError(""), "of one dtype", w, index, offsets, 0, scales.to(kFloat32), false, -1);
  refused(IndexError(""), "index 4 is out of bounds", w, index + 1, offsets, 0, none, false, -1);
  refused(IndexError(""), "int32/int64", w, scales, offsets, 0, none, false, -1);
  expect_error<ValueError>("sparse must be false",
                           [&] { embedding_bag(w, index, offsets, false, 0, true); });
}

}  // namespace
}  // namespace notape::testing
