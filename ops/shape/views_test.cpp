// Views of 0, 1, ..., 23 as (2, 3, 4): the value of an element says where it came from, so expected
// values (LibTorch's) fix the gradient too.
#include "autograd/testing/expect.h"
#include "ops/ops.h"

namespace notape::testing {
namespace {

struct Row {
  const char* name;
  Tensor (*view)(const Tensor&);
  std::vector<int64_t> sizes;
  std::vector<double> values;
};

const std::vector<Row>& rows() {
  static const std::vector<Row> all = {
      {"x.flatten(1, 2)",
       [](const Tensor& x) { return x.flatten(1, 2); },
       {2, 12},
       {0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16, 17, 18, 19, 20, 21, 22, 23}},
      {"x.flatten()",
       [](const Tensor& x) { return x.flatten(); },
       {24},
       {0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16, 17, 18, 19, 20, 21, 22, 23}},
      {"x.permute({2, 0, 1})",
       [](const Tensor& x) {
         return x.permute({2, 0, 1});
       },
       {4, 2, 3},
       {0, 4, 8, 12, 16, 20, 1, 5, 9, 13, 17, 21, 2, 6, 10, 14, 18, 22, 3, 7, 11, 15, 19, 23}},
      {"x.transpose(0, -1)",
       [](const Tensor& x) { return x.transpose(0, -1); },
       {4, 3, 2},
       {0, 12, 4, 16, 8, 20, 1, 13, 5, 17, 9, 21, 2, 14, 6, 18, 10, 22, 3, 15, 7, 19, 11, 23}},
      {"x[1].t()",
       [](const Tensor& x) { return x[1].t(); },
       {4, 3},
       {12, 16, 20, 13, 17, 21, 14, 18, 22, 15, 19, 23}},
      {"x.narrow(1, 2, 1).squeeze()",
       [](const Tensor& x) { return x.narrow(1, 2, 1).squeeze(); },
       {2, 4},
       {8, 9, 10, 11, 20, 21, 22, 23}},
      {"x.narrow(1, 0, 1).squeeze(1)",
       [](const Tensor& x) { return x.narrow(1, 0, 1).squeeze(1); },
       {2, 4},
       {0, 1, 2, 3, 12, 13, 14, 15}},
      {"x.narrow(1, 0, 1).narrow(2, 3, 1).squeeze(1)",
       [](const Tensor& x) { return x.narrow(1, 0, 1).narrow(2, 3, 1).squeeze(1); },
       {2, 1},
       {3, 15}},
      {"x.squeeze(0)",
       [](const Tensor& x) { return x.squeeze(0); },
       {2, 3, 4},
       {0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16, 17, 18, 19, 20, 21, 22, 23}},
      {"x.unsqueeze(-1)",
       [](const Tensor& x) { return x.unsqueeze(-1); },
       {2, 3, 4, 1},
       {0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16, 17, 18, 19, 20, 21, 22, 23}},
      {"x.select(-1, 1)",
       [](const Tensor& x) { return x.select(-1, 1); },
       {2, 3},
       {1, 5, 9, 13, 17, 21}},
      {"x.narrow(2, -2, 1)",
       [](const Tensor& x) { return x.narrow(2, -2, 1); },
       {2, 3, 1},
       {2, 6, 10, 14, 18, 22}},
      {"x.slice(2, 1, {}, 2)",
       [](const Tensor& x) { return x.slice(2, 1, {}, 2); },
       {2, 3, 2},
       {1, 3, 5, 7, 9, 11, 13, 15, 17, 19, 21, 23}},
      {"x.slice(1, -2, -1)",
       [](const Tensor& x) { return x.slice(1, -2, -1); },
       {2, 1, 4},
       {4, 5, 6, 7, 16, 17, 18, 19}},
      {"x.diagonal()",
       [](const Tensor& x) { return x.diagonal(); },
       {4, 2},
       {0, 16, 1, 17, 2, 18, 3, 19}},
      {"x.diagonal(1, 1, 2)",
       [](const Tensor& x) { return x.diagonal(1, 1, 2); },
       {2, 3},
       {1, 6, 11, 13, 18, 23}},
      {"x.diagonal(-1, 0, 1)",
       [](const Tensor& x) { return x.diagonal(-1, 0, 1); },
       {4, 1},
       {12, 13, 14, 15}},
      {"x.split(2, 2)[1]",
       [](const Tensor& x) { return x.split(2, 2)[1]; },
       {2, 3, 2},
       {2, 3, 6, 7, 10, 11, 14, 15, 18, 19, 22, 23}},
      {"x.chunk(2, 1)[1]",
       [](const Tensor& x) { return x.chunk(2, 1)[1]; },
       {2, 1, 4},
       {8, 9, 10, 11, 20, 21, 22, 23}},
      {"x.unbind(1)[2]",
       [](const Tensor& x) { return x.unbind(1)[2]; },
       {2, 4},
       {8, 9, 10, 11, 20, 21, 22, 23}},
      {"cat({x[0], x[1], x[0]}, 1)",
       [](const Tensor& x) {
         return cat({x[0], x[1], x[0]}, 1);
       },
       {3, 12},
       {0,  1,  2, 3, 12, 13, 14, 15, 0,  1,  2,  3,  4,  5,  6, 7, 16, 17,
        18, 19, 4, 5, 6,  7,  8,  9,  10, 11, 20, 21, 22, 23, 8, 9, 10, 11}},
      {"stack({x[0], x[1]}, 2)",
       [](const Tensor& x) {
         return stack({x[0], x[1]}, 2);
       },
       {3, 4, 2},
       {0, 12, 1, 13, 2, 14, 3, 15, 4, 16, 5, 17, 6, 18, 7, 19, 8, 20, 9, 21, 10, 22, 11, 23}},
      {"x.transpose(1, 2).slice(1, 0, {}, 3).unsqueeze(0)[0][1]",
       [](const Tensor& x) { return x.transpose(1, 2).slice(1, 0, {}, 3).unsqueeze(0)[0][1]; },
       {2, 3},
       {12, 16, 20, 15, 19, 23}},
  };
  return all;
}

Tensor counting() { return arange(24, dtype(kFloat64)).reshape({2, 3, 4}); }
/// The same values in other layouts: row-major, permuted, with gaps.
std::vector<Tensor> layouts() {
  const Tensor gaps = zeros({2, 3, 9}, kFloat64);
  gaps.slice(2, 1, {}, 2).copy_(counting());
  return {counting(), counting().permute({2, 0, 1}).clone().contiguous().permute({1, 2, 0}),
          gaps.slice(2, 1, {}, 2)};
}

TEST(Views, HaveTheValuesOfLibTorchInEveryLayout) {
  for (const Row& row : rows())
    for (const Tensor& x : layouts()) {
      SCOPED_TRACE(row.name);
      const Tensor y = row.view(x);
      EXPECT_EQ(y.sizes().vec(), row.sizes);
      expect_values(y, row.values);
    }
}

/// d/dx of the sum of k_i y_i^2 with k = 1, 2, ...
std::vector<double> expected_gradient(const Row& row) {
  std::vector<double> gradient(24, 0.0);
  for (std::size_t i = 0; i < row.values.size(); ++i)
    gradient[static_cast<std::size_t>(row.values[i])] +=
        2 * row.values[i] * static_cast<double>(i + 1);
  return gradient;
}

Tensor loss_of(const Tensor& y) {
  const Tensor weights = arange(1, y.numel() + 1, dtype(kFloat64)).reshape(y.sizes());
  return (y * y * weights).sum();
}

TEST(Views, SendTheGradientWhereTheElementCameFrom) {
  for (const Row& row : rows())
    for (const Tensor& x : layouts()) {
      SCOPED_TRACE(row.name);
      const Tensor input = x.detach().requires_grad_();
      loss_of(row.view(input)).backward();
      expect_values(input.grad(), expected_gradient(row));
    }
}

TEST(Views, HaveHigherDerivatives) {
  for (const Row& row : rows()) {
    SCOPED_TRACE(row.name);
    const Tensor x = counting().requires_grad_();
    const Tensor first = autograd::grad({loss_of(row.view(x))}, {x}, {}, {}, true)[0];
    // The gradient is linear in x, so its directional derivative along x is itself.
    const Tensor second = autograd::grad({(first * first.detach()).sum()}, {x})[0];
    std::vector<double> expected(24);
    for (std::size_t i = 0; i < 24; ++i) {
      const double value = expected_gradient(row)[i];
      expected[i] = i == 0 ? 0 : value * value / static_cast<double>(i);
    }
    expect_values(second, expected, 1e-9);
  }
}

TEST(Views, ShareStorageVersionAndWrites) {
  for (const Row& row : rows()) {
    SCOPED_TRACE(row.name);
    if (row.name[0] == 'c' || row.name[0] == 's') continue;  // cat and stack copy
    Tensor x = counting();
    Tensor y = row.view(x);
    EXPECT_TRUE(y.is_alias_of(x));
    const uint64_t version = x._version();
    y.mul_(-1);
    EXPECT_EQ(x._version(), version + 1);
    EXPECT_EQ(y._version(), version + 1);
    std::vector<double> expected = values(counting());
    for (double value : row.values) expected[static_cast<std::size_t>(value)] *= -1;
    expect_values(x, expected);
    x.fill_(7);
    expect_values(y, std::vector<double>(row.values.size(), 7.0));
  }
}

TEST(Views, AreWrittenWithGradientsThatReachTheBase) {
  for (const Row& row : rows()) {
    SCOPED_TRACE(row.name);
    if (row.name[0] == 'c' || row.name[0] == 's') continue;
    const Tensor x = counting().requires_grad_();
    const Tensor y = x * 2;
    row.view(y).mul_(3);
    (y * y).sum().backward();
    std::vector<double> expected;  // y_i = c x_i, c = 2 or 6: 2 c^2 x_i
    for (int i = 0; i < 24; ++i) {
      const bool written = std::find(row.values.begin(), row.values.end(), i) != row.values.end();
      expected.push_back((written ? 72.0 : 8.0) * i);
    }
    expect_values(x.grad(), expected);
  }
}

TEST(Views, CarryTangents) {
  for (const Row& row : rows()) {
    SCOPED_TRACE(row.name);
    const autograd::forward_ad::DualLevelGuard level;
    const Tensor x = autograd::forward_ad::make_dual(counting(), counting() * 10);
    std::vector<double> expected = row.values;
    for (double& value : expected) value *= 10;
    expect_values(autograd::forward_ad::unpack_dual(row.view(x)).tangent, expected);
  }
}

}  // namespace
}  // namespace notape::testing
