#include "ops/optimize.h"

#include <gtest/gtest.h>

#include "autograd/autograd.h"
#include "autograd/testing/sim_device.h"
#include "ops/ops.h"

namespace notape {
namespace {

Tensor numbers(std::vector<int64_t> sizes, double seed, ScalarType type = kFloat32) {
  int64_t count = 1;
  for (const int64_t size : sizes) count *= size;
  return sin(arange(count).to(kFloat64) * 0.7 + seed).reshape(sizes).to(type);
}

constexpr AdamStep kStep{.lr = 0.1, .weight_decay = 0.01};

/// One tensor's step in operators.
Tensor adam_by_operators(const Tensor& p, const Tensor& gradient) {
  const Tensor g = gradient + p * 0.01;
  const Tensor m = g * 0.1, v = g * g * 0.001;
  return p - m / 0.1 * 0.1 / ((v / 0.001).sqrt() + 1e-8);
}

TEST(MultiTensor, ManyTensorsOfAnySizeAreOneStepOfEach) {
  const NoGradGuard no_grad;
  for (const int threads : {1, 3}) {
    set_num_threads(threads);
    TensorList p, g, m, v, expected;
    for (int64_t i = 0; const int64_t size : {0, 1, 7, 100000, 3, 40000}) {
      p.push_back(numbers({size}, static_cast<double>(++i), kFloat64));
      g.push_back(numbers({size}, 10 + static_cast<double>(i), kFloat64));
      m.push_back(zeros({size}, kFloat64));
      v.push_back(zeros({size}, kFloat64));
      expected.push_back(adam_by_operators(p.back(), g.back()));
    }
    const std::vector<int64_t> steps(p.size(), 1);
    multi_tensor_adam_(p, g, m, v, {}, kStep, steps);
    for (std::size_t i = 0; i < p.size(); ++i)
      EXPECT_TRUE(allclose(p[i], expected[i], 1e-12, 1e-14)) << threads << " " << i;
  }
  set_num_threads(1);
}

TEST(MultiTensor, AnyLayoutAndSixteenBitsGiveTheSameNumbers) {
  const NoGradGuard no_grad;
  const auto step = [](const Tensor& p, const Tensor& g) {
    const TensorList buffers = {zeros_like(p).t().contiguous().t()};
    multi_tensor_sgd_({p}, {g}, buffers, {.lr = 0.5, .momentum = 0.9}, {1});
    EXPECT_TRUE(allclose(buffers[0], g));
    return p;
  };
  const Tensor p = numbers({4, 6}, 1), g = numbers({4, 6}, 2), expected = p - g * 0.5;
  EXPECT_TRUE(allclose(step(p.clone(), g), expected));
  EXPECT_TRUE(allclose(step(p.clone(), g.t().contiguous().t()), expected));
  EXPECT_TRUE(allclose(step(p.t().contiguous().t(), g), expected));
  const Tensor wide = zeros({4, 12});
  Tensor every_second = wide.slice(1, 0, 12, 2);
  every_second.copy_(p);
  EXPECT_TRUE(allclose(step(every_second, g), expected));
  EXPECT_TRUE(wide.slice(1, 1, 12, 2).equal(zeros({4, 6}))) << "between them nothing is written";
  EXPECT_TRUE(allclose(step(p.clone(), g.select(0, 0).expand({4, 6})),
                       p - g.select(0, 0).expand({4, 6}) * 0.5));
  for (const ScalarType type : {kFloat16, kBFloat16}) {
    const Tensor p16 = p.to(type), g16 = g.to(type);
    const Tensor once = (p16.to(kFloat32) - g16.to(kFloat32) * 0.5).to(type);
    EXPECT_TRUE(step(p16.clone(), g16).equal(once)) << name_of(type);
  }
}

TEST(MultiTensor, AWriteIsSeenByWhoeverHasSavedTheValue) {
  const Tensor p = ones({2}, requires_grad()), loss = (p * p).sum();
  const NoGradGuard no_grad;
  multi_tensor_sgd_({p}, {ones({2})}, {}, {.lr = 1}, {1});
  EXPECT_EQ(p._version(), 1U);
  EXPECT_THROW(loss.backward(), SavedTensorModified);
}

TEST(MultiTensor, WhatDoesNotFitIsNamedAndNothingChanges) {
  const Tensor p = ones({2}), q = ones({3}), g = ones({2});
  const auto expect = [&](const char* what, const auto& act) {
    try {
      act();
      ADD_FAILURE() << what;
    } catch (const Error& error) {
      EXPECT_NE(std::string(error.what()).find(what), std::string::npos) << error.what();
    }
    EXPECT_TRUE(p.equal(ones({2})) && p._version() == 0);
  };
  const SgdStep step{.lr = 1};
  expect("1 gradients for 2 parameters", [&] { multi_tensor_sgd_({p, q}, {g}, {}, step, {1, 1}); });
  expect("a gradient of size [2] for a parameter of size [3]", [&] {
    multi_tensor_sgd_({p, q}, {g, g}, {}, step, {1, 1});
  });
  expect("a gradient of float64 for a parameter of float32",
         [&] { multi_tensor_sgd_({p}, {g.to(kFloat64)}, {}, step, {1}); });
  expect("not implemented for int64", [&] {
    multi_tensor_sgd_({p, arange(2)}, {g, arange(2)}, {}, step, {1, 1});
  });
  expect("counted from 1", [&] { multi_tensor_sgd_({p}, {g}, {}, step, {0}); });
  expect("undefined", [&] { multi_tensor_sgd_({p}, {Tensor()}, {}, step, {1}); });
  expect("leaf", [&] {
    multi_tensor_sgd_({p, ones({2}, requires_grad())}, {g, g}, {}, step, {1, 1});
  });
}

TEST(MultiTensor, OfADeviceWithoutAKernelNothingIsMovedAnywhere) {
  const testing::SimDevice device;
  const Tensor near = ones({2}), far = ones({2}).to(Device(kSIM));
  EXPECT_THROW(multi_tensor_sgd_({near, far}, {near.clone(), far}, {}, {.lr = 1}, {1, 1}),
               NoKernel);
  EXPECT_TRUE(near.equal(ones({2})));
  EXPECT_EQ(near._version(), 0U);
}

TEST(ForeachMul, ScalesAllInPlace) {
  const NoGradGuard no_grad;
  const Tensor a = numbers({3, 4}, 1), b = numbers({5}, 2, kFloat16), c = numbers({2, 6}, 3).t();
  const TensorList before = {a.clone(), b.clone(), c.clone()};
  _foreach_mul_({a, b, c}, 0.75);
  _foreach_mul_({a, b, c}, scalar_tensor(2, kFloat64));
  for (std::size_t i = 0; const Tensor& one : {a, b, c})
    EXPECT_TRUE(one.equal(before[i++].mul(0.75).mul(2)));
  _foreach_mul_({}, 2);
  EXPECT_THROW(_foreach_mul_({a}, ones({2})), ShapeError);
  EXPECT_THROW(_foreach_mul_({a, Tensor()}, 2), UndefinedTensor);
  EXPECT_THROW(_foreach_mul_({a, arange(3)}, 2), DtypeError);
  EXPECT_TRUE(a.equal(before[0].mul(1.5)));
}

}  // namespace
}  // namespace notape
