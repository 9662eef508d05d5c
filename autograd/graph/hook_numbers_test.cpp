// Hooks that are added and removed again and again: what is kept is what there is, and a number
// stands for one hook for ever.
#include "autograd/autograd.h"
#include "autograd/engine/multi_grad_hook.h"
#include "autograd/graph/hooks.h"
#include "autograd/testing/expect.h"
#include "ops/ops.h"

namespace notape::testing {
namespace {

const NodeHooks& hooks_of(const Tensor& leaf) {
  return *(leaf * 1).grad_fn()->next_edge(0).function->hooks();
}

TEST(HookNumbers, ALoopOfAddingAndRemovingKeepsNothing) {
  const Tensor x = leaf({1, 2});
  const uint32_t first = x.register_hook([](const Tensor&) {});
  const uint32_t second = x.register_post_accumulate_grad_hook([](const Tensor&) {});
  for (int i = 0; i < 1000; ++i) {
    x.remove_hook(x.register_hook([](const Tensor&) {}));
    x.remove_post_accumulate_grad_hook(x.register_post_accumulate_grad_hook([](const Tensor&) {}));
    autograd::register_multi_grad_hook({x, x}, [](const variable_list&) {}).remove();
  }
  // What the last of the handles has removed goes when another hook comes.
  EXPECT_EQ(hooks_of(x).tensor_hooks.entries().size(), 3u);
  EXPECT_EQ(hooks_of(x).post_accumulate.entries().size(), 1u);
  x.remove_hook(x.register_hook([](const Tensor&) {}));
  EXPECT_EQ(hooks_of(x).tensor_hooks.entries().size(), 1u);
  x.remove_hook(first);
  x.remove_post_accumulate_grad_hook(second);
  EXPECT_EQ(hooks_of(x).tensor_hooks.entries().size(), 0u);
  EXPECT_EQ(hooks_of(x).post_accumulate.entries().size(), 0u);
}

TEST(HookNumbers, RemovingAHookAgainLeavesThoseThatCameLater) {
  const Tensor x = leaf({1, 2});
  int calls = 0;
  const uint32_t gone = x.register_hook([](const Tensor&) {});
  const uint32_t gone_too = x.register_post_accumulate_grad_hook([](const Tensor&) {});
  x.remove_hook(gone);
  x.remove_post_accumulate_grad_hook(gone_too);
  x.register_hook([&](const Tensor&) { ++calls; });
  x.register_post_accumulate_grad_hook([&](const Tensor&) { ++calls; });
  x.remove_hook(gone);
  x.remove_post_accumulate_grad_hook(gone_too);
  x.sum().backward();
  EXPECT_EQ(calls, 2);
}

TEST(HookNumbers, HooksRunInOrderOfRegistrationWhateverWasRemoved) {
  const Tensor x = leaf({1, 2});
  std::vector<int> order;
  std::vector<uint32_t> numbers;
  for (int i = 0; i < 6; ++i)
    numbers.push_back(x.register_hook([&order, i](const Tensor&) { order.push_back(i); }));
  for (int i : {0, 3, 5}) x.remove_hook(numbers[static_cast<std::size_t>(i)]);
  for (int i = 6; i < 9; ++i) x.register_hook([&order, i](const Tensor&) { order.push_back(i); });
  x.sum().backward();
  EXPECT_THAT(order, ::testing::ElementsAre(1, 2, 4, 6, 7, 8));
}

TEST(HookNumbers, AHookMayRemoveAndAddOthersOfItsNodeWithoutMovingThem) {
  const Tensor x = leaf({1, 2});
  std::vector<std::string> calls;
  uint32_t before = 0, after = 0;
  before = x.register_hook([&](const Tensor&) { calls.push_back("before"); });
  x.register_hook([&](const Tensor&) {
    calls.push_back("changes");
    x.remove_hook(before);
    x.remove_hook(after);
    x.register_hook([&](const Tensor&) { calls.push_back("new"); });
  });
  after = x.register_hook([&](const Tensor&) { calls.push_back("after"); });
  x.register_hook([&](const Tensor&) { calls.push_back("last"); });
  x.sum().backward();
  EXPECT_THAT(calls, ::testing::ElementsAre("before", "changes", "last"));
}

TEST(HookNumbers, StayThoseOfALeafThatIsGivenOtherData) {
  Tensor x = leaf({1, 2});
  int calls = 0;
  const uint32_t gone = x.register_hook([&](const Tensor&) { calls += 100; });
  x.register_hook([&](const Tensor&) { ++calls; });
  (x * 2).sum().backward();
  x.set_data(constant({1, 2, 3}));
  x.remove_hook(gone);
  x.mutable_grad() = Tensor();
  (x * 2).sum().backward();
  EXPECT_EQ(calls, 102);
  expect_error<HookError>("Invalid index, no hook at position 2", [&] { x.remove_hook(2); });
}

}  // namespace
}  // namespace notape::testing
