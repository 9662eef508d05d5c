// Graphs that would overflow the stack of a recursive implementation.
#include <pthread.h>

#include <functional>

#include "autograd/function.h"
#include "autograd/testing/expect.h"
#include "ops/ops.h"

namespace notape::testing {
namespace {

#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
constexpr int kMillion = 30000;  // the sanitizers make nodes and frames several times as large
constexpr std::size_t kStack = 1 << 20;
#else
constexpr int kMillion = 1000000;
constexpr std::size_t kStack = 256 << 10;
#endif

/// Runs `program` on a thread with a small stack.
void on_small_stack(std::function<void()> program) {
  pthread_attr_t attributes;
  pthread_attr_init(&attributes);
  ASSERT_EQ(pthread_attr_setstacksize(&attributes, kStack), 0);
  pthread_t thread;
  const auto run = [](void* argument) -> void* {
    (*static_cast<std::function<void()>*>(argument))();
    return nullptr;
  };
  ASSERT_EQ(pthread_create(&thread, &attributes, run, &program), 0);
  pthread_join(thread, nullptr);
  pthread_attr_destroy(&attributes);
}

TEST(DeepGraph, A29_AChainOfAMillionNodesIsBuiltRunAndDestroyedOn256KBOfStack) {
  on_small_stack([] {
    const NothingLeaks guard;
    const Tensor x = leaf({1.0});
    Tensor y = x;
    for (int i = 0; i < kMillion; ++i) y = y + 1;
    y.backward();
    expect_values(x.grad(), {1});
    const int64_t held = counters().live_nodes;
    y.reset();
    EXPECT_LE(counters().live_nodes, held - kMillion) << "before the next statement";
  });
}

struct AddOne : autograd::Function<AddOne> {
  static Tensor forward(autograd::AutogradContext* ctx, const Tensor& x) {
    ctx->save_for_backward({x});
    return x + 1;
  }
  static variable_list backward(autograd::AutogradContext*, variable_list g) { return g; }
};

TEST(DeepGraph, WithSkipConnectionsViewsWritesAndUserNodes) {
  on_small_stack([] {
    const NothingLeaks guard;
    const Tensor x = leaf({0.5, 0.25});
    Tensor y = x, before = x;
    for (int i = 0; i < kMillion / 20; ++i) {
      Tensor next = AddOne::apply(y) + before * 0;
      next = (next - 1).view({2, 1}).view({2});
      as_strided(next, {1}, {1}).add_(0);
      before = y;
      y = next;
    }
    y.sum().backward({}, true);
    expect_values(x.grad(), {1, 1});
    autograd::grad({y.sum()}, {x});
  });
}

TEST(DeepGraph, OfSavedValuesIsDestroyedWithoutRunning) {
  on_small_stack([] {
    const NothingLeaks guard;
    const Tensor x = leaf({1.0});
    Tensor y = x;
    for (int i = 0; i < kMillion / 4; ++i) y = y * x;
  });
}

TEST(DeepGraph, WithCreateGraph) {
  on_small_stack([] {
    const NothingLeaks guard;
    const Tensor x = leaf({0.5});
    Tensor y = x;
    for (int i = 0; i < kMillion / 20; ++i) y = y.tanh();
    const Tensor g = autograd::grad({y}, {x}, {}, {}, true)[0];
    EXPECT_TRUE(g.grad_fn());
    autograd::grad({g}, {x});
  });
}

TEST(DeepGraph, WideDiamondsAreSummedOnce) {
  const NothingLeaks guard;
  const Tensor x = leaf({1.0});
  const Tensor h = x * 2;
  Tensor sum = h;
  for (int i = 0; i < 20000; ++i) sum = sum + h * 1;
  sum.backward();
  expect_values(x.grad(), {2.0 * 20001});
}

TEST(DeepGraph, DiamondsInARowDoNotMultiplyTheWork) {
  const Tensor x = leaf({1.0});
  Tensor y = x;
  for (int i = 0; i < 60; ++i) y = y * 0.5 + y * 0.5;  // 2^60 paths
  y.backward();
  expect_values(x.grad(), {1});
}

TEST(DeepGraph, ManyRoots) {
  const Tensor x = leaf({1.0});
  variable_list roots;
  for (int i = 0; i < 10000; ++i) roots.push_back(x * 2);
  autograd::backward(roots);
  expect_values(x.grad(), {20000});
}

}  // namespace
}  // namespace notape::testing
