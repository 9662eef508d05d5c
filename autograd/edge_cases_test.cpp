// The edge cases of the specification (SEMANTICS, "The forty edge cases") that no test beside the
// code already has, by their number.
#include <atomic>
#include <cmath>
#include <thread>

#include "autograd/testing/engine_threads.h"
#include "autograd/testing/expect.h"
#include "autograd/testing/sim_device.h"
#include "ops/ops.h"

namespace notape::testing {
namespace {

using autograd::AutogradContext;
using autograd::Function;
using autograd::grad;

std::vector<double> gradient(const Tensor& of, const Tensor& with_respect_to) {
  return values(grad({of.sum()}, {with_respect_to}, {}, true)[0]);
}

TEST(EdgeCases, E04_IndexingDoesNotSaveItsSourceSoMaskedSelfAssignmentWorks) {
  const Tensor x = leaf({1, -2, 3, -4});
  Tensor y = x * 1;
  const Tensor mask = y.lt(0);
  y.index_put_({mask}, y.index({mask}) * 10);
  y.masked_fill_(y.gt(2), 7);
  expect_values(y, {1, -20, 7, -40});
  EXPECT_THAT(gradient(y, x), ElementsAre(1, 10, 0, 10));
}

TEST(EdgeCases, E05_EveryAliasSharesTheVersionBothWaysAndSetDataKeepsTheIdentity) {
  const Tensor x = constant({1, 2, 3});
  Tensor view = x.view({3, 1}), detached = x.detach(), data = x.data(), whole = x;
  uint64_t version = 0;
  for (Tensor* writer : {&view, &detached, &data, &whole}) {
    writer->add_(1);
    ++version;
    for (const Tensor& reader : {x, view, detached, data}) EXPECT_EQ(reader._version(), version);
  }
  const Tensor w = leaf({1, 2}), same = w;
  const Tensor y = w * 2;
  w.set_data(constant({5, 6}));
  EXPECT_TRUE(w.is_same(same));
  EXPECT_TRUE(w.requires_grad());
  EXPECT_EQ(y.grad_fn()->next_edge(0).function, (w * 2).grad_fn()->next_edge(0).function);
}

TEST(EdgeCases, E08_AStaleSiblingGetsItsHistoryFromInsideTheEngineToo) {
  const Tensor x = leaf({1, 2, 3}), other = leaf({1.0});
  Tensor y = x * 1;
  const Tensor reached = y.view({3, 1}), missed = y.narrow(0, 2, 1);
  const NodeRef before = missed.grad_fn();
  y.narrow(0, 0, 2).mul_(5);
  bool looked = false;
  const Tensor run = other * 2;
  run.register_hook([&](const Tensor&) {
    EXPECT_STREQ(reached.grad_fn()->operator_name(), "mul_");
    EXPECT_EQ(missed.grad_fn(), before) << "the write missed it";
    expect_values(grad({reached}, {x}, {ones({3, 1})}, true)[0], {5, 5, 1});
    looked = true;
  });
  run.backward();
  EXPECT_TRUE(looked);
}

TEST(EdgeCases, E10_OutputsOfSplitChunkAndUnbindMayBeWritten) {
  using Parts = std::vector<Tensor> (*)(const Tensor&);
  const Parts parts_of[] = {[](const Tensor& t) { return t.split(2); },
                            [](const Tensor& t) { return t.chunk(2); },
                            [](const Tensor& t) {
                              return t.view({2, 2}).unbind(0);
                            }};
  for (const Parts parts : parts_of) {
    const Tensor x = leaf({1, 2, 3, 4});
    Tensor y = x * 1;
    std::vector<Tensor> halves = parts(y);
    halves[1].mul_(10);
    EXPECT_THAT(gradient(y, x), ElementsAre(1, 1, 10, 10));
    EXPECT_THAT(gradient(halves[0], x), ElementsAre(1, 1, 0, 0));
    EXPECT_THAT(gradient(halves[1], x), ElementsAre(0, 0, 10, 10));
  }
}

struct OnSim : Function<OnSim> {  // whose gradient is on another device
  static Tensor forward(AutogradContext* ctx, const Tensor& x, bool one_element) {
    ctx->saved_data["one element"] = one_element;
    return one_element ? x.sum() : x * 1;
  }
  static variable_list backward(AutogradContext* ctx, variable_list g) {
    if (std::any_cast<bool>(ctx->saved_data["one element"])) return {Tensor(), Tensor()};
    return {g[0].to(Device(kSIM)), Tensor()};
  }
};

TEST(EdgeCases, E26_AGradientOnTheWrongDeviceFailsWithItsIndexAndUndefinedPasses) {
  const SimDevice device;
  const Tensor x = leaf({1, 2});
  const Unchanged before({x});
  expect_error<InvalidGradient>(
      "Function OnSim returned an invalid gradient at index 0 - expected device cpu but got sim:0",
      [&] { OnSim::apply(x, false).sum().backward(); });
  before.check();
  OnSim::apply(x, true).backward();
  EXPECT_FALSE(x.grad().defined());
}

TEST(EdgeCases, E29_NestedRunsRestoreTheGradModeAndHaveTheirOwnFinalCallbacks) {
  const Tensor x = leaf({1.0}), inner_leaf = leaf({2.0});
  const Tensor y = x * 2, inner = inner_leaf.square();
  std::vector<std::string> order;
  inner.register_hook([&](const Tensor&) {
    EXPECT_TRUE(GradMode::is_enabled()) << "the inner run records";
    Engine::queue_callback([&] { order.push_back("inner callback"); });
  });
  y.register_hook([&](const Tensor&) {
    Engine::queue_callback([&] { order.push_back("outer callback"); });
    EXPECT_FALSE(GradMode::is_enabled());
    EXPECT_TRUE(grad({inner}, {inner_leaf}, {}, true, true)[0].requires_grad());
    EXPECT_FALSE(GradMode::is_enabled());
    order.push_back("hook goes on");
  });
  y.backward();
  EXPECT_TRUE(GradMode::is_enabled());
  EXPECT_THAT(order, ElementsAre("inner callback", "hook goes on", "outer callback"));
}

struct RunsAChild : Function<RunsAChild> {
  static Tensor forward(AutogradContext*, const Tensor& x) { return x * 1; }
  static variable_list backward(AutogradContext*, variable_list g) {
    child.backward({}, true);
    return g;
  }
  static inline Tensor child;
};

TEST(EdgeCases, E29_AFailedParentStopsItsChildrensAccumulation) {
  for (const int threads : {1, 4}) {
    const EngineThreads scope(threads);
    const Tensor weight = leaf({5.0}), before = leaf({1.0}), after = leaf({2.0});
    Tensor fails = leaf({3.0});
    RunsAChild::child = weight.square().sum();
    // Later operations run first: the child of `after`, then the failure, then `before`.
    const Tensor early = RunsAChild::apply(before), middle = fails.tanh();
    const Tensor late = RunsAChild::apply(after);
    fails.set_data(zeros({7}, kFloat64));
    expect_error<InvalidGradient>("a gradient of size [1]",
                                  [&] { (early + middle + late).backward(); });
    expect_values(weight.grad(), {10});  // once
    EXPECT_FALSE(before.grad().defined());
    RunsAChild::child.reset();
  }
}

TEST(EdgeCases, E31_OfThreadsOnASharedSubgraphSomeSucceedAndTheOthersAreTold) {
  constexpr int kThreads = 8;
  for (int round = 0; round < 50; ++round) {
    const Tensor x = leaf({0.5, 1});
    Tensor shared = x;
    for (int i = 0; i < 20; ++i) shared = (shared * x).tanh();
    std::vector<Tensor> roots;
    for (int i = 0; i < kThreads; ++i) roots.push_back(shared.sum());
    const std::vector<double> once = values(grad({shared.sum()}, {x}, {}, true)[0]);
    std::atomic<int> succeeded{0}, told{0}, waiting{kThreads};
    std::vector<std::thread> threads;
    for (const Tensor& root : roots)
      threads.emplace_back([&] {
        --waiting;
        while (waiting > 0) std::this_thread::yield();
        try {
          root.backward();
          ++succeeded;
        } catch (const GraphFreed& error) {
          told += std::string(error.what()).find("Specify retain_graph=True") != std::string::npos;
        }
      });
    for (std::thread& thread : threads) thread.join();
    EXPECT_GE(succeeded, 1);
    EXPECT_EQ(succeeded + told, kThreads);
    expect_values(x.grad(), {succeeded * once[0], succeeded * once[1]}, 1e-12);
  }
}

TEST(EdgeCases, E32_HooksRunInTheOrderOfTheTable) {
  const Tensor x = leaf({1, 2});
  const Tensor y = x * 3;
  std::vector<std::string> order;
  const auto note = [&](const char* name) { order.push_back(name); };
  const auto tensor_hook = [&](const char* name) {
    return [&note, name](const Tensor& g) {
      note(name);
      return g * 2;
    };
  };
  const NodeRef node = y.grad_fn(), accumulator = node->next_edge(0).function;
  y.register_hook(tensor_hook("y first"));
  y.retain_grad();
  y.register_hook(tensor_hook("y second"));
  node->add_pre_hook([&](const variable_list& g) {
    note("pre");
    expect_values(y.grad(), {4, 4});  // retained after every tensor hook
    return g;
  });
  node->add_post_hook([&](const variable_list& inputs, const variable_list&) {
    note("post");
    return inputs;
  });
  x.register_hook(tensor_hook("x"));
  accumulator->add_pre_hook([&](const variable_list& g) {
    note("pre of x");
    EXPECT_FALSE(x.grad().defined());
    return g;
  });
  x.register_post_accumulate_grad_hook([&](const Tensor& leaf) {
    note("post-accumulate");
    expect_values(leaf.grad(), {24, 24});
  });
  accumulator->add_post_hook([&](const variable_list& inputs, const variable_list&) {
    note("post of x");
    return inputs;
  });
  y.sum().backward();
  EXPECT_THAT(order, ElementsAre("y first", "y second", "pre", "post", "x", "pre of x",
                                 "post-accumulate", "post of x"));
}

struct DoubleAndTriple : Function<DoubleAndTriple> {
  static variable_list forward(AutogradContext*, const Tensor& x) { return {x * 2, x * 3}; }
  static variable_list backward(AutogradContext*, variable_list g) { return {g[0] * 2 + g[1] * 3}; }
};

TEST(EdgeCases, E32_HooksOnSeveralOutputsOfANodeRunByOutputNumber) {
  const Tensor x = leaf({1, 2});
  const variable_list twins = DoubleAndTriple::apply(x);
  std::vector<int> order;
  for (const int i : {1, 0, 1})
    twins[static_cast<std::size_t>(i)].register_hook(
        [&order, i](const Tensor&) { order.push_back(i); });
  (twins[0] * twins[1]).sum().backward();
  EXPECT_THAT(order, ElementsAre(0, 1, 1));
}

TEST(EdgeCases, E35_PostAccumulateHooksRunInOrderMayChangeTheLeafAndMakeNoCycle) {
  const NothingLeaks guard;
  std::vector<int> order;
  const Tensor x = leaf({1, 2});
  x.register_post_accumulate_grad_hook([&](const Tensor& leaf) {
    order.push_back(1);
    const NoGradGuard no_grad;
    Tensor(leaf).sub_(leaf.grad());
  });
  const uint32_t removed =
      x.register_post_accumulate_grad_hook([&](const Tensor&) { order.push_back(2); });
  x.register_post_accumulate_grad_hook([&](const Tensor& leaf) {
    order.push_back(3);
    leaf.mutable_grad() = Tensor();
  });
  (x * 2).sum().backward();
  x.remove_post_accumulate_grad_hook(removed);
  (x * 2).sum().backward();
  EXPECT_THAT(order, ElementsAre(1, 2, 3, 1, 3));
  expect_values(x, {-3, -2});
  EXPECT_FALSE(x.grad().defined());
  const Tensor y = x * 1;
  y.retain_grad();
  y.register_hook([](const Tensor& g) { return g; });
}

/// Elements 1 and 2; its derivative is ten times that of the view, so that they differ.
template <bool declared>
struct Middle : Function<Middle<declared>> {
  static Tensor forward(AutogradContext* ctx, const Tensor& x) {
    const Tensor middle = x.narrow(0, 1, 2);
    if (declared) ctx->view_of(middle, x);
    return middle;
  }
  static variable_list backward(AutogradContext*, variable_list g) {
    Tensor result = zeros({4}, kFloat64);
    result.narrow(0, 1, 2).copy_(g[0] * 10);
    return {result};
  }
};

TEST(EdgeCases, E37_AViewOfAnInputMayBeWrittenOnlyIfDeclared) {
  const NothingLeaks guard;
  const Tensor x = leaf({1, 2, 3, 4});
  Tensor y = x * 1;
  Tensor undeclared = Middle<false>::apply(y), declared = Middle<true>::apply(y);
  EXPECT_THAT(gradient(declared, x), ElementsAre(0, 10, 10, 0));
  const Unchanged before({x, y, undeclared});
  expect_error<FunctionViewWrite>("This view was created inside a custom Function",
                                  [&] { undeclared.mul_(3); });
  before.check();
  undeclared = Tensor();
  declared.mul_(3);
  EXPECT_THAT(gradient(declared, x), ElementsAre(0, 3, 3, 0)) << "a plain view's, from now on";
  EXPECT_THAT(gradient(y, x), ElementsAre(1, 3, 3, 1));
}

struct Stranger : Function<Stranger> {
  static Tensor forward(AutogradContext* ctx, const Tensor& x) {
    const Tensor y = x * 1;
    ctx->view_of(y, x);
    return y;
  }
  static variable_list backward(AutogradContext*, variable_list g) { return g; }
};

TEST(EdgeCases, E37_WhatSharesNoMemoryCannotBeDeclaredAView) {
  const Tensor x = leaf({1, 2});
  const Unchanged before({x});
  expect_error<FunctionError>("declared as a view of a tensor that it does not alias",
                              [&] { Stranger::apply(x); });
  before.check();
}

struct SquareOnce : Function<SquareOnce> {
  static Tensor forward(AutogradContext* ctx, const Tensor& x) {
    ctx->mark_once_differentiable();
    ctx->save_for_backward({x});
    return x * x;
  }
  static variable_list backward(AutogradContext* ctx, variable_list g) {
    return {g[0] * ctx->get_saved_variables()[0] * 2};
  }
};

TEST(EdgeCases, E37_AFunctionMarkedOnceDifferentiableRefusesTheSecondTime) {
  const Tensor x = leaf({3.0});
  const Tensor y = SquareOnce::apply(x);
  const Tensor g = grad({y}, {x}, {}, true, true)[0];
  expect_values(g, {6});
  expect_error<DerivativeNotImplemented>(
      "trying to differentiate twice a function that was marked with once_differentiable",
      [&] { g.backward(); });
  EXPECT_FALSE(x.grad().defined());
  y.backward();
  expect_values(x.grad(), {6});
}

TEST(EdgeCases, E40_TiesShareEvenlyNanIncludedAndExpandedGradientsAreSummed) {
  const double nan = std::nan("");
  const Tensor ties = leaf({2, 5, 5, 5, 5}), nans = leaf({nan, 1, nan});
  EXPECT_THAT(gradient(ties.max(), ties), ElementsAre(0, 0.25, 0.25, 0.25, 0.25));
  EXPECT_THAT(gradient(nans.max(), nans), ElementsAre(0.5, 0, 0.5));
  const Tensor zero = leaf({0.0});
  EXPECT_THAT(gradient(zero.pow(0), zero), ElementsAre(0));
  EXPECT_THAT(gradient(zero.pow(1), zero), ElementsAre(1));
  EXPECT_THAT(gradient(zero.pow(0.5), zero), ElementsAre(HUGE_VAL));
  const Tensor row = leaf({{1, 2}});
  EXPECT_THAT(gradient(row.expand({3, 2}) * constant({{1, 2}, {3, 4}, {5, 6}}), row),
              ElementsAre(9, 12));
  const Tensor x = leaf({1, 2});
  EXPECT_THAT(gradient(x.index({tensor({0, 0, 1, 0})}), x), ElementsAre(3, 1));
}

}  // namespace
}  // namespace notape::testing
