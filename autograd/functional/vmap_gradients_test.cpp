// vmap and derivatives: gradients of batches and inside, nested calls, Jacobians, modes.
#include <cmath>

#include "autograd/functional/vmap.h"
#include "autograd/testing/expect.h"
#include "ops/ops.h"

namespace notape::testing {
namespace {

using namespace autograd::functional;
using autograd::grad;

Tensor squared_norm(const Tensor& x) { return (x * x).sum(); }

TEST(VmapGradients, TheGradientOfASharedTensorIsTheSumOverSamples) {
  const Tensor xs = leaf({{1, 2}, {3, 4}, {5, 6}}), w = leaf({10, 100});
  const Tensor y =
      vmap(TensorFunction([&](const Tensor& x) { return (x * w).sum() + w.sum(); }))(xs);
  const auto g = grad({(y * constant({1, 10, 100})).sum()}, {xs, w});
  expect_values(g[0], {10, 100, 100, 1000, 1000, 10000});
  expect_values(g[1], {1 + 30 + 500 + 111, 2 + 40 + 600 + 111});
}

TEST(VmapGradients, AGradientInsideIsOnePerSampleWhateverTheTensor) {
  const Tensor xs = constant({{1, 2}, {3, 4}}), w = leaf({10, 100});
  const TensorFunction per_sample = [&](const Tensor& x) {
    return grad({(x * w.tanh() + w).sum()}, {w})[0];
  };
  const Tensor slope = 1 - w.detach().tanh().square();
  expect_values(vmap(per_sample)(xs), values(xs * slope + 1), 1e-15);
  const TensorFunction by_vjp = [&](const Tensor& x) {
    return vjp([&](const Tensor& own) { return (x * own * own).sum(); }, w).product;
  };
  expect_values(vmap(by_vjp)(xs), {20, 400, 60, 800});
}

TEST(VmapGradients, BackwardInsideCannotFillTheGradOfASharedLeaf) {
  const Tensor w = leaf({1, 2});
  expect_error<BatchingNotImplemented>("one gradient per sample", [&] {
    vmap(TensorFunction([&](const Tensor& x) {
      (x * w).sum().backward();
      return x;
    }))(constant({{1, 2}, {3, 4}}));
  });
  EXPECT_FALSE(w.grad().defined());
}

TEST(VmapGradients, BackwardInsideFillsTheGradOfABatchedLeaf) {
  const TensorFunction f = [](const Tensor& x) {
    const Tensor own = x.detach().requires_grad_();
    (own * own).sum().backward();
    (own * 3).sum().backward();
    return own.grad();
  };
  expect_values(vmap(f)(constant({{1, 2}, {3, 4}})), {5, 7, 9, 11});
}

TEST(VmapGradients, SecondDerivativesRunThroughSumsOverSamples) {
  const Tensor xs = constant({1, 2, 3}), w = leaf(2);
  const Tensor y = vmap(TensorFunction([&](const Tensor& x) { return x * w * w * w + w; }))(xs);
  const Tensor first = grad({y.sum()}, {w}, {}, {}, true)[0];  // 3 w^2 sum(x) + 3
  expect_values(first, {75});
  expect_values(grad({first}, {w})[0], {72});
}

TEST(VmapGradients, PerSampleGradientsCanBeDifferentiatedOutside) {
  const Tensor xs = constant({1, 2, 3}), w = leaf(2);
  const Tensor slopes = vmap(TensorFunction([&](const Tensor& x) {
    return grad({x * w * w + w}, {w}, {}, {}, true)[0];  // 2 x w + 1
  }))(xs);
  expect_values(slopes, {5, 9, 13});
  expect_values(grad({slopes.square().sum()}, {w})[0], {2 * (5 * 2 + 9 * 4 + 13 * 6)});
}

// The graph of a call that has returned, differentiated per sample of another.
TEST(VmapGradients, AGradientInsideRunsThroughTheGraphOfAnEarlierCall) {
  const Tensor w = leaf(2);
  const Tensor y =
      vmap(TensorFunction([&](const Tensor& x) { return x * w + w; }))(constant({1, 2, 3}));
  const TensorFunction weighted = [&](const Tensor& v) {
    return grad({(y * v).sum()}, {w}, {}, true)[0];
  };
  expect_values(vmap(weighted)(constant({{1, 0, 0}, {0, 1, 10}})), {2, 43});
}

TEST(VmapGradients, ATensorThatLeftItsCallCannotBeDifferentiated) {
  const Tensor w = leaf(2);
  Tensor escaped;
  vmap(TensorFunction([&](const Tensor& x) { return escaped = x * w; }))(constant({1, 2}));
  expect_error<BatchingNotImplemented>("was computed for one sample", [&] { escaped.backward(); });
  expect_error<BatchingNotImplemented>("was computed for one sample",
                                       [&] { grad({w * 1}, {w}, {escaped}); });
}

TEST(VmapGradients, HooksSeeTheGradientOfWhatTheyAreOn) {
  const Tensor w = leaf(2);
  std::vector<double> seen;
  w.register_hook([&](const Tensor& g) { seen = values(g); });
  int inside = 0;
  const Tensor y = vmap(TensorFunction([&](const Tensor& x) {
    const Tensor product = x * w;
    product.register_hook([&](const Tensor& g) {
      ++inside;
      return g * 10;
    });
    return product;
  }))(constant({1, 2, 3}));
  expect_values(grad({y.sum()}, {w})[0], {60});
  EXPECT_EQ(inside, 1);
  EXPECT_EQ(seen, std::vector<double>{60});
}

TEST(VmapGradients, SlicesOfASharedTensorGetTheirSum) {
  const Tensor w = leaf({1, 2, 3});
  const Tensor y = vmap(TensorFunction([&](const Tensor& x) {
    return w[0] * x + w.slice(0, 1, 3).sum() * x * x + w[0];
  }))(constant({1, 2}));
  expect_values(grad({y.sum()}, {w})[0], {5, 5, 5});
}

TEST(VmapGradients, AGradientThatIsTheSameForAllSamplesCountsForEach) {
  struct UnitSlope : autograd::Function<UnitSlope> {
    static Tensor forward(autograd::AutogradContext*, const Tensor& x) { return x.tanh(); }
    static variable_list backward(autograd::AutogradContext*, variable_list) {
      return {ones({}, kFloat64)};
    }
  };
  const Tensor w = leaf(2);
  const Tensor y = vmap(TensorFunction([&](const Tensor& x) { return UnitSlope::apply(x + w); }))(
      constant({1, 2, 3}));
  expect_values(grad({y.sum()}, {w})[0], {3});
}

// ---- Nested calls and other transformations ----

TEST(VmapGradients, NestedCallsSumOverTheLevelsThatATensorLacks) {
  const Tensor xs = leaf({1, 2}), zs = leaf({10, 100, 1000}), w = leaf(2);
  const TensorFunction outer = [&](const Tensor& x) {
    return vmap(TensorFunction([&](const Tensor& z) { return x * w + z * x + w; }))(zs);
  };
  const Tensor y = vmap(outer)(xs);
  expect_values(y, {14, 104, 1004, 26, 206, 2006});
  const auto g = grad({y.sum()}, {xs, zs, w});
  expect_values(g[0], {1116, 1116});
  expect_values(g[1], {3, 3, 3});
  expect_values(g[2], {3 * 3 + 6});
}

TEST(VmapGradients, AnInnerCallMayDependOnTheOuterOneOnly) {
  const TensorFunction outer = [&](const Tensor& x) {
    return vmap(TensorFunction([&](const Tensor&) { return x.sum(); }))(constant({1, 2, 3}));
  };
  expect_values(vmap(outer)(constant({{1, 2}, {3, 4}})), {3, 3, 3, 7, 7, 7});
}

TEST(VmapGradients, JacobiansAndHessiansInside) {
  const Tensor xs = constant({{1, 2}, {3, 4}});
  const TensorFunction f = [](const Tensor& x) { return x * x * x[0]; };
  const Tensor all = vmap(TensorFunction([&](const Tensor& x) { return jacobian(f, x); }))(xs);
  const Tensor forward = vmap(TensorFunction(
      [&](const Tensor& x) { return jacobian(f, x, {.strategy = Strategy::Forward}); }))(xs);
  const TensorFunction cubes = [](const Tensor& x) { return (x * x * x[0]).sum(); };
  const Tensor curved =
      vmap(TensorFunction([&](const Tensor& x) { return hessian(cubes, x); }))(xs);
  for (int64_t k = 0; k < 2; ++k) {
    const std::vector<double> expected = values(jacobian(f, xs[k]));
    expect_values(all[k], expected);
    expect_values(forward[k], expected);
    expect_values(curved[k], values(hessian(cubes, xs[k])));
  }
}

TEST(VmapGradients, HessiansThroughACall) {
  const Tensor xs = constant({{1, 2}, {3, 4}}), w = constant({1, 2});
  const TensorFunction loss = [&](const Tensor& v) {
    return vmap(TensorFunction([&](const Tensor& x) { return (x * v).sum().tanh(); }))(xs).sum();
  };
  const TensorFunction loop = [&](const Tensor& v) {
    return (xs[0] * v).sum().tanh() + (xs[1] * v).sum().tanh();
  };
  expect_values(hessian(loss, w), values(hessian(loop, w)), 1e-15);
  expect_values(hvp(loss, w, w).product, values(hvp(loop, w, w).product), 1e-15);
  expect_values(vhp(loss, w, w).product, values(vhp(loop, w, w).product), 1e-15);
}

TEST(VmapGradients, VectorizedJacobiansAreTheOrdinaryOnes) {
  const Tensor x = constant({{1, 2}, {3, 4}}), y = constant({5, 6});
  const ListFunction f = [](const variable_list& v) {
    return variable_list{mm(v[0], v[0]).tanh() * v[1], v[1].sum(), v[0].select(0, 1) * 2};
  };
  for (const Strategy strategy : {Strategy::Reverse, Strategy::Forward}) {
    const auto expected = jacobian(f, {x, y}, {.strategy = strategy});
    const auto got = jacobian(f, {x, y}, {.strategy = strategy, .vectorize = true});
    for (std::size_t o = 0; o < 3; ++o)
      for (std::size_t i = 0; i < 2; ++i) {
        EXPECT_EQ(got[o][i].sizes(), expected[o][i].sizes());
        expect_values(got[o][i], values(expected[o][i]), 1e-15);
      }
  }
  const TensorFunction cubes = [](const Tensor& v) { return (v * v * v).sum(); };
  expect_values(hessian(cubes, y, {.vectorize = true}), {30, 0, 0, 36});
}

TEST(VmapGradients, UserFunctionsAndCheckpointsRunOnBatches) {
  struct Cube : autograd::Function<Cube> {
    static variable_list forward(autograd::AutogradContext* ctx, const Tensor& x) {
      ctx->save_for_backward({x});
      return {x * x * x};
    }
    static variable_list backward(autograd::AutogradContext* ctx, variable_list gradients) {
      const Tensor x = ctx->get_saved_variables()[0];
      return {gradients[0] * x * x * 3};
    }
  };
  const Tensor xs = leaf({1, 2, 3});
  const Tensor y = vmap(TensorFunction([](const Tensor& x) { return Cube::apply(x)[0]; }))(xs);
  expect_values(y, {1, 8, 27});
  expect_values(grad({y.sum()}, {xs})[0], {3, 12, 27});
}

// ---- Other modes ----

TEST(VmapGradients, WorksUnderNoGradInferenceAndCopyOnWrite) {
  const Tensor x = leaf({1, 2});
  {
    const NoGradGuard no_grad;
    EXPECT_FALSE(vmap(TensorFunction(squared_norm))(x).requires_grad());
  }
  {
    const InferenceMode inference;
    expect_values(vmap(TensorFunction(squared_norm))(x), {1, 4});
  }
  const AliasPolicyGuard policy(AliasPolicy::CowSave);
  const Tensor y = vmap(TensorFunction([](const Tensor& one) {
    Tensor copy = one * 1;
    const Tensor squared = copy * copy;
    copy.fill_(9);
    return squared;
  }))(x);
  expect_values(grad({y.sum()}, {x})[0], {2, 4});
}

TEST(VmapGradients, ASavedValueThatIsOverwrittenInsideIsReported) {
  const Tensor x = leaf({1, 2});
  const Tensor y = vmap(TensorFunction([](const Tensor& one) {
    Tensor copy = one * 1;
    const Tensor squared = copy * copy;
    copy.fill_(9);
    return squared;
  }))(x);
  EXPECT_THROW(y.sum().backward(), SavedTensorModified);
}

TEST(VmapGradients, NothingLeaks) {
  const NothingLeaks guard;
  const Tensor xs = leaf({{1, 2}, {3, 4}}), w = leaf({5, 6});
  const Tensor y = vmap(TensorFunction([&](const Tensor& x) {
    return grad({(x * w).tanh().sum()}, {w}, {}, {}, true)[0].sum();
  }))(xs);
  y.sum().backward();
}

}  // namespace
}  // namespace notape::testing
