// Hooks keep their state, and may change the hooks there are while they run.
#include <thread>

#include "autograd/engine/engine_controls.h"
#include "autograd/graph/hooks.h"
#include "autograd/testing/engine_threads.h"
#include "autograd/testing/expect.h"
#include "ops/ops.h"

namespace notape::testing {
namespace {

/// Counts its calls in itself, and tells.
auto counter(std::vector<int>& seen) {
  return [&seen, calls = 0]() mutable { seen.push_back(++calls); };
}

struct HookKind {
  const char* name;
  /// Makes a graph with the hook, and returns what runs it once.
  std::function<std::function<void()>(std::function<void()> hook)> make;
};

std::function<void()> repeated(const Tensor& y) {
  return [y] { y.sum().backward({}, true); };
}

std::vector<HookKind> hook_kinds() {
  return {
      {"tensor hook",
       [](auto hook) {
         const Tensor y = leaf({1, 2}) * 1;
         y.register_hook([hook](const Tensor&) mutable { hook(); });
         return repeated(y);
       }},
      {"tensor hook that replaces",
       [](auto hook) {
         const Tensor y = leaf({1, 2}) * 1;
         y.register_hook([hook](const Tensor& g) mutable { return hook(), g * 2; });
         return repeated(y);
       }},
      {"leaf's tensor hook",
       [](auto hook) {
         const Tensor x = leaf({1, 2});
         x.register_hook([hook](const Tensor&) mutable { hook(); });
         return repeated(x * 1);
       }},
      {"pre-hook",
       [](auto hook) {
         const Tensor y = leaf({1, 2}) * 1;
         y.grad_fn()->add_pre_hook(
             [hook](const variable_list& all) mutable { return hook(), all; });
         return repeated(y);
       }},
      {"post-hook",
       [](auto hook) {
         const Tensor y = leaf({1, 2}) * 1;
         y.grad_fn()->add_post_hook([hook](const variable_list& all, const variable_list&) mutable {
           return hook(), all;
         });
         return repeated(y);
       }},
      {"post-accumulate hook",
       [](auto hook) {
         const Tensor x = leaf({1, 2});
         x.register_post_accumulate_grad_hook([hook](const Tensor&) mutable { hook(); });
         return [x] { x.sum().backward(); };
       }},
      {"multi-gradient hook",
       [](auto hook) {
         const Tensor x = leaf({1, 2}), w = leaf({1, 2});
         autograd::register_multi_grad_hook({x, w},
                                            [hook](const variable_list&) mutable { hook(); });
         return repeated(x * w);
       }},
      {"any-gradient hook",
       [](auto hook) {
         const Tensor x = leaf({1, 2}), w = leaf({1, 2});
         autograd::register_any_grad_hook({x, w}, [hook](const Tensor&) mutable { hook(); });
         return repeated(x * w);
       }},
      {"pack hook",
       [](auto hook) {
         auto guard = std::make_shared<SavedTensorHooksGuard>(
             [hook](const Tensor& t) mutable { return hook(), std::any(t); },
             [](const std::any& packed) { return std::any_cast<Tensor>(packed); });
         return [guard] { leaf({1, 2}).exp(); };
       }},
      {"unpack hook of several values",
       [](auto hook) {
         std::vector<Tensor> made;
         {
           const SavedTensorHooksGuard guard([](const Tensor& t) { return std::any(t); },
                                             [hook](const std::any& packed) mutable {
                                               return hook(), std::any_cast<Tensor>(packed);
                                             });
           for (int i = 0; i < 3; ++i) made.push_back(leaf({1, 2}).exp());
         }
         return [made, next = std::size_t{0}]() mutable { made[next++].sum().backward(); };
       }},
  };
}

TEST(HookState, IsKeptFromCallToCallByAllKinds) {
  for (const auto& [name, make] : hook_kinds()) {
    SCOPED_TRACE(name);
    std::vector<int> seen;
    const std::function<void()> run = make(counter(seen));
    for (int i = 0; i < 3; ++i) run();
    EXPECT_THAT(seen, ElementsAre(1, 2, 3));
  }
}

TEST(HookState, LetsAHookActOnce) {
  const Tensor x = leaf({1, 2});
  int inner = 0;
  Tensor y = x * 2;
  y.register_hook([&, done = false](const Tensor&) mutable {
    if (std::exchange(done, true)) return;
    ++inner;
    const EnableGradGuard recording;
    y.sum().backward({}, true);  // comes to this hook again
  });
  y.sum().backward({}, true);
  EXPECT_EQ(inner, 1);
  expect_values(x.grad(), {4, 4});
}

TEST(HookState, OfARemovedHookIsDestroyed) {
  const NothingLeaks guard;
  const Tensor x = leaf({1, 2});
  const auto held = std::make_shared<int>(0);
  const uint32_t index = x.register_hook([held](const Tensor&) {});
  const uint32_t other = x.register_post_accumulate_grad_hook([held](const Tensor&) {});
  EXPECT_EQ(held.use_count(), 3);
  x.remove_hook(index);
  x.remove_post_accumulate_grad_hook(other);
  EXPECT_EQ(held.use_count(), 1);
}

class ChangingHooks : public ::testing::TestWithParam<int> {
 protected:
  const EngineThreads threads_{GetParam()};
};

TEST_P(ChangingHooks, AHookMayRemoveItselfAndOthersAndAddMore) {
  const NothingLeaks guard;
  const Tensor x = leaf({1, 2});
  const Tensor y = x * 1;
  std::vector<std::string> calls;
  uint32_t own = 0, later = 0;
  const auto held = std::make_shared<std::string>("alive");
  own = y.register_hook([&, held](const Tensor&) {
    y.remove_hook(own);
    y.remove_hook(later);
    for (int i = 0; i < 100; ++i)  // the list moves to other memory
      y.register_hook([&](const Tensor&) { calls.push_back("added"); });
    calls.push_back(*held);  // what it is made of is still there
  });
  later = y.register_hook([&](const Tensor&) { calls.push_back("removed before it came"); });
  y.register_hook([&](const Tensor&) { calls.push_back("stays"); });
  (y.exp() + y.sin() + y.cos() + y.tanh()).sum().backward({}, true);
  EXPECT_THAT(calls, ElementsAre("alive", "stays")) << "added hooks wait for the next run";
  EXPECT_EQ(held.use_count(), 1);
  calls.clear();
  y.sum().backward();
  EXPECT_EQ(calls.size(), 101u);
}

TEST_P(ChangingHooks, NodeAndLeafHooksMayAddMoreAndRemoveThemselves) {
  const NothingLeaks guard;
  const Tensor x = leaf({1, 2});
  const Tensor y = x * 1;
  int pre = 0, post = 0, accumulated = 0;
  Node* node = y.grad_fn().get();
  node->add_pre_hook([&, node](const variable_list& g) {
    ++pre;
    for (int i = 0; i < 100; ++i) node->add_pre_hook([&](const variable_list& h) { return h; });
    return g;
  });
  node->add_post_hook([&, node](const variable_list& g, const variable_list&) {
    ++post;
    for (int i = 0; i < 100; ++i)
      node->add_post_hook([&](const variable_list& h, const variable_list&) { return h; });
    return g;
  });
  uint32_t own = 0;
  own = x.register_post_accumulate_grad_hook([&](const Tensor& leaf) {
    ++accumulated;
    leaf.remove_post_accumulate_grad_hook(own);
    for (int i = 0; i < 100; ++i)
      leaf.register_post_accumulate_grad_hook([&](const Tensor&) { ++accumulated; });
  });
  (y.exp() + y.sin()).sum().backward({}, true);
  EXPECT_EQ(pre, 1);
  EXPECT_EQ(post, 1);
  EXPECT_EQ(accumulated, 1);
  x.sum().backward();
  EXPECT_EQ(accumulated, 101);
}

TEST_P(ChangingHooks, AMultiGradientHookMayRemoveItself) {
  const Tensor x = leaf({1, 2}), w = leaf({3, 4});
  int calls = 0;
  std::optional<autograd::MultiGradHookHandle> handle;
  handle = autograd::register_multi_grad_hook({x, w}, [&](const variable_list&) {
    ++calls;
    handle->remove();
  });
  const Tensor y = (x * w).sum();
  y.backward({}, true);
  y.backward();
  EXPECT_EQ(calls, 1);
}

INSTANTIATE_TEST_SUITE_P(WithThreads, ChangingHooks, ::testing::Values(1, 4));

TEST(HookState, HooksMayBeAddedAndRemovedByOtherThreadsDuringRuns) {
  const Tensor x = leaf({1, 2});
  const Tensor y = x * 1, z = y.sum();
  std::jthread other([&] {
    for (int i = 0; i < 500; ++i) {
      const uint32_t index = y.register_hook([](const Tensor& g) { return g * 1; });
      const uint32_t at_leaf = x.register_post_accumulate_grad_hook([](const Tensor&) {});
      y.remove_hook(index);
      x.remove_post_accumulate_grad_hook(at_leaf);
    }
  });
  for (int i = 0; i < 200; ++i) z.backward({}, true);
  other.join();
  expect_values(x.grad(), {200, 200});
}

}  // namespace
}  // namespace notape::testing
