// x[...] for x = 0, 1, ..., 23 as (2, 3, 4), against NumPy: the value of an element says where it
// came from.
#include "autograd/testing/expect.h"
#include "ops/ops.h"

namespace notape::testing {
namespace {

using indexing::Ellipsis;
using indexing::None;
using indexing::Slice;
using indexing::TensorIndex;

struct Row {
  const char* name;
  std::vector<TensorIndex> indices;
  std::vector<int64_t> sizes;
  std::vector<double> values;
  bool is_copy() const {
    for (const TensorIndex& index : indices)
      if (std::holds_alternative<Tensor>(index.value) || std::holds_alternative<bool>(index.value))
        return true;
    return false;
  }
};

Tensor counting() { return arange(24, dtype(kFloat64)).reshape({2, 3, 4}); }

std::vector<Row> rows() {
  const std::vector<double> all = values(counting());
  const Tensor i1 = tensor({0, 2}), i2 = tensor({{0}, {2}}), neg = tensor({-1, 0, -1});
  const Tensor row = tensor({1, 0, 1}), col = tensor({3, 0}), none = zeros({0}, kInt64);
  const Tensor m0 = tensor({false, true}), m1 = tensor({true, false, true});
  const Tensor m2 = tensor({{true, false, true}, {false, true, true}});
  const Tensor m4 = tensor({1, 0, 0, 1}, kUInt8);
  Tensor full = zeros({2, 3, 4}, kBool);
  for (int64_t i : {0, 5, 10, 15, 20}) full.view({24})[i].fill_(true);
  return {
      {"{1}", {1}, {3, 4}, {12, 13, 14, 15, 16, 17, 18, 19, 20, 21, 22, 23}},
      {"{-1, 2}", {-1, 2}, {4}, {20, 21, 22, 23}},
      {"{1, 2, 3}", {1, 2, 3}, {}, {23}},
      {"{Slice()}", {Slice()}, {2, 3, 4}, all},
      {"{Slice(), Slice(1)}",
       {Slice(), Slice(1)},
       {2, 2, 4},
       {4, 5, 6, 7, 8, 9, 10, 11, 16, 17, 18, 19, 20, 21, 22, 23}},
      {"{Slice(), Slice({}, {}, 2)}",
       {Slice(), Slice({}, {}, 2)},
       {2, 2, 4},
       {0, 1, 2, 3, 8, 9, 10, 11, 12, 13, 14, 15, 20, 21, 22, 23}},
      {"{0, Slice(-2), Slice(1, -1)}", {0, Slice(-2), Slice(1, -1)}, {2, 2}, {5, 6, 9, 10}},
      {"{Slice(), Slice(2, 1)}", {Slice(), Slice(2, 1)}, {2, 0, 4}, {}},
      {"{Slice(-9, 9), Slice(), Slice(1, 9, 3)}",
       {Slice(-9, 9), Slice(), Slice(1, 9, 3)},
       {2, 3, 1},
       {1, 5, 9, 13, 17, 21}},
      {"{\"...\"}", {"..."}, {2, 3, 4}, all},
      {"{Ellipsis, 1}", {Ellipsis, 1}, {2, 3}, {1, 5, 9, 13, 17, 21}},
      {"{1, Ellipsis, Slice(2)}", {1, Ellipsis, Slice(2)}, {3, 2}, {14, 15, 18, 19, 22, 23}},
      {"{0, Ellipsis, 1, 2}", {0, Ellipsis, 1, 2}, {}, {6}},
      {"{None}", {None}, {1, 2, 3, 4}, all},
      {"{Slice(), None, 1}", {Slice(), None, 1}, {2, 1, 4}, {4, 5, 6, 7, 16, 17, 18, 19}},
      {"{Ellipsis, None}", {Ellipsis, None}, {2, 3, 4, 1}, all},
      {"{None, 1, None, Ellipsis, None}",
       {None, 1, None, Ellipsis, None},
       {1, 1, 3, 4, 1},
       {12, 13, 14, 15, 16, 17, 18, 19, 20, 21, 22, 23}},
      {"{row}", {row}, {3, 3, 4}, {12, 13, 14, 15, 16, 17, 18, 19, 20, 21, 22, 23,
                                   0,  1,  2,  3,  4,  5,  6,  7,  8,  9,  10, 11,
                                   12, 13, 14, 15, 16, 17, 18, 19, 20, 21, 22, 23}},
      {"{Slice(), i1}",
       {Slice(), i1},
       {2, 2, 4},
       {0, 1, 2, 3, 8, 9, 10, 11, 12, 13, 14, 15, 20, 21, 22, 23}},
      {"{Ellipsis, neg}",
       {Ellipsis, neg},
       {2, 3, 3},
       {3, 0, 3, 7, 4, 7, 11, 8, 11, 15, 12, 15, 19, 16, 19, 23, 20, 23}},
      {"{Slice(), i2}",
       {Slice(), i2},
       {2, 2, 1, 4},
       {0, 1, 2, 3, 8, 9, 10, 11, 12, 13, 14, 15, 20, 21, 22, 23}},
      {"{row, neg}", {row, neg}, {3, 4}, {20, 21, 22, 23, 0, 1, 2, 3, 20, 21, 22, 23}},
      {"{Slice(), i1, col}", {Slice(), i1, col}, {2, 2}, {3, 8, 15, 20}},
      {"{Slice(), i2, col}", {Slice(), i2, col}, {2, 2, 2}, {3, 0, 11, 8, 15, 12, 23, 20}},
      {"{row, Slice(), neg}", {row, Slice(), neg}, {3, 3}, {15, 19, 23, 0, 4, 8, 15, 19, 23}},
      {"{None, row, Slice(), neg}",
       {None, row, Slice(), neg},
       {3, 1, 3},
       {15, 19, 23, 0, 4, 8, 15, 19, 23}},
      {"{row, Slice(1), neg}", {row, Slice(1), neg}, {3, 2}, {19, 23, 4, 8, 19, 23}},
      {"{Slice(1), i1, Slice({}, {}, 3)}",
       {Slice(1), i1, Slice({}, {}, 3)},
       {1, 2, 2},
       {12, 15, 20, 23}},
      {"{row, None, neg}",
       {row, None, neg},
       {3, 1, 4},
       {20, 21, 22, 23, 0, 1, 2, 3, 20, 21, 22, 23}},
      {"{row, neg, neg}", {row, neg, neg}, {3}, {23, 0, 23}},
      {"{Slice(), None, i1}",
       {Slice(), None, i1},
       {2, 1, 2, 4},
       {0, 1, 2, 3, 8, 9, 10, 11, 12, 13, 14, 15, 20, 21, 22, 23}},
      {"{m0}", {m0}, {1, 3, 4}, {12, 13, 14, 15, 16, 17, 18, 19, 20, 21, 22, 23}},
      {"{m2}", {m2}, {4, 4}, {0, 1, 2, 3, 8, 9, 10, 11, 16, 17, 18, 19, 20, 21, 22, 23}},
      {"{full}", {full}, {5}, {0, 5, 10, 15, 20}},
      {"{Slice(), m1}",
       {Slice(), m1},
       {2, 2, 4},
       {0, 1, 2, 3, 8, 9, 10, 11, 12, 13, 14, 15, 20, 21, 22, 23}},
      {"{Ellipsis, m4}", {Ellipsis, m4}, {2, 3, 2}, {0, 3, 4, 7, 8, 11, 12, 15, 16, 19, 20, 23}},
      {"{m2, Slice(1, 3)}", {m2, Slice(1, 3)}, {4, 2}, {1, 2, 9, 10, 17, 18, 21, 22}},
      {"{m0, Slice(), neg}", {m0, Slice(), neg}, {3, 3}, {15, 19, 23, 12, 16, 20, 15, 19, 23}},
      {"{Slice(), m1, col}", {Slice(), m1, col}, {2, 2}, {3, 8, 15, 20}},
      {"{true}", {true}, {1, 2, 3, 4}, all},
      {"{false}", {false}, {0, 2, 3, 4}, {}},
      {"{none}", {none}, {0, 3, 4}, {}},
      {"{Slice(), none, Slice(1)}", {Slice(), none, Slice(1)}, {2, 0, 3}, {}},

  };
}

TEST(Index, ReadsWhatNumPyReads) {
  for (const Row& row : rows()) {
    SCOPED_TRACE(row.name);
    const Tensor y = counting().index(row.indices);
    EXPECT_EQ(y.sizes().vec(), row.sizes);
    expect_values(y, row.values);
  }
}

TEST(Index, ReadsTheSameFromOtherLayouts) {
  const Tensor permuted = counting().permute({2, 0, 1}).contiguous().permute({1, 2, 0});
  for (const Row& row : rows()) {
    SCOPED_TRACE(row.name);
    expect_values(permuted.index(row.indices), row.values);
  }
}

TEST(Index, IsAViewWithoutTensorsAndACopyWithThem) {
  for (const Row& row : rows()) {
    SCOPED_TRACE(row.name);
    const Tensor x = counting();
    EXPECT_EQ(x.index(row.indices).is_alias_of(x), !row.is_copy());
  }
}

TEST(Index, AccumulatesTheGradientOfRepeatedElements) {
  for (const Row& row : rows()) {
    SCOPED_TRACE(row.name);
    const Tensor x = counting().detach().requires_grad_();
    const Tensor y = x.index(row.indices);
    y.backward(arange(1, y.numel() + 1, dtype(kFloat64)).reshape(y.sizes()));
    std::vector<double> expected(24, 0.0);
    for (std::size_t i = 0; i < row.values.size(); ++i)
      expected[static_cast<std::size_t>(row.values[i])] += static_cast<double>(i + 1);
    expect_values(x.grad(), expected);
  }
}

TEST(Index, IsWrittenWhereItIsRead) {
  for (const Row& row : rows()) {
    SCOPED_TRACE(row.name);
    Tensor x = counting();
    const uint64_t version = x._version();
    const Tensor selected = x.index(row.indices);
    const Tensor numbers = arange(100, 100 + selected.numel(), dtype(kFloat64));
    index_put_(x, row.indices, numbers.reshape(selected.sizes()));
    EXPECT_EQ(x._version(), version + 1);
    std::vector<double> expected = values(counting());
    for (std::size_t i = 0; i < row.values.size(); ++i)  // the last write to an element counts
      expected[static_cast<std::size_t>(row.values[i])] = 100 + static_cast<double>(i);
    expect_values(x, expected);
  }
}

TEST(Index, TakesPositionsOfBothWidths) {
  const Tensor x = counting().detach().requires_grad_();
  const Tensor wide = tensor({-1, 0, -1}), narrow = wide.to(kInt32);
  expect_values(x.index({narrow}), values(x.index({wide})));
  expect_values(x.index({Slice(), narrow, wide}), values(x.index({Slice(), wide, wide})));
  expect_values(x.index({narrow[0]}), values(x[-1]));
  x.index({narrow}).sum().backward();
  EXPECT_EQ(x.grad()[0][0][0].item<double>(), 1);
  EXPECT_EQ(x.grad()[1][0][0].item<double>(), 2);
  Tensor y = zeros({3}, kFloat64);
  index_put_(y, {narrow}, constant({1, 2, 3}), /*accumulate=*/true);
  expect_values(y, {2, 0, 4});
}

// NumPy would count the integer among the tensors and put their dimensions first: (3, 3).
TEST(Index, SelectsIntegersFirstAsLibTorchDoes) {
  const Tensor x = counting();
  const Tensor y = x.index({0, Slice(), tensor({1, 2})});
  EXPECT_EQ(y.sizes().vec(), (std::vector<int64_t>{3, 2}));
  expect_values(y, {1, 2, 5, 6, 9, 10});
  const Tensor zero_dim = x.index({tensor(1)});
  EXPECT_TRUE(zero_dim.is_alias_of(x));
  expect_values(zero_dim, values(x[1]));
  for (const ScalarType type : {kInt8, kInt16, kInt32, kInt64}) {
    expect_values(x.index({tensor(-1, type)}), values(x[1]));
    Tensor written = zeros({3});
    index_put_(written, {tensor(1, type)}, ones({}));
    expect_values(written, {0, 1, 0});
  }
  EXPECT_EQ(x.index({tensor(true)}).sizes().vec(), (std::vector<int64_t>{1, 2, 3, 4}));
}

TEST(Index, OfEverythingIsANewView) {
  const Tensor x = counting();
  const Tensor y = x.index({});
  EXPECT_FALSE(y.is_same(x));
  EXPECT_TRUE(y.is_alias_of(x));
}

TEST(Index, OfATableOfViewsOfViewsKeepsHigherDerivatives) {
  const Tensor x = leaf({1, 2, 3});
  const Tensor y = x.index({tensor({0, 0, 2})});
  const Tensor first = autograd::grad({(y * y * y).sum()}, {x}, {}, {}, true)[0];
  expect_values(first, {6, 0, 27});
  expect_values(autograd::grad({first.sum()}, {x})[0], {12, 0, 18});
}

TEST(Index, CarriesTangents) {
  const autograd::forward_ad::DualLevelGuard level;
  const Tensor x = autograd::forward_ad::make_dual(counting(), counting() * 10);
  const Tensor y = x.index({1, tensor({2, 2}), Slice(1, 3)});
  expect_values(autograd::forward_ad::unpack_dual(y).tangent, {210, 220, 210, 220});
}

TEST(Index, SavesIndicesAndNotItsSource) {
  const Tensor x = leaf({1, 2, 3});
  Tensor copy = x * 1;
  const Tensor y = copy.index({tensor({true, false, true})});
  copy.zero_();
  y.sum().backward();
  expect_values(x.grad(), {1, 0, 1});
}

TEST(Index, LaterChangesOfTheIndexDoNotMatter) {
  const Tensor x = leaf({1, 2, 3});
  Tensor i = tensor({0, 0});
  const Tensor y = x.index({i});
  i.fill_(2);
  y.sum().backward();
  expect_values(x.grad(), {2, 0, 0});
}

TEST(Index, WithTensorsThatTogetherTakeNothingIsEmptyWhereverTheyPoint) {
  const Tensor x = counting().detach().requires_grad_(), none = zeros({0}, kInt64);
  const std::vector<std::pair<std::vector<TensorIndex>, std::vector<int64_t>>> rows{
      {{tensor({5}), none}, {0, 4}},
      {{tensor({{-9}}), none}, {1, 0, 4}},
      {{tensor({5}), Slice(), none}, {0, 3}},
      {{tensor({5}), none.view({0, 1})}, {0, 1, 4}}};
  for (const auto& [indices, sizes] : rows) {
    const Tensor taken = index(x, indices);
    EXPECT_EQ(taken.sizes(), IntArrayRef(sizes));
    expect_values(autograd::grad({taken.sum()}, {x})[0], std::vector<double>(24, 0));
    Tensor y = x.detach().clone();
    index_put_(y, indices, ones({}, kFloat64));
    expect_values(y, values(x));
  }
  // A number is one place, whether or not tensors take any.
  EXPECT_THROW(index(x, {none, 7}), IndexError);
}

TEST(Index, RefusesWhatIsOutOfRangeOrOfTheWrongType) {
  const Tensor x = counting();
  const auto refused = [&](const char* text, std::vector<TensorIndex> indices) {
    Tensor target = counting();
    const Unchanged before({target});
    expect_error<IndexError>(text, [&] { index(x, indices); });
    expect_error<IndexError>(text, [&] { index_put_(target, indices, zeros({})); });
    before.check();
  };
  refused("index 5 is out of bounds for dimension 0 with size 2", {5});
  refused("index -4 is out of bounds for dimension 1 with size 3", {0, -4});
  refused("index 3 is out of bounds for dimension 1 with size 3", {Slice(), tensor({0, 3})});
  refused("index -5 is out of bounds for dimension 2 with size 4", {0, 0, tensor({-5})});
  refused("index 4 is out of bounds for dimension 2 with size 4", {Ellipsis, None, tensor({4})});
  refused("too many indices for tensor of dimension 3", {0, 0, 0, 0});
  refused("too many indices for tensor of dimension 3", {ones({2, 3}, kBool), 0, 0});
  refused("an index can only have a single ellipsis", {Ellipsis, 0, Ellipsis});
  refused("tensors used as indices must be long, int, byte or bool tensors, but got float32",
          {ones({2})});
  refused("tensors used as indices must be long, int, byte or bool tensors, but got int16",
          {ones({2}, kInt16)});
  refused(
      "The shape of the mask [3] at index 0 does not match the shape of the indexed tensor "
      "[2, 3, 4] at index 0",
      {ones({3}, kBool)});
  refused(
      "The shape of the mask [3, 3] at index 1 does not match the shape of the indexed tensor "
      "[2, 3, 4] at index 2",
      {0, ones({3, 3}, kBool)});
  refused("indexing tensors could not be broadcast together with shapes [2], [3]",
          {tensor({0, 1}), tensor({0, 1, 2})});
  expect_error<IndexError>("invalid index of a 0-dim tensor", [&] { x.sum().index({0}); });
  expect_error<ValueError>("slice step must be positive", [&] { x.index({Slice({}, {}, -1)}); });
  expect_error<ValueError>("Expected \"...\" to represent an ellipsis index, but got \"..\"",
                           [&] { x.index({".."}); });
  expect_error<UndefinedTensor>("a tensor used as index is undefined",
                                [&] { x.index({Tensor()}); });
}

TEST(Indexing, ErrorsNameTheNumberThatWasGiven) {
  const Tensor x = ones({2, 4}), line = ones({4}), five = tensor({-5});
  const Tensor one = five.reshape({1, 1}), many = ones({3, 3}, kInt64);
  const std::vector<std::pair<const char*, std::function<void()>>> cases = {
      {"take: index -5 is out of bounds", [&] { line.take(five); }},
      {"index_fill: index -5 is out of bounds for dimension -1",
       [&] { x.index_fill(-1, five, 0); }},
      {"index_select: index -5 is out of bounds for dimension -1",
       [&] { x.index_select(-1, five); }},
      {"index_copy: index -5 is out of bounds for dimension -1",
       [&] {
         x.index_copy(-1, five, ones({2, 1}));
       }},
      {"gather: index -5 is out of bounds for dimension -1", [&] { line.gather(-1, five); }},
      {"gather: index -5 is out of bounds for dimension -1",
       [&] { autograd::functional::vmap([&](const Tensor& t) { return t.gather(-1, five); })(x); }},
      {"gather: Size does not match at dimension 0 expected index [3, 3] to be smaller than self "
       "[2, 4] apart from dimension -1",
       [&] { x.gather(-1, many); }},
      {"take_along_dim: index -5 is out of bounds for dimension -1",
       [&] { x.take_along_dim(one, -1); }},
      {"scatter: index -5 is out of bounds for dimension -1", [&] { x.scatter(-1, one, 0); }},
      {"scatter: Expected index [1, 1] to be no larger than self [2, 4] apart from dimension -1",
       [&] {
         x.scatter(-1, one + 5, ones({0, 1}));
       }},
      {"scatter_add: index -5 is out of bounds for dimension -1",
       [&] {
         x.scatter_add(-1, one, ones({1, 1}));
       }},
      {"scatter_reduce: index -5 is out of bounds for dimension -1",
       [&] {
         x.scatter_reduce(-1, one, ones({1, 1}), "sum");
       }},
      {"index_add: index -5 is out of bounds for dimension -1",
       [&] {
         x.index_add(-1, five, ones({2, 1}));
       }},
      {"index_add: Number of indices (1) should be equal to source.size(dim): (2), for dim: -1",
       [&] {
         x.index_add(-1, five, ones({2, 2}));
       }},
      {"embedding: index -5", [&] { embedding(x, five); }},
      {"index: index -5", [&] { line.index({five}); }},
      {"index: index -5", [&] { line.index({-5}); }},
      {"select: index -5 is out of bounds for dimension -1", [&] { x.select(-1, -5); }},
      {"narrow: start (-2) + length (5)", [&] { line.narrow(0, -2, 5); }},
      {"unbind: Dimension out of range (expected to be in range of [-2, 1], but got -3)",
       [&] { x.unbind(-3); }},
      {"softmax: Dimension out of range (expected to be in range of [-2, 1], but got -3)",
       [&] { x.softmax(-3); }},
      {"flip: dim -1 appears",
       [&] {
         x.flip({1, -1});
       }},
      {"sum: dim -1 appears",
       [&] {
         x.sum({1, -1});
       }},
      {"topk: selected index k out of range: k = 5 of 4 elements along dimension -1",
       [&] { x.topk(5, -1); }},
      {"median: Expected reduction dim -2",
       [&] {
         ones({0, 1}).median(-2);
       }},
      {"unflatten: provided sizes [3, 3] don't multiply up to the size of dim -1", [&] {
         x.unflatten(-1, {3, 3});
       }}};
  for (const auto& [message, call] : cases)
    EXPECT_THAT(call, ::testing::ThrowsMessage<Error>(HasSubstr(message))) << message;
  EXPECT_EQ(line.take(tensor({-4, 3})).sizes(), IntArrayRef(2));
}

}  // namespace
}  // namespace notape::testing
