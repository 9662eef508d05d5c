// What a GPU computes is what the CPU computes.
#include <functional>

#include "autograd/autograd.h"
#include "cuda/testing/gpu_test.h"
#include "ops/ops.h"

namespace notape::cuda {
namespace {

using testing::GpuTest;

/// f of tensors on the GPU against f of the same tensors on the CPU.
void expect_same(const char* what, const std::function<Tensor(const variable_list&)>& f,
                 const variable_list& inputs, double tolerance) {
  variable_list there;
  for (const Tensor& input : inputs) there.push_back(input.to(Device(kCUDA)));
  const Tensor expected = f(inputs), result = f(there);
  EXPECT_TRUE(result.is_cuda()) << what;
  EXPECT_EQ(result.dtype(), expected.dtype()) << what;
  EXPECT_EQ(result.sizes(), expected.sizes()) << what;
  EXPECT_TRUE(allclose(result.to(kCPU), expected, tolerance, tolerance))
      << what << "\n"
      << result.to(kCPU).to_string() << "\nexpected\n"
      << expected.to_string();
}

struct Gpu : GpuTest {};

TEST_F(Gpu, KeepsValuesOnTheWayThereAndBack) {
  for (ScalarType dtype : {kBool, kUInt8, kInt32, kInt64, kFloat32, kFloat64}) {
    const Tensor values = randint(0, 100, {3, 5}).to(dtype);
    EXPECT_TRUE(equal(values.to(Device(kCUDA)).to(kCPU), values)) << name_of(dtype);
  }
}

TEST_F(Gpu, ConvertsBetweenAllTypesLikeTheCpu) {
  const ScalarType types[] = {kBool, kUInt8, kInt32, kInt64, kFloat32, kFloat64};
  for (ScalarType from : types)
    for (ScalarType to : types)
      expect_same(
          "convert", [=](const variable_list& x) { return x[0].to(to); },
          {randint(0, 100, {7}).to(from)}, 0);
}

TEST_F(Gpu, CopiesViewsOfAnyLayout) {
  const Tensor x = randn({4, 5, 6});
  expect_same(
      "permute",
      [](const variable_list& v) {
        return v[0].permute({2, 0, 1}).contiguous();
      },
      {x}, 0);
  expect_same(
      "slice", [](const variable_list& v) { return v[0].slice(1, 1, 5, 2).contiguous(); }, {x}, 0);
  expect_same(
      "expand",
      [](const variable_list& v) {
        return v[0].expand({3, 6}).contiguous();
      },
      {randn({6})}, 0);
}

TEST_F(Gpu, FillsTensorsAndViews) {
  const auto filled = [](const variable_list& v) {
    Tensor x = v[0].clone(), column = x.select(1, 2);
    x.fill_(1.5);
    column.fill_(-2);
    return x;
  };
  expect_same("fill", filled, {randn({3, 4})}, 0);
  EXPECT_TRUE(equal(zeros({5}, Device(kCUDA)).to(kCPU), zeros({5})));
}

TEST_F(Gpu, ComputesElementwise) {
  const Tensor a = randn({5, 7}), b = rand({5, 7}) + 0.5, row = randn({7});
  const std::pair<const char*, std::function<Tensor(const variable_list&)>> cases[] = {
      {"add", [](const variable_list& x) { return x[0] + x[1]; }},
      {"mul by a row", [](const variable_list& x) { return x[0] * x[2]; }},
      {"div", [](const variable_list& x) { return x[0] / x[1]; }},
      {"pow", [](const variable_list& x) { return pow(x[1], x[0]); }},
      {"tanh", [](const variable_list& x) { return tanh(x[0]); }},
      {"exp", [](const variable_list& x) { return exp(x[0].t()); }},
      {"number", [](const variable_list& x) { return 2 - x[0] * 0.5; }},
      {"compare", [](const variable_list& x) { return gt(x[0], x[1]); }},
      {"where", [](const variable_list& x) { return where(gt(x[0], x[1]), x[0], x[1]); }},
  };
  for (const auto& [name, f] : cases) expect_same(name, f, {a, b, row}, 1e-6);
}

TEST_F(Gpu, MultipliesMatricesOfAnyLayout) {
  for (ScalarType dtype : {kFloat32, kFloat64}) {
    const double tolerance = dtype == kFloat32 ? 1e-4 : 1e-12;
    const Tensor a = randn({5, 7}, dtype), b = randn({7, 3}, dtype), wide = randn({10, 14}, dtype);
    const std::pair<const char*, std::function<Tensor(const variable_list&)>> cases[] = {
        {"a b", [](const variable_list& x) { return mm(x[0], x[1]); }},
        {"b' a'", [](const variable_list& x) { return mm(x[1].t(), x[0].t()); }},
        {"a a'", [](const variable_list& x) { return mm(x[0], x[0].t()); }},
        {"gaps",
         [](const variable_list& x) {
           return mm(x[2].slice(0, 0, 10, 2).slice(1, 0, 14, 2), x[1]);
         }},
        {"a row repeated",
         [](const variable_list& x) {
           return mm(x[1].select(1, 0).expand({4, 7}), x[1]);
         }},
        {"vector", [](const variable_list& x) { return matmul(x[0], x[1].select(1, 1)); }},
        {"batch",
         [](const variable_list& x) {
           return matmul(x[0].expand({4, 5, 7}), x[1]);
         }},
    };
    for (const auto& [name, f] : cases) expect_same(name, f, {a, b, wide}, tolerance);
  }
}

TEST_F(Gpu, DifferentiatesALayer) {
  const auto gradients = [](const variable_list& x) {
    const Tensor w = x[0].detach().requires_grad_(), bias = x[1].detach().requires_grad_();
    const Tensor y = tanh(mm(x[2], w) + bias);
    (y * y).sum().backward();
    return w.grad() + bias.grad();
  };
  expect_same("layer", gradients, {randn({4, 3}), randn({3}), randn({6, 4})}, 1e-4);
}

TEST_F(Gpu, SumsOverAnyDimensions) {
  const Tensor x = randn({4, 300, 5});
  for (const std::vector<int64_t>& dim : {std::vector<int64_t>{}, {0}, {1}, {2}, {0, 2}, {1, 2}}) {
    expect_same(
        "sum", [&](const variable_list& v) { return v[0].sum(dim); }, {x}, 1e-4);
    expect_same(
        "mean", [&](const variable_list& v) { return v[0].mean(dim); }, {x}, 1e-5);
  }
  expect_same(
      "integers", [](const variable_list& v) { return v[0].sum(); }, {randint(0, 1000, {10'000})},
      0);
}

TEST_F(Gpu, ReducesScansAndChooses) {
  const Tensor x = randn({3, 300, 2});
  const std::pair<const char*, std::function<Tensor(const variable_list&)>> cases[] = {
      {"prod", [](const variable_list& v) { return prod(v[0] * 1.5, 1); }},
      {"var", [](const variable_list& v) { return v[0].var(); }},
      {"var of rows",
       [](const variable_list& v) {
         return v[0].var({0, 2});
       }},
      {"logsumexp", [](const variable_list& v) { return logsumexp(v[0], {1}); }},
      {"softmax", [](const variable_list& v) { return softmax(v[0] * 9, 1); }},
      {"log_softmax", [](const variable_list& v) { return log_softmax(v[0].transpose(1, 2), -1); }},
      {"cumsum", [](const variable_list& v) { return cumsum(v[0], 1); }},
      {"cumsum of a row", [](const variable_list& v) { return cumsum(v[0].flatten(), 0); }},
      {"max", [](const variable_list& v) { return max(v[0]); }},
      {"max of rows", [](const variable_list& v) { return std::get<0>(max(v[0], 1)); }},
      {"argmin", [](const variable_list& v) { return argmin(v[0].transpose(1, 2), -1); }},
  };
  for (const auto& [name, f] : cases) expect_same(name, f, {x}, 1e-5);
}

TEST_F(Gpu, DifferentiatesReductionsScansAndChoices) {
  const std::pair<const char*, std::function<Tensor(const Tensor&)>> cases[] = {
      {"prod", [](const Tensor& x) { return prod(x, 1); }},
      {"var", [](const Tensor& x) { return x.var({1}); }},
      {"logsumexp", [](const Tensor& x) { return logsumexp(x, {1}); }},
      {"softmax", [](const Tensor& x) { return softmax(x * 9, 1); }},
      {"log_softmax", [](const Tensor& x) { return log_softmax(x, 0); }},
      {"cumsum", [](const Tensor& x) { return cumsum(x, 1); }},
      {"max", [](const Tensor& x) { return std::get<0>(max(x, 1)); }},
      {"min of all", [](const Tensor& x) { return min(x); }},
  };
  for (const auto& [name, f] : cases)
    expect_same(
        name,
        [&f](const variable_list& v) {
          const Tensor x = v[0].detach().requires_grad_();
          const Tensor y = f(x);
          sum(y * y).backward();
          return x.grad();
        },
        {randn({3, 70})}, 1e-3);
}

TEST_F(Gpu, ReadsWritesAndAddsAtPositions) {
  const Tensor x = randn({5, 4}), values = randn({6, 4});
  const Tensor rows = randint(0, 5, {6}), places = randint(0, 5, {6, 4});
  const Tensor labels = randint(0, 4, {5});
  const std::pair<const char*, std::function<Tensor(const variable_list&)>> cases[] = {
      {"index_select", [](const variable_list& v) { return index_select(v[0], 0, v[2]); }},
      {"gather", [](const variable_list& v) { return gather(v[0], 0, v[3]); }},
      {"scatter_add", [](const variable_list& v) { return scatter_add(v[0], 0, v[3], v[1]); }},
      {"index_put_",
       [](const variable_list& v) {
         Tensor y = v[0].clone();
         index_put_(y, {v[2]}, v[1]);
         return y;
       }},
      {"nll_loss", [](const variable_list& v) { return nll_loss(log_softmax(v[0], 1), v[4]); }},
  };
  for (const auto& [name, f] : cases) expect_same(name, f, {x, values, rows, places, labels}, 1e-5);
}

TEST_F(Gpu, SearchesSortedRows) {
  const Tensor rows = std::get<0>(sort(randint(0, 20, {3, 50}), 1)),
               values = randint(-2, 22, {3, 9});
  const Tensor shuffled = randn({50}), order = argsort(shuffled);
  for (const bool right : {false, true}) {
    expect_same(
        "rows", [&](const variable_list& v) { return searchsorted(v[0], v[1], false, right); },
        {rows, values}, 0);
    expect_same(
        "sorter",
        [&](const variable_list& v) { return searchsorted(v[0], v[1], false, right, {}, v[2]); },
        {shuffled, randn({4, 3}), order}, 0);
  }
  expect_same(
      "isin", [](const variable_list& v) { return isin(v[0], v[1]); }, {rows, values}, 0);
}

TEST_F(Gpu, ConvolvesAndPools) {
  manual_seed(6);
  const Tensor images = randn({2, 4, 9, 9}, kFloat64), filters = randn({6, 2, 3, 3}, kFloat64);
  const auto gradients_on = [&](Device device) {
    const Tensor x = images.to(device).requires_grad_(), w = filters.to(device).requires_grad_();
    const Tensor y = max_pool2d(conv2d(x, w, {}, 2, 1, 1, 2).relu(), 2, 1, 1);
    (adaptive_avg_pool2d(y, {2, 2}) * y.mean({2, 3}, true)).sum().backward();
    return std::pair(x.grad().cpu(), w.grad().cpu());
  };
  const auto [x, w] = gradients_on(kCUDA);
  const auto [expected_x, expected_w] = gradients_on(kCPU);
  EXPECT_TRUE(allclose(x, expected_x, 1e-10, 1e-10));
  EXPECT_TRUE(allclose(w, expected_w, 1e-10, 1e-10));
}

TEST_F(Gpu, SaysWhichOperatorItDoesNotHave) {
  const Tensor x = ones({4, 4}, TensorOptions(kInt64).device(kCUDA));
  try {
    mm(x, x);
    FAIL();
  } catch (const NoKernel& error) {
    EXPECT_NE(std::string(error.what()).find("mm"), std::string::npos) << error.what();
    EXPECT_NE(std::string(error.what()).find("cuda:0"), std::string::npos) << error.what();
  }
}

TEST_F(Gpu, RunsOutOfMemoryWithAnError) {
  EXPECT_THROW(empty({int64_t{1} << 45}, Device(kCUDA)), OutOfMemory);
  EXPECT_EQ(ones({3}, Device(kCUDA)).sum().item<float>(), 3);
}

}  // namespace
}  // namespace notape::cuda
