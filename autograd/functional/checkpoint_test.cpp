// Checkpointing: same gradients, less memory, and never a silently different second run.
#include "autograd/functional/checkpoint.h"

#include <thread>

#include "autograd/forward/dual.h"
#include "autograd/functional/functional.h"
#include "autograd/functional/vmap.h"
#include "autograd/testing/expect.h"
#include "ops/ops.h"

namespace notape::testing {
namespace {

using autograd::checkpoint;
using autograd::grad;

Tensor wave(const Tensor& x) { return (x.tanh() * x.exp()).square(); }

TEST(Checkpoint, GivesTheSameGradientsAndSavesInputsOnly) {
  const NothingLeaks guard;
  const Tensor x = rand({1000}, kFloat64).requires_grad_();
  const int64_t before = counters().saved_bytes;
  const Tensor plain = wave(x).sum();
  const int64_t kept = counters().saved_bytes - before;
  plain.backward();
  const std::vector<double> expected = values(x.grad());
  x.mutable_grad().reset();
  const int64_t live = counters().live_bytes;
  Tensor y = checkpoint(wave, x).sum();
  EXPECT_EQ(counters().saved_bytes, before);
  EXPECT_LT(counters().live_bytes - live, 3 * 8000);
  EXPECT_GT(kept, 4 * 8000 - 1);
  y.backward();
  EXPECT_EQ(values(x.grad()), expected);
}

TEST(Checkpoint, RunsTheFunctionTwiceAndStopsEarly) {
  const Tensor x = leaf({1, 2});
  int runs = 0, ends = 0;
  const auto counting = [&](const Tensor& t) {
    ++runs;
    Tensor y = t.square();
    const Tensor result = y.exp() + 1;
    ++ends;
    return result;
  };
  checkpoint(counting, x).sum().backward();
  EXPECT_EQ(runs, 2);
  EXPECT_EQ(ends, 1);
  checkpoint(counting, x, {.early_stop = false}).sum().backward();
  EXPECT_EQ(runs, 4);
  EXPECT_EQ(ends, 3);
}

TEST(Checkpoint, ClosesOverParametersAndNests) {
  const Tensor x = leaf({1, 2}), w = leaf({3, 4});
  const auto inner = [&](const Tensor& t) { return (t * w).tanh(); };
  const auto outer = [&](const Tensor& t) { return checkpoint(inner, t * t) * t; };
  const std::vector<Tensor> expected = grad({((x * x * w).tanh() * x).sum()}, {x, w});
  const std::vector<Tensor> got = grad({checkpoint(outer, x).sum()}, {x, w});
  for (int i = 0; i < 2; ++i) expect_values(got[i], values(expected[i]), 1e-15);
}

TEST(Checkpoint, WorksWithCreateGraphRetainGraphAndSeveralRuns) {
  const Tensor x = leaf({0.5, 2});
  const Tensor y = checkpoint(wave, x).sum();
  const Tensor g = grad({y}, {x}, {}, true, true)[0];
  const Tensor expected = grad({wave(x).sum()}, {x}, {}, true, true)[0];
  expect_values(g, values(expected), 1e-14);
  expect_values(grad({g.sum()}, {x})[0], values(grad({expected.sum()}, {x})[0]), 1e-12);
}

TEST(Checkpoint, AThreadThatDrawsMeanwhileIsAnError) {
  const Tensor x = ones({8}, dtype(kFloat64).requires_grad(true));
  for (const bool draws : {false, true}) {
    const auto f = [draws](const Tensor& t) {
      std::thread([] { default_generator().next32(); }).join();
      return (draws ? rand({8}, kFloat64) * t : t) * t;
    };
    const Tensor y = checkpoint(f, x);
    if (draws)
      expect_error<CheckpointMismatch>("another thread drew random numbers from the same generator",
                                       [&] { y.sum().backward(); });
    else
      y.sum().backward();
  }
  const GeneratorScope scope(Generator(3));  // as the error advises
  const auto f = [](const Tensor& t) {
    std::thread([] { default_generator().next32(); }).join();
    return rand({8}, kFloat64) * t * t;
  };
  x.mutable_grad() = {};
  const Tensor y = checkpoint(f, x);
  y.sum().backward();
  expect_values(x.grad(), values(y * 2));
}

TEST(Checkpoint, RandomNumbersAreTheSameInBothRunsAndGoOnUndisturbed) {
  const Tensor x = ones({64}, kFloat64).requires_grad_();
  const auto noisy = [](const Tensor& t) { return (t * rand({64}, kFloat64)).square(); };
  manual_seed(3);
  noisy(x).sum().backward();
  const std::vector<double> expected = values(x.grad());
  const double next = default_generator().uniform();
  x.mutable_grad().reset();
  manual_seed(3);
  const Tensor y = checkpoint(noisy, x).sum();
  y.backward();
  EXPECT_EQ(values(x.grad()), expected);
  EXPECT_EQ(default_generator().uniform(), next);
}

TEST(Checkpoint, ADifferentSecondRunIsAnError) {
  const Tensor x = leaf({1, 2});
  int run = 0;
  const auto fewer = [&](const Tensor& t) { return run++ == 0 ? t.exp().exp() : t.exp(); };
  expect_error<CheckpointMismatch>("A different number of tensors was saved",
                                   [&] { checkpoint(fewer, x).sum().backward(); });
  run = 0;
  const auto more = [&](const Tensor& t) { return run++ == 0 ? t.exp() : t.square().exp() * t; };
  expect_error<CheckpointMismatch>("trying to save more tensors during recomputation", [&] {
    checkpoint(more, x, {.early_stop = false}).sum().backward();
  });
  run = 0;
  const auto smaller = [&](const Tensor& t) {
    return run++ == 0 ? t.exp().sum() : t.slice(0, 0, 1).exp().sum();
  };
  expect_error<CheckpointMismatch>(
      "Recomputed values for the following tensors have different metadata",
      [&] { checkpoint(smaller, x).sum().backward(); });
  EXPECT_FALSE(x.grad().defined());
}

TEST(Checkpoint, WritesToWhatItReadsInBetweenAreAnError) {
  const Tensor x = leaf({1, 2}), w = leaf({3, 4});
  const auto product = [&](const Tensor& t) { return t * w; };
  Tensor input = x * 1;
  const Tensor first = checkpoint(product, input).sum();
  input.add_(1);
  expect_error<CheckpointMismatch>("has been modified by an inplace operation since: add_",
                                   [&] { first.backward(); });
  const Tensor second = checkpoint(product, x).sum();
  {
    const NoGradGuard no_grad;
    Tensor(w).mul_(2);
  }
  expect_error<CheckpointMismatch>("modified by an inplace operation since: mul_",
                                   [&] { second.backward(); });
}

TEST(Checkpoint, ValuesAreComparedOnRequest) {
  const Tensor x = leaf({1, 2});
  double factor = 1;
  const auto drifting = [&](const Tensor& t) { return (t * (factor *= 2)).exp(); };
  checkpoint(drifting, x).sum().backward();
  expect_error<CheckpointMismatch>("have different values", [&] {
    checkpoint(drifting, x, {.compare_values = true}).sum().backward();
  });
}

TEST(Checkpoint, InNoGradModeItIsJustTheFunction) {
  const NoGradGuard no_grad;
  expect_values(checkpoint(wave, leaf({0})), {0});
}

TEST(Checkpoint, ForwardOverReverseIsWhatItIsWithoutCheckpoint) {
  const NothingLeaks guard;
  namespace functional = autograd::functional;
  using Run = std::function<Tensor(const Tensor&)>;
  const Tensor w = constant({2, -1, 0.25});
  const std::vector<std::pair<const char*, Run>> functions{
      {"cube", [](const Tensor& t) { return t * t * t; }},
      {"wave", wave},
      {"a factor from outside", [&](const Tensor& t) { return (t * w).exp() * t; }},
      {"a write in place",
       [](const Tensor& t) {
         Tensor y = t * 1;
         y.slice(0, 0, 2).mul_(t.slice(0, 1, 3));
         return y * y;
       }},
      {"nested", [](const Tensor& t) { return checkpoint(wave, t.square()) * t; }}};
  const std::vector<autograd::CheckpointOptions> ways{
      {}, {.early_stop = false}, {.compare_values = true}};
  const Tensor x = constant({0.5, -1.25, 2}), v = constant({1, -2, 0.5});
  for (const auto& [name, f] : functions)
    for (const auto& options : ways) {
      SCOPED_TRACE(name);
      const auto plain = [&f = f](const Tensor& t) { return f(t).sum(); };
      const auto again = [&, &f = f](const Tensor& t) { return checkpoint(f, t, options).sum(); };
      const std::vector<double> expected = values(functional::hvp(plain, x, v).product);
      expect_values(functional::hvp(again, x, v).product, expected, 1e-13);
      expect_values(functional::vhp(again, x, v).product, expected, 1e-13);
      const std::vector<double> all = values(functional::hessian(plain, x));
      for (const auto strategy : {functional::Strategy::Reverse, functional::Strategy::Forward})
        for (const bool vectorize : {false, true})
          expect_values(
              functional::hessian(again, x, {.strategy = strategy, .vectorize = vectorize}), all,
              1e-13);
    }
}

TEST(Checkpoint, AFunctionThatTakesItsOwnTangentsIsRecomputedWithTheOnesAround) {
  namespace forward_ad = autograd::forward_ad;
  // t f'(t), by a level of its own: the second run must see tangents of both levels.
  const auto slope = [](const Tensor& t) {
    const forward_ad::DualLevelGuard own;
    return forward_ad::unpack_dual(forward_ad::make_dual(t, t.detach()).pow(4).exp()).tangent;
  };
  const Tensor x = constant({0.5, -0.75}), v = constant({1, -2});
  const auto plain = [&](const Tensor& t) { return slope(t).sum(); };
  const auto again = [&](const Tensor& t) { return checkpoint(slope, t).sum(); };
  const std::vector<double> expected = values(autograd::functional::hvp(plain, x, v).product);
  expect_values(autograd::functional::hvp(again, x, v).product, expected, 1e-12);
}

TEST(Checkpoint, InsideVmapEachSampleHasItsOwnProduct) {
  namespace functional = autograd::functional;
  const Tensor x = rand({3, 2}, kFloat64), v = rand({3, 2}, kFloat64);
  const auto cube = [](const Tensor& t) { return t * t * t; };
  const functional::ListFunction product = [&](const variable_list& one) {
    return variable_list{
        functional::hvp([&](const Tensor& t) { return checkpoint(cube, t).sum(); }, one[0], one[1])
            .product};
  };
  expect_values(functional::vmap(product)({x, v})[0], values(x * v * 6), 1e-13);
}

TEST(Checkpoint, InsideVmapValuesAreComparedForAllSamples) {
  namespace functional = autograd::functional;
  double last = 1;
  const auto drifting = [&](const Tensor& t) { return (t * constant({1, last++})).exp(); };
  const auto slope = [&](const Tensor& t) {
    const Tensor own = t.detach().requires_grad_();
    return autograd::grad({checkpoint(drifting, own, {.compare_values = true}).sum()}, {own})[0];
  };
  const auto per_sample = functional::vmap(slope);
  expect_error<CheckpointMismatch>("have different values", [&] {
    per_sample(ones({3, 2}, kFloat64));
  });
}

TEST(Checkpoint, OfTangentsWhoseLevelHasEndedSaysSo) {
  const Tensor x = leaf({2});
  Tensor y;
  {
    const autograd::forward_ad::DualLevelGuard level;
    const Tensor u = autograd::forward_ad::make_dual(x, constant({1}));
    y = checkpoint([](const Tensor& t) { return t * t * t; }, u);
  }
  expect_error<CheckpointMismatch>("forward-mode level",
                                   [&] { autograd::grad({y}, {x}, {constant({1})}); });
  expect_error<CheckpointMismatch>("which has ended since",
                                   [&] { autograd::grad({y}, {x}, {constant({1})}); });
}

TEST(Checkpoint, AValueThatTheFunctionItselfOverwritesIsNotUsedSilently) {
  const auto overwriting = [](const Tensor& t) {
    Tensor y = t * 1;
    y.exp_();
    y.mul_(t);
    return y * y;
  };
  const Tensor x = leaf({0.5});
  expect_error<SavedTensorModified>("saved as 'result' by exp_",
                                    [&] { overwriting(x).backward(constant({1})); });
  expect_error<CheckpointMismatch>(
      "a value that a checkpointed function saved for backward has been modified by an inplace "
      "operation since: mul_",
      [&] { checkpoint(overwriting, x).backward(constant({1})); });
  const AliasPolicyGuard policy(AliasPolicy::CowSave);
  checkpoint(overwriting, x).backward(constant({1}));
  expect_values(x.grad(), {2 * 0.5 * 1.5 * std::exp(1)}, 1e-13);  // (t e^t)^2
}

TEST(Checkpoint, OfAFunctionThatRunsABackwardOfItsOwn) {
  const auto slope = [](const Tensor& t) {
    const Tensor y = t.pow(3).exp();
    return grad({y.sum()}, {t}, {}, true, true)[0] * t;
  };
  const Tensor x = leaf({0.5, -0.75});
  const Tensor expected = grad({slope(x).sum()}, {x})[0];
  for (const bool early_stop : {false, true})
    expect_values(grad({checkpoint(slope, x, {.early_stop = early_stop}).sum()}, {x})[0],
                  values(expected), 1e-13);
}

struct CubeWithTangent : autograd::Function<CubeWithTangent> {
  static Tensor forward(autograd::AutogradContext* context, const Tensor& x) {
    context->save_for_backward({x});
    return x * x * x;
  }
  static variable_list backward(autograd::AutogradContext* context, variable_list gradients) {
    const Tensor x = context->get_saved_variables()[0];
    return {gradients[0] * x * x * 3};
  }
  static variable_list jvp(autograd::AutogradContext* context, variable_list tangents) {
    const Tensor x = context->get_saved_variables()[0];
    return {tangents[0] * x * x * 3};
  }
};

TEST(Checkpoint, OfAUserFunctionWhoseTangentReadsWhatItSaved) {
  namespace functional = autograd::functional;
  const Tensor x = constant({2, -1}), v = constant({1, 3});
  const auto twice = [](const Tensor& t) { return CubeWithTangent::apply(t * t) * t; };  // t^7
  for (const bool early_stop : {false, true}) {
    const autograd::CheckpointOptions options{.early_stop = early_stop};
    const auto f = [&](const Tensor& t) { return checkpoint(twice, t, options).sum(); };
    expect_values(functional::hvp(f, x, v).product, values(x.pow(5) * v * 42), 1e-12);
    const auto nested = [&](const Tensor& t) {
      return checkpoint([&](const Tensor& u) { return checkpoint(twice, u, options); }, t).sum();
    };
    expect_values(functional::hvp(nested, x, v).product, values(x.pow(5) * v * 42), 1e-12);
    // With a level around the one whose tangent jvp computes.
    const auto product = [&](const Tensor& t) { return functional::hvp(f, t, v).product; };
    expect_values(functional::jvp(product, x, v).product, values(x.pow(4) * v * v * 210), 1e-11);
  }
}

}  // namespace
}  // namespace notape::testing
