#include "ops/linalg/testing/torch_example.h"
#include "ops/ops.h"

namespace notape::testing {
namespace {

const TorchExample kCdist[] = {
    {.name = "p = 2",
     .inputs = {{{2, 2, 3}, 5}, {{3, 3}, 7}},
     .call = [](const variable_list& x) { return cdist(x[0], x[1], 2); },
     .sizes = {2, 2, 3},
     .output = {2.75, 0.829156197589, 2.97909382195, 2.92617497768, 1.47901994577, 2.7613402543,
                0.707106781187, 2.7613402543, 1.47901994577, 1.11803398875, 2.97909382195,
                0.829156197589},
     .gradients = {{-0.0862099109468, 0.496927985665, -1.01092323326, -0.128220483977,
                    0.327285531018, -0.493622767821, -0.876137632132, -0.507092552837,
                    -0.138047473542, -1.08071628593, -0.659273299064, -0.783298195087},
                   {1.73423167903, 1.67295297108, -1.23614135123, -0.474739774932, -0.403406014243,
                    0.21339562934, 0.911792408894, -0.927394621622, 3.4486373916}}},
    {.name = "p = 1",
     .inputs = {{{2, 2, 3}, 5}, {{3, 3}, 7}},
     .call = [](const variable_list& x) { return cdist(x[0], x[1], 1); },
     .sizes = {2, 2, 3},
     .output = {4.25, 1.25, 5, 3.75, 2.25, 4.5, 1, 4.5, 2.25, 1.5, 5, 1.25},
     .gradients = {{-0.5, 1.5, -1.5, -1, 0.75, -0.25, -2, -1, 0, -0.75, -1.75, -1},
                   {1.75, 2.5, -2.25, -0.5, -1, 0.5, 3, -1, 4.5}}},
    {.name = "p = 3",
     .inputs = {{{2, 2, 3}, 5}, {{3, 3}, 7}},
     .call = [](const variable_list& x) { return cdist(x[0], x[1], 3); },
     .sizes = {2, 2, 3},
     .output = {2.46020318017, 0.768079206421, 2.55702280442, 2.79338895234, 1.33712031031,
                2.39752348708, 0.629960524947, 2.39752348708, 1.33712031031, 1.04004191153,
                2.55702280442, 0.768079206421},
     .gradients = {{0.138929959701, 0.15094629724, -1.0285145314, 0.0961610839431, 0.221622070717,
                    -0.561122788865, -0.664917918681, -0.314616543602, -0.243974318392,
                    -1.26971467032, -0.282326326816, -0.774851750136},
                   {1.76491036614, 1.43399111267, -0.911947678627, -0.501653512578, -0.217655789447,
                    0.103975154788, 0.436284691803, -0.991960820761, 3.41643591263}}},
    {.name = "p = 1.5",
     .inputs = {{{2, 2, 3}, 5}, {{3, 3}, 7}},
     .call = [](const variable_list& x) { return cdist(x[0], x[1], 1.5); },
     .sizes = {2, 2, 3},
     .output = {3.14059309374, 0.931837630056, 3.52197339468, 3.13859462084, 1.67718672777,
                3.22553145556, 0.793700525984, 3.22553145556, 1.67718672777, 1.22363040739,
                3.52197339468, 0.931837630056},
     .gradients = {{-0.24554754115, 0.814685115796, -1.11235106281, -0.386927594361, 0.449434257655,
                    -0.400857059591, -1.17978229619, -0.668713241873, -0.0696045570703,
                    -0.941363148182, -1.02436370817, -0.821792234234},
                   {1.72421439968, 1.92428902193, -1.56259388678, -0.464576901495, -0.589312568403,
                    0.311398526648, 1.4939830817, -0.906018876933, 3.65580027385}}},
    {.name = "p = 0.5",
     .inputs = {{{2, 2, 3}, 5}, {{3, 3}, 7}},
     .call = [](const variable_list& x) { return cdist(x[0], x[1], 0.5); },
     .sizes = {2, 2, 3},
     .output = {11.7776057653, 3.48205080757, 14.766949368, 7.06662479036, 6.17055106564,
                12.982434977, 2, 12.982434977, 6.17055106564, 2.91421356237, 14.766949368,
                3.48205080757},
     .gradients = {{-1.65159300751, 5.42849855378, -4.30775669364, -4.6451954257, 2.6995526406,
                    -0.168859305297, -6.96811878507, -2.86834471793, -0.221810264741,
                    0.0246914858366, -5.0324011085, -2.47529687916},
                   {1.70719790092, 5.36398452069, -5.39478186667, -0.992339692018, -3.36751553341,
                    1.48326718289, 12.5253575235, -2.22377435523, 11.0852378266}}},
    {.name = "p = inf",
     .inputs = {{{2, 2, 3}, 5}, {{3, 3}, 7}},
     .call = [](const variable_list& x) { return cdist(x[0], x[1] * 0.9, kInfinity); },
     .sizes = {2, 2, 3},
     .output = {2.125, 0.65, 2.125, 2.625, 1.15, 1.95, 0.525, 1.925, 1.125, 1.025, 2.15, 0.625},
     .gradients = {{0.5, -0.5, -1.5, 0.25, 0.5, 0, -1, 0, -1, -1.5, 0, -0.75},
                   {2.025, 1.125, 0, -0.45, 0, 0, 0, -1.125, 2.925}}},
};

TEST(Cdist, HasLibTorchsValuesAndGradients) {
  for (const TorchExample& example : kCdist) expect_example(example);
  expect_values(cdist(pattern({2, 2, 3}, 5), pattern({3, 3}, 7), 0),
                {3, 3, 3, 2, 3, 3, 2, 3, 3, 2, 3, 3});
}

TEST(Cdist, HasDerivativesOfZeroWhereADistanceIs) {
  for (const double p : {1.0, 2.0, 3.0, 1.5, 0.5, kInfinity}) {
    SCOPED_TRACE(p);
    const Tensor x = leaf({1, -2}).reshape({1, 2}).detach().requires_grad_();
    const Tensor y = leaf({1, -2}).reshape({1, 2}).detach().requires_grad_();
    const Tensor distance = cdist(x, y, p);
    expect_values(distance, {0});
    const TensorList first = autograd::grad({distance}, {x, y}, {}, {}, true);
    for (const Tensor& one : first) expect_values(one, {0, 0});
    if (!first[0].requires_grad()) continue;  // a sign alone
    for (const Tensor& one :
         autograd::grad({first[0].sum() + first[1].sum()}, {x, y}, {}, {}, {}, true))
      if (one.defined()) expect_values(one, {0, 0});
  }
}

TEST(Cdist, IsInRangeWhereTheSquaresAreNot) {
  for (const double size : {1e-30, 1.0, 1e30}) {
    SCOPED_TRACE(size);
    const Tensor x = tensor({{3 * size, -4 * size}}, kFloat32).requires_grad_();
    const Tensor distance = cdist(x, zeros({1, 2}));
    EXPECT_FLOAT_EQ(distance.item<float>(), static_cast<float>(5 * size));
    distance.backward();
    EXPECT_TRUE(allclose(x.grad(), tensor({{0.6, -0.8}}, kFloat32)));
  }
}

TEST(Cdist, LeavesOutEntriesThatAreEqual) {
  // One of two entries is equal, where |z|^p has an infinite slope, or second derivative.
  for (const double p : {1.5, 0.5}) {
    SCOPED_TRACE(p);
    const Tensor x = tensor({{1.0, 3.0}}, kFloat64).requires_grad_();
    const Tensor y = tensor({{1.0, 1.0}}, kFloat64).requires_grad_();
    const Tensor distance = cdist(x, y, p);
    expect_close(distance, {2});
    const TensorList first = autograd::grad({distance}, {x, y}, {}, {}, true);
    expect_close(first[0], {0, 1});
    expect_close(first[1], {0, -1});
    expect_close(autograd::grad({first[0].sum()}, {x})[0], {0, 0});
  }
}

TEST(Cdist, SharesTheGradientAmongTheLargest) {
  const Tensor x = tensor({{2.0, -2.0, 1.0}}, kFloat64).requires_grad_();
  cdist(x, zeros({1, 3}, kFloat64), kInfinity).sum().backward();
  expect_values(x.grad(), {0.5, -0.5, 0});  // LibTorch: the whole of it to each
}

TEST(Cdist, OfNaNIsNaN) {
  for (const double p : {0.0, 0.5, 1.0, 1.5, 2.0, 3.0, kInfinity}) {
    SCOPED_TRACE(p);
    const Tensor x = tensor({{1.0, kNaN, 3.0}}, kFloat64);
    expect_values(isnan(cdist(x, zeros({2, 3}, kFloat64), p)).to(kFloat64), {1, 1});
  }
  const Tensor x = tensor({{1.0, kNaN, 3.0}}, kFloat64).requires_grad_();
  cdist(x, zeros({1, 3}, kFloat64), 0).sum().backward();
  expect_values(x.grad(), {0, 0, 0});
}

TEST(Cdist, OfNoColumnsIsZero) {
  for (const double p : {0.0, 2.0, kInfinity})
    expect_values(cdist(zeros({2, 0}), zeros({2, 0}), p), {0, 0, 0, 0});
  EXPECT_EQ(cdist(zeros({3, 0, 2}), zeros({1, 4, 2}), kInfinity).sizes().vec(),
            (std::vector<int64_t>{3, 0, 4}));
}

TEST(Cdist, RefusesWhatDoesNotFit) {
  const Tensor x = zeros({2, 3});
  expect_error<ShapeError>("cdist: only supports at least 2D tensors, X1 got: 1D",
                           [&] { cdist(zeros({3}), x); });
  expect_error<ShapeError>("X1 and X2 must have the same number of columns. X1: 3 X2: 2", [&] {
    cdist(x, zeros({2, 2}));
  });
  expect_error<ShapeError>("cdist: ", [&] { cdist(zeros({2, 2, 3}), zeros({3, 2, 3})); });
  expect_error<ValueError>("only supports non-negative p values, got -1", [&] { cdist(x, x, -1); });
  expect_error<ValueError>("only supports non-negative p values", [&] { cdist(x, x, kNaN); });
  expect_error<ValueError>("possible modes: 0, 1, 2, but was: 3", [&] { cdist(x, x, 2, 3); });
  expect_error<DtypeError>("only supports floating-point dtypes, X2 got: int64",
                           [&] { cdist(x, x.to(kInt64)); });
  expect_error<UndefinedTensor>("cdist: ", [&] { cdist(x, Tensor()); });
}

}  // namespace
}  // namespace notape::testing
