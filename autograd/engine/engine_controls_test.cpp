// What user code may do inside a backward run: nest runs, queue callbacks, stage leaf updates.
#include "autograd/engine/engine_controls.h"

#include <sys/wait.h>
#include <unistd.h>

#include "autograd/engine/multi_grad_hook.h"
#include "autograd/function.h"
#include "autograd/testing/expect.h"
#include "ops/ops.h"

namespace notape::testing {
namespace {

using autograd::AutogradContext;
using autograd::grad;

/// x -> x, whose backward starts another one, `depth` deep.
struct NestedRuns : autograd::Function<NestedRuns> {
  static Tensor forward(AutogradContext* ctx, const Tensor& x, int depth) {
    ctx->saved_data["depth"] = depth;
    return x * 1;
  }
  static variable_list backward(AutogradContext* ctx, variable_list g) {
    const int depth = std::any_cast<int>(ctx->saved_data["depth"]);
    if (depth == 0) return {g[0], Tensor()};
    EXPECT_FALSE(GradMode::is_enabled());
    const EnableGradGuard recording;
    const Tensor x = g[0].detach().requires_grad_();
    return {grad({NestedRuns::apply(x, depth - 1)}, {x}, {ones({1}, kFloat64)})[0] * g[0],
            Tensor()};
  }
};

TEST(Reentrant, ThousandsOfNestedRunsWork) {
  const NothingLeaks guard;
  const Tensor x = leaf({3});
  NestedRuns::apply(x, 3000).backward(constant({2}));
  expect_values(x.grad(), {2});
  EXPECT_TRUE(GradMode::is_enabled());
}

struct DeepFailure {
  int depth;
};

struct FailsDeep : autograd::Function<FailsDeep> {
  static Tensor forward(AutogradContext* ctx, const Tensor& x, int depth) {
    ctx->saved_data["depth"] = depth;
    return x * 1;
  }
  static variable_list backward(AutogradContext* ctx, variable_list g) {
    const int depth = std::any_cast<int>(ctx->saved_data["depth"]);
    if (depth == 0) throw DeepFailure{200};
    const EnableGradGuard recording;
    const Tensor x = g[0].detach().requires_grad_();
    FailsDeep::apply(x, depth - 1).backward(constant({1}));
    return {g[0], Tensor()};
  }
};

TEST(Reentrant, AChildsExceptionArrivesUnchangedThroughAllStacks) {
  const Tensor x = leaf({3});
  const Tensor y = FailsDeep::apply(x, 200);
  EXPECT_THROW(y.backward(constant({1}), true), DeepFailure);
  EXPECT_FALSE(x.grad().defined());
  EXPECT_TRUE(GradMode::is_enabled());
}

TEST(Reentrant, AnInnerRunFinishesBeforeTheOuterGoesOn) {
  const Tensor x = leaf({1}), other = leaf({5});
  std::vector<std::string> order;
  Tensor y = x * 2;
  y.register_hook([&](const Tensor&) {
    const EnableGradGuard recording;
    (other * 3).backward(constant({1}));
    order.push_back("inner");
  });
  x.register_hook([&](const Tensor&) { order.push_back("outer"); });
  (y * 3).backward(constant({1}));
  EXPECT_EQ(order, (std::vector<std::string>{"inner", "outer"}));
  expect_values(other.grad(), {3});
}

TEST(FinalCallback, RunsOnceAtTheEndOfTheRunItWasQueuedIn) {
  const Tensor x = leaf({1});
  std::vector<std::string> order;
  const Tensor y = x * 2;
  y.register_hook([&](const Tensor&) {
    Engine::queue_callback([&] {
      order.push_back("first");
      EXPECT_TRUE(x.grad().defined());
      Engine::queue_callback([&] { order.push_back("queued by the first"); });
    });
  });
  x.register_hook([&](const Tensor&) { order.push_back("leaf"); });
  y.backward(constant({1}));
  EXPECT_EQ(order, (std::vector<std::string>{"leaf", "first", "queued by the first"}));
  x.mutable_grad().reset();
  expect_error<CallbackOutsideBackward>(
      "Final callbacks can only be installed during backward pass.",
      [] { Engine::queue_callback([] {}); });
}

struct Throws : autograd::Function<Throws> {
  static Tensor forward(AutogradContext*, const Tensor& x) { return x * 1; }
  static variable_list backward(AutogradContext*, variable_list) {
    throw std::runtime_error("no gradient");
  }
};

TEST(AtomicBackward, LeavesChangeTogetherOrNotAtAll) {
  const Tensor early = leaf({1}), late = leaf({1});
  const Tensor failing = Throws::apply(late) * 2;
  const Tensor y = failing + early;
  EXPECT_THROW(y.backward(constant({1}), true), std::runtime_error);
  EXPECT_TRUE(early.grad().defined());
  early.mutable_grad().reset();
  {
    const AtomicBackwardGuard atomic;
    EXPECT_THROW(y.backward(constant({1}), true), std::runtime_error);
    EXPECT_FALSE(early.grad().defined());
    (early * 3 + late).backward(constant({1}));
  }
  expect_values(early.grad(), {3});
  expect_values(late.grad(), {1});
}

TEST(MultiGradHook, SeesAllGradientsOnceAfterTheLast) {
  const NothingLeaks guard;
  const Tensor x = leaf({1}), y = leaf({2}), unused = leaf({3});
  int calls = 0;
  auto handle = autograd::register_multi_grad_hook({x, y, unused}, [&](const variable_list& g) {
    ++calls;
    expect_values(g[0], {2});
    expect_values(g[1], {1});
    EXPECT_FALSE(g[2].defined());
  });
  (x * y).backward(constant({1}));
  EXPECT_EQ(calls, 1);
  handle.remove();
  (x * y).backward(constant({1}));
  EXPECT_EQ(calls, 1);
}

TEST(MultiGradHook, AnySeesTheFirstToArrive) {
  const Tensor x = leaf({1});
  const Tensor y = x * 2, z = y * 3;
  std::vector<double> seen;
  autograd::register_any_grad_hook({x, z}, [&](const Tensor& g) { seen.push_back(values(g)[0]); });
  z.backward(constant({1}), true);
  EXPECT_EQ(seen, std::vector<double>{1});
  z.backward(constant({1}));
  EXPECT_EQ(seen, (std::vector<double>{1, 1}));
  expect_error<HookError>("cannot register a hook", [] {
    autograd::register_multi_grad_hook({constant({1})}, [](const variable_list&) {});
  });
}

TEST(Fork, AfterBackwardWorksInParentAndChild) {
  const Tensor x = leaf({3});
  (x * x).backward(constant({1}));
  const pid_t child = fork();
  if (child == 0) {
    const Tensor y = leaf({4});
    NestedRuns::apply(y * y, 100).backward(constant({1}));
    _exit(values(y.grad()) == std::vector<double>{8} ? 0 : 1);
  }
  int status = 0;
  waitpid(child, &status, 0);
  EXPECT_EQ(status, 0);
  (x * x).backward(constant({1}));
  expect_values(x.grad(), {12});
}

}  // namespace
}  // namespace notape::testing
