// Every reduction and scan on one small matrix, against numbers computed with LibTorch.
#include "ops/reduce/testing/derivatives.h"

namespace notape::testing {
namespace {

struct Example {
  const char* name;
  Tensor (*function)(const Tensor&);
  std::vector<int64_t> sizes;
  std::vector<double> values;
  std::vector<double> gradient;  // of 1 y[0] + 2 y[1] + ...
};

std::ostream& operator<<(std::ostream& out, const Example& example) { return out << example.name; }

const Example kExamples[] = {
    {"sum", [](const Tensor& x) { return x.sum(); }, {}, {5.5}, {1, 1, 1, 1, 1, 1}},
    {"sum_first", [](const Tensor& x) { return x.sum(0); }, {3}, {1.5, 2, 2}, {1, 2, 3, 1, 2, 3}},
    {"sum_last_kept",
     [](const Tensor& x) { return x.sum(-1, true); },
     {2, 1},
     {2, 3.5},
     {1, 1, 1, 2, 2, 2}},
    {"sum_to_size",
     [](const Tensor& x) {
       return x.sum_to_size({1, 3});
     },
     {1, 3},
     {1.5, 2, 2},
     {1, 2, 3, 1, 2, 3}},
    {"sum_to_fewer_dimensions",
     [](const Tensor& x) { return x.sum_to_size(1); },
     {1},
     {5.5},
     {1, 1, 1, 1, 1, 1}},
    {"mean",
     [](const Tensor& x) { return x.mean(); },
     {},
     {0.916666666667},
     {0.166666667, 0.166666667, 0.166666667, 0.166666667, 0.166666667, 0.166666667}},
    {"mean_last",
     [](const Tensor& x) { return x.mean(-1); },
     {2},
     {0.666666666667, 1.166666666667},
     {0.333333333, 0.333333333, 0.333333333, 0.666666667, 0.666666667, 0.666666667}},
    {"mean_both_kept",
     [](const Tensor& x) {
       return x.mean({1, -2}, true);
     },
     {1, 1},
     {0.916666666667},
     {0.166666667, 0.166666667, 0.166666667, 0.166666667, 0.166666667, 0.166666667}},
    {"prod", [](const Tensor& x) { return x.prod(); }, {}, {12}, {12, -6, 4, 24, 3, -12}},
    {"prod_first",
     [](const Tensor& x) { return x.prod(0); },
     {3},
     {0.5, -8, -3},
     {0.5, 8, -3, 1, -4, 9}},
    {"max", [](const Tensor& x) { return x.max(); }, {}, {4}, {0, 0, 0, 0, 1, 0}},
    {"min", [](const Tensor& x) { return x.min(); }, {}, {-2}, {0, 1, 0, 0, 0, 0}},
    {"max_first",
     [](const Tensor& x) { return std::get<0>(x.max(0)); },
     {3},
     {1, 4, 3},
     {1, 0, 3, 0, 2, 0}},
    {"min_last_kept",
     [](const Tensor& x) { return std::get<0>(x.min(-1, true)); },
     {2, 1},
     {-2, -1},
     {0, 1, 0, 0, 0, 2}},
    {"logsumexp_last",
     [](const Tensor& x) { return x.logsumexp(-1); },
     {2},
     {3.132845234, 4.036269565},
     {0.118499655, 0.005899750, 0.875600595, 0.058243523, 1.928760590, 0.012995887}},
    {"logsumexp_both",
     [](const Tensor& x) {
       return x.logsumexp({0, -1});
     },
     {},
     {4.376434839},
     {0.034169056, 0.001701177, 0.252477072, 0.020724580, 0.686303836, 0.004624279}},
    {"softmax_first",
     [](const Tensor& x) { return x.softmax(0); },
     {2, 3},
     {0.622459331, 0.002472623, 0.982013790, 0.377540669, 0.997527377, 0.017986210},
     {-0.705011137, -0.007399528, -0.052988119, 0.705011137, 0.007399528, 0.052988119}},
    {"softmax_last",
     [](const Tensor& x) { return x.softmax(-1); },
     {2, 3},
     {0.118499655, 0.005899750, 0.875600595, 0.029121762, 0.964380295, 0.006497943},
     {-0.208215854, -0.004466707, 0.212682561, -0.028462916, 0.021817964, 0.006644952}},
    {"log_softmax_first",
     [](const Tensor& x) { return x.log_softmax(0); },
     {2, 3},
     {-0.474076984, -6.002475685, -0.018149928, -0.974076984, -0.002475685, -4.018149928},
     {-2.112296656, 1.982691638, -5.838124110, 2.112296656, -1.982691638, 5.838124110}},
    {"log_softmax_last",
     [](const Tensor& x) { return x.log_softmax(1); },
     {2, 3},
     {-2.132845234, -5.132845234, -0.132845234, -3.536269565, -0.036269565, -5.036269565},
     {0.289002073, 1.964601498, -2.253603570, 3.563173577, -9.465704427, 5.902530850}},
    {"cumsum_first",
     [](const Tensor& x) { return x.cumsum(0); },
     {2, 3},
     {1, -2, 3, 1.5, 2, 2},
     {5, 7, 9, 4, 5, 6}},
    {"cumsum_last",
     [](const Tensor& x) { return x.cumsum(-1); },
     {2, 3},
     {1, -1, 2, 0.5, 4.5, 3.5},
     {6, 5, 3, 15, 11, 6}},
    {"var",
     [](const Tensor& x) { return x.var(); },
     {},
     {5.241666666667},
     {0.033333333, -1.166666667, 0.833333333, -0.166666667, 1.233333333, -0.766666667}},
    {"var_biased",
     [](const Tensor& x) { return x.var(false); },
     {},
     {4.368055555556},
     {0.027777778, -0.972222222, 0.694444444, -0.138888889, 1.027777778, -0.638888889}},
    {"var_first",
     [](const Tensor& x) { return x.var({0}); },
     {3},
     {0.125, 18, 8},
     {0.5, -12, 12, -0.5, 12, -12}},
    {"var_last_biased_kept",
     [](const Tensor& x) { return x.var({-1}, false, true); },
     {2, 1},
     {4.222222222222, 4.388888888889},
     {0.222222222, -1.777777778, 1.555555556, -0.888888889, 3.777777778, -2.888888889}},
};

Tensor matrix(ScalarType type = kFloat64) {
  return tensor({{1, -2, 3}, {0.5, 4, -1}}, dtype(type));
}

class Reductions : public ::testing::TestWithParam<Example> {};

TEST_P(Reductions, HaveTheValuesAndGradientsOfLibTorch) {
  const Tensor result = GetParam().function(matrix());
  EXPECT_EQ(result.sizes(), IntArrayRef(GetParam().sizes));
  expect_close(result, GetParam().values);
  expect_close(weighted_gradient(GetParam().function, matrix()), GetParam().gradient);
}

TEST_P(Reductions, DoNotDependOnStrides) {
  Tensor spread = zeros({2, 6}, dtype(kFloat64));
  Tensor columns = spread.slice(1, 1, {}, 2);
  columns.copy_(matrix());
  const Tensor transposed = matrix().t().contiguous().t();
  for (const Tensor& x : {transposed, columns}) {
    ASSERT_FALSE(x.is_contiguous());
    expect_close(GetParam().function(x), GetParam().values);
    expect_close(weighted_gradient(GetParam().function, x), GetParam().gradient);
  }
}

TEST_P(Reductions, ComputeInFloat32) {
  const Tensor result = GetParam().function(matrix(kFloat32));
  EXPECT_EQ(result.dtype(), kFloat32);
  expect_values(result, GetParam().values, 2e-6);
}

TEST_P(Reductions, AgreeInForwardAndReverseMode) {
  const Tensor direction = constant({{0.5, -1, 2}, {1.5, 0.25, -3}});
  const Tensor tangent = directional_derivative(GetParam().function, matrix(), direction);
  const double forward = (tangent * counting_like(tangent)).sum().item();
  const Tensor gradient = weighted_gradient(GetParam().function, matrix());
  EXPECT_NEAR(forward, (gradient * direction).sum().item(), 1e-12);
}

INSTANTIATE_TEST_SUITE_P(All, Reductions, ::testing::ValuesIn(kExamples),
                         [](const auto& example) { return std::string(example.param.name); });

TEST(Reductions, TakeTensorsWithoutDimensions) {
  const Tensor one = constant(2.5);
  for (const Example& example : kExamples) {
    if (!std::string_view(example.name).ends_with("_first")) continue;
    EXPECT_EQ(example.function(one).dim(), 0) << example.name;
    EXPECT_EQ(weighted_gradient(example.function, one).dim(), 0) << example.name;
  }
  expect_values(one.max(), {2.5});
  expect_values(std::get<1>(one.min(-1, true)), {0});
  expect_values(one.softmax(-1), {1});
  expect_values(one.sum({-1}, true), {2.5});
}

TEST(Reductions, CountTheElementsOfExpandedTensors) {
  const Tensor x = constant({1, 2}).reshape({2, 1}).expand({2, 3});
  expect_values(x.sum(), {9});
  expect_values(x.sum(1), {3, 6});
  expect_values(x.mean(0), {1.5, 1.5, 1.5});
  expect_values(x.prod(1), {1, 8});
  expect_values(x.cumsum(1), {1, 2, 3, 2, 4, 6});
  expect_values(std::get<1>(x.max(0)), {1, 1, 1});
  expect_close(x.var({1}), {0, 0});
  const Tensor small = leaf({1, 2});
  small.reshape({2, 1}).expand({2, 3}).sum().backward();
  expect_values(small.grad(), {3, 3});
}

TEST(Reductions, OfNothingGiveTheNeutralElement) {
  const Tensor x = zeros({2, 0}, dtype(kFloat64));
  expect_values(x.sum(1), {0, 0});
  expect_values(x.prod(1), {1, 1});
  expect_close(x.mean(1), {kNaN, kNaN});
  expect_close(x.logsumexp(1), {-kInfinity, -kInfinity});
  expect_close(x.var({1}), {kNaN, kNaN});
  expect_values(x.sum(), {0});
  expect_values(x.prod(), {1});
  expect_close(x.mean(), {kNaN});
  EXPECT_EQ(x.sum(0).sizes(), IntArrayRef({0}));
  EXPECT_EQ(std::get<0>(x.max(0)).sizes(), IntArrayRef({0}));
  EXPECT_EQ(x.softmax(1).sizes(), IntArrayRef({2, 0}));
  EXPECT_EQ(x.log_softmax(0).sizes(), IntArrayRef({2, 0}));
  EXPECT_EQ(x.cumsum(0).sizes(), IntArrayRef({2, 0}));
}

TEST(Reductions, OfNothingHaveGradientsOfTheInputsShape) {
  const Tensor x = zeros({2, 0}, dtype(kFloat64));
  using Function = Tensor (*)(const Tensor&);
  const Function functions[] = {
      [](const Tensor& v) { return v.sum(1); },
      [](const Tensor& v) { return v.mean(); },
      [](const Tensor& v) { return v.prod(); },
      [](const Tensor& v) { return v.prod(1); },
      [](const Tensor& v) { return v.prod(0); },
      [](const Tensor& v) { return std::get<0>(v.min(0)); },
      [](const Tensor& v) { return v.logsumexp(1); },
      [](const Tensor& v) { return v.softmax(1); },
      [](const Tensor& v) { return v.log_softmax(0); },
      [](const Tensor& v) { return v.cumsum(1); },
      [](const Tensor& v) { return v.var({1}); },
  };
  for (const Function function : functions)
    EXPECT_EQ(weighted_gradient(function, x).sizes(), IntArrayRef({2, 0}));
}

TEST(Reductions, OfIntegersAndBoolsAreInt64) {
  const Tensor counts = tensor({{1, 2}, {3, 4}}, dtype(kInt32));
  const Tensor flags = tensor({true, false, true});
  EXPECT_EQ(counts.sum().dtype(), kInt64);
  EXPECT_EQ(counts.prod(0).dtype(), kInt64);
  EXPECT_EQ(counts.cumsum(0).dtype(), kInt64);
  expect_values(counts.sum(0), {4, 6});
  expect_values(counts.prod(), {24});
  expect_values(counts.cumsum(1), {1, 3, 3, 7});
  expect_values(flags.sum(), {2});
  expect_values(flags.prod(), {0});
  EXPECT_EQ(counts.max().dtype(), kInt32);
  expect_values(flags.max(), {1});
}

TEST(Reductions, OfIntegersWrapAround) {
  const Tensor x = full({2}, int64_t{1} << 62);
  EXPECT_EQ(x.sum().item<int64_t>(), std::numeric_limits<int64_t>::min());
  EXPECT_EQ(x.cumsum(0)[1].item<int64_t>(), std::numeric_limits<int64_t>::min());
  EXPECT_EQ(x.prod().item<int64_t>(), 0);
}

TEST(Reductions, AccumulateFloat32InDouble) {
  const Tensor x = full({1 << 20}, 0.1, dtype(kFloat32));
  const double exact = static_cast<double>(0.1f) * (1 << 20);
  EXPECT_EQ(x.sum().item(), static_cast<double>(static_cast<float>(exact)));
  EXPECT_EQ(x.reshape({1 << 10, 1 << 10}).sum(0).sum().item(),
            static_cast<double>(static_cast<float>(exact)));
  EXPECT_EQ(x.mean().item(), static_cast<double>(0.1f));
  EXPECT_EQ(x.cumsum(0)[(1 << 20) - 1].item(), static_cast<double>(static_cast<float>(exact)));
}

/// -3 sin(1), -3 sin(2), ...: no order, no repetition.
Tensor waves(IntArrayRef sizes) {
  int64_t count = 1;
  for (int64_t size : sizes) count *= size;
  return (arange(1, count + 1, dtype(kFloat64)).sin() * -3).reshape(sizes);
}

TEST(Reductions, OfLongRowsCrossTheBlocksOfTheirLoops) {
  for (int64_t n : {15, 16, 17, 255, 257, 2047, 2049, 5000}) {
    const Tensor x = waves(n);
    double sum = 0, exponentials = 0, product = 1, squares = 0, largest = -3;
    std::vector<double> running;
    for (double value : values(x)) {
      running.push_back(sum += value);
      exponentials += std::exp(value);
      product *= 1 + value / 100;
      squares += value * value;
      largest = std::max(largest, value);
    }
    const auto count = static_cast<double>(n);
    EXPECT_NEAR(x.sum().item(), sum, 1e-10);
    EXPECT_NEAR(x.mean().item(), sum / count, 1e-12);
    EXPECT_NEAR((x / 100 + 1).prod().item(), product, 1e-12);
    EXPECT_NEAR(x.var(false).item(), squares / count - sum / count * sum / count, 1e-10);
    EXPECT_NEAR(x.logsumexp(0).item(), std::log(exponentials), 1e-12);
    EXPECT_TRUE(allclose(x.softmax(0), x.exp() / exponentials, 1e-12, 0));
    EXPECT_TRUE(allclose(x.log_softmax(0), x - std::log(exponentials), 0, 1e-12));
    EXPECT_EQ(x.max().item(), largest);
    EXPECT_EQ(x[x.argmax(0).item<int64_t>()].item(), largest);
    expect_values(x.cumsum(0), running, 1e-10);
  }
}

TEST(Reductions, AlongInnerDimensionsCrossTheBlocksOfTheirLoops) {
  const Tensor x = waves({3, 37, 130}), swapped = x.transpose(1, 2).contiguous();
  const auto close = [](const Tensor& a, const Tensor& b) { return allclose(a, b, 1e-12, 1e-12); };
  EXPECT_TRUE(close(x.sum(1), swapped.sum(2)));
  EXPECT_TRUE(close(x.prod(1), swapped.prod(2)));
  EXPECT_TRUE(close(x.var(1), swapped.var(2)));
  EXPECT_TRUE(close(x.logsumexp(1), swapped.logsumexp(2)));
  EXPECT_TRUE(equal(x.argmin(1), swapped.argmin(2)));
  EXPECT_TRUE(equal(std::get<0>(x.max(1)), std::get<0>(swapped.max(2))));
  EXPECT_TRUE(close(x.softmax(1).transpose(1, 2), swapped.softmax(2)));
  EXPECT_TRUE(close(x.log_softmax(1).transpose(1, 2), swapped.log_softmax(2)));
  EXPECT_TRUE(close(x.cumsum(1).transpose(1, 2), swapped.cumsum(2)));
}

TEST(Reductions, HaveGradientsThatCrossTheBlocksOfTheirLoops) {
  const Tensor x = waves({3, 37, 130}), swapped = x.transpose(1, 2).contiguous();
  using Function = Tensor (*)(const Tensor&, int64_t dim);
  const Function functions[] = {
      [](const Tensor& v, int64_t dim) { return v.prod(dim); },
      [](const Tensor& v, int64_t dim) { return v.softmax(dim).square(); },
      [](const Tensor& v, int64_t dim) { return v.log_softmax(dim).square(); },
      [](const Tensor& v, int64_t dim) { return v.cumsum(dim).square(); },
  };
  for (const Function f : functions) {
    const auto along = [&](int64_t dim) {
      return [=](const Tensor& v) { return f(v, dim).sum(); };
    };
    const Tensor inner = weighted_gradient(along(1), x),
                 last = weighted_gradient(along(2), swapped);
    EXPECT_TRUE(allclose(inner.transpose(1, 2), last, 1e-12, 1e-12));
  }
}

TEST(Reductions, RejectIntegersWhereAResultWouldBeFractional) {
  const Tensor x = tensor({1, 2});
  expect_error<DtypeError>("mean: could not infer output dtype", [&] { x.mean(); });
  expect_error<DtypeError>("Got: int64", [&] { x.var(); });
  expect_error<DtypeError>("softmax", [&] { x.softmax(0); });
  expect_error<DtypeError>("log_softmax", [&] { x.log_softmax(0); });
  expect_close(x.logsumexp(0), {static_cast<double>(2.313261747f)});
}

TEST(Reductions, RejectBadDimensions) {
  const Tensor x = zeros({2, 3});
  expect_error<IndexError>("Dimension out of range (expected to be in range of [-2, 1], but got 2)",
                           [&] { x.sum(2); });
  for (const auto& program : std::vector<std::function<void()>>{
           [&] { x.mean(-3); }, [&] { x.prod(2); }, [&] { x.max(2); }, [&] { x.argmin(-3); },
           [&] { x.softmax(2); }, [&] { x.cumsum(-3); }, [&] { x.logsumexp(5); }})
    expect_error<IndexError>("Dimension out of range", program);
  expect_error<IndexError>("dim -1 appears multiple times in the list of dims", [&] {
    x.sum({1, -1});
  });
  expect_error<ShapeError>("size [4] is not expandable to size [2, 3]", [&] { x.sum_to_size(4); });
}

TEST(Reductions, RejectUndefinedTensors) {
  expect_error<UndefinedTensor>("", [] { sum(Tensor()); });
  expect_error<UndefinedTensor>("", [] { max(Tensor(), 0); });
  expect_error<UndefinedTensor>("", [] { softmax(Tensor(), 0); });
  expect_error<UndefinedTensor>("", [] { cumsum(Tensor(), 0); });
}

}  // namespace
}  // namespace notape::testing
