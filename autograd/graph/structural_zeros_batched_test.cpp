// Structural zeros of batched gradients: per-sample gradients and vectorized Jacobians are those of
// the loop, and the mask of what was selected is one per sample.
#include "autograd/functional/vmap.h"
#include "autograd/graph/support.h"
#include "autograd/testing/slopes.h"

namespace notape::testing {
namespace {

using autograd::grad;
using namespace autograd::functional;

Tensor positions() { return tensor(std::vector<int64_t>{1, 2}); }

/// Functions that leave the first entry of sqrt(x) out at {0, 1, 4}.
std::vector<TensorFunction> selections() {
  return {
      [](const Tensor& x) { return where(x > 0, x.sqrt(), 1.0).sum(); },
      [](const Tensor& x) { return where(x > 0, x * x.log(), 0).sum(); },
      [](const Tensor& x) { return x.sqrt().masked_fill(x.eq(0), 1).sum(); },
      [](const Tensor& x) { return x.sqrt().slice(0, 1, 3).sum(); },
      [](const Tensor& x) { return x.sqrt().index({positions()}).sum(); },
      [](const Tensor& x) { return x.sqrt().index_select(0, positions()).sum(); },
      [](const Tensor& x) { return x.sqrt().gather(0, positions()).sum(); },
      [](const Tensor& x) { return x.sqrt()[1] * 1; },
      [](const Tensor& x) { return x.sqrt().unbind()[2] * 1; },
      [](const Tensor& x) { return x.sqrt().max(); },
      [](const Tensor& x) { return std::get<0>(x.sqrt().max(0)); },
      [](const Tensor& x) { return (x.sqrt() - 0.5).relu().sum(); },
      [](const Tensor& x) { return x.sqrt().clamp(0.5, 9.0).sum(); },
      [](const Tensor& x) {
        return x.sqrt().maximum(constant({0.5, 0.5, 0.5})).sum();
      },
      [](const Tensor& x) {
        return max_pool2d(x.sqrt().view({1, 1, 1, 3}), {1, 3}).sum();
      },
      [](const Tensor& x) { return where(x > 1, x.log(), x.sqrt()).sum(); },
  };
}

std::vector<double> gradient_at(const TensorFunction& f, const Tensor& x) {
  const Tensor own = x.detach().clone().requires_grad_(true);
  return values(grad({f(own)}, {own})[0]);
}

TEST(StructuralZerosBatched, PerSampleGradientsAreThoseOfTheLoop) {
  const Tensor samples = constant({{0, 1, 4}, {9, 0, 1}, {1, 4, 9}});
  for (const TensorFunction& f : selections()) {
    const Tensor batched = vmap(TensorFunction([&](const Tensor& x) {
      const Tensor own = x.detach().requires_grad_(true);
      return grad({f(own)}, {own})[0];
    }))(samples);
    for (int64_t i = 0; i < 3; ++i) expect_exactly(batched[i], gradient_at(f, samples[i]));
  }
}

TEST(StructuralZerosBatched, VectorizedJacobiansAndHessiansAreThoseOfTheLoop) {
  const Tensor x = constant({0, 1, 4});
  const Options vectorized{.vectorize = true};
  for (const TensorFunction& f : selections()) {
    expect_exactly(jacobian(f, x, vectorized), values(jacobian(f, x)));
    expect_exactly(hessian(f, x, vectorized), values(hessian(f, x)));
  }
}

TEST(StructuralZerosBatched, TheGradientOfABatchThatLeftVmapKeepsThem) {
  const Tensor samples = leaf({{0, 1, 4}, {9, 0, 1}});
  const Tensor y = vmap(
      TensorFunction([](const Tensor& x) { return where(x > 0, x * x.log(), 0).sum(); }))(samples);
  const Tensor g = grad({y.sum()}, {samples})[0];
  for (const int64_t entry : {0, 4}) EXPECT_EQ(values(g)[static_cast<std::size_t>(entry)], 0);
}

TEST(StructuralZerosBatched, EnterAndLeaveVmap) {
  const Tensor w = constant({4, 0}).requires_grad_(), z = constant({4, 0}).requires_grad_();
  const Tensor masks = constant({1, 0, 2, 0}).reshape({2, 2});
  const auto shared = [&](const Tensor& x) { return where(x > 0, sqrt(w), 0).sum(); };
  const auto entering = [](const Tensor& x) { return where(x > 0, x, 0).sum(); };
  const auto leaving = [](const Tensor& x) { return sqrt(x); };
  for (const bool recorded : {false, true}) {
    const auto slope_of = [&](const Tensor& y, const Tensor& x) {
      return grad({y.sum()}, {x}, {}, {}, recorded)[0];
    };
    expect_exactly(slope_of(vmap(TensorFunction(shared))(masks), w), {0.5, 0});
    expect_exactly(slope_of(vmap(TensorFunction(entering))(sqrt(z)), z), {0.25, 0});
    expect_exactly(slope_of(where(z > 0, vmap(TensorFunction(leaving))(z), 0), z), {0.25, 0});
  }
}

TEST(StructuralZerosBatched, OfASharedTensorAreAddedUpOverSamples) {
  const Tensor samples = constant({0, 4}).reshape({2, 1});
  for (const bool owed : {false, true}) {
    owe_zeros_everywhere = owed;
    const Tensor w = constant({2}).requires_grad_();
    const auto f = [&](const Tensor& x) { return where(x > 0, w / x, 0).sum(); };
    vmap(TensorFunction(f))(samples).sum().backward();
    expect_exactly(w.grad(), {0.25});
  }
  owe_zeros_everywhere = false;
}

TEST(StructuralZerosBatched, AreOffUnderTheIeeeGuard) {
  const IeeeGradientGuard guard;
  const Tensor g = vmap(TensorFunction([](const Tensor& x) {
    const Tensor own = x.detach().requires_grad_(true);
    return grad({where(own > 0, own * own.log(), 0).sum()}, {own})[0];
  }))(constant({{0, 1}}));
  expect_exactly(g[0], {kAnyNaN, 1});
}

}  // namespace
}  // namespace notape::testing
