// Deterministic mode, with operators that cannot be.
#include "autograd/modes/deterministic.h"

#include <thread>

#include "autograd/testing/engine_threads.h"
#include "autograd/testing/expect.h"
#include "autograd/testing/sim_device.h"
#include "ops/core/kernel_slot.h"
#include "ops/ops.h"

namespace notape::testing {
namespace {

/// The derivative of a gather whose sums would depend on scheduling.
struct ScatterInAnyOrder : autograd::Function<ScatterInAnyOrder> {
  static Tensor forward(autograd::AutogradContext*, const Tensor& x) { return x * 1; }
  static variable_list backward(autograd::AutogradContext*, variable_list g) {
    const Operation op("scatter_in_any_order", SourceLocation::current());
    refuse_if_deterministic(op, g[0].device());
    return g;
  }
};

TEST(Deterministic, NamesTheOperatorThatCannotBe) {
  const Tensor x = leaf({1, 2});
  const Tensor y = ScatterInAnyOrder::apply(x).sum();
  y.backward({}, true);
  const Unchanged before({x});
  for (const int threads : {1, 4}) {
    const EngineThreads scope(threads);
    const DeterministicGuard guard;
    expect_error<NotDeterministic>(
        "scatter_in_any_order: does not have a deterministic implementation on cpu",
        [&] { y.backward({}, true); });
  }
  before.check();
  y.backward();
  expect_values(x.grad(), {2, 2});
}

void sum_atomically(const Operation& op, const Tensor& result) {
  refuse_if_deterministic(op, result.device());
}

TEST(Deterministic, HoldsForTheKernelsOfOneDevice) {
  const SimDevice device;
  Kernel<void(const Operation&, const Tensor&)> kernel(
      [](const Operation&, const Tensor&) { /* always the same bits */ });
  kernel.implement(kSIM, sum_atomically);
  const Tensor here = zeros({2}), there = here.to(Device(kSIM));
  const Operation op("sum", SourceLocation::current());
  kernel(op, kFloat32, there.device(), there);
  const DeterministicGuard guard;
  kernel(op, kFloat32, here.device(), here);
  expect_error<NotDeterministic>("sum: does not have a deterministic implementation on sim:0",
                                 [&] { kernel(op, kFloat32, there.device(), there); });
}

TEST(Deterministic, LeavesTheOperatorsOfTheCpuAlone) {
  const DeterministicGuard guard;
  const Tensor x = linspace(-1, 1, 6, kFloat64).requires_grad_();
  const Tensor rows = x.view({3, 2}).index_select(0, tensor({0, 0, 2}));
  (rows.mm(rows.t()).softmax(1).sum() + x.cumsum(0).tanh().sum()).backward();
  EXPECT_TRUE(x.grad().defined());
}

TEST(Deterministic, IsASwitchOfTheThread) {
  EXPECT_FALSE(is_deterministic());
  set_deterministic(true);
  EXPECT_TRUE(is_deterministic());
  std::thread([] { EXPECT_FALSE(is_deterministic()); }).join();
  {
    const DeterministicGuard off(false);
    EXPECT_FALSE(is_deterministic());
  }
  EXPECT_TRUE(is_deterministic());
  set_deterministic(false);
  EXPECT_FALSE(is_deterministic());
}

}  // namespace
}  // namespace notape::testing
