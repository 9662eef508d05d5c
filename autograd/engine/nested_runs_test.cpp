// Backward runs inside backward runs, and where they end.
#include "autograd/engine/engine_controls.h"
#include "autograd/function.h"
#include "autograd/testing/expect.h"
#include "ops/ops.h"

namespace notape::testing {
namespace {

using autograd::AutogradContext;

TEST(NestedRuns, OfAHookThatCallsBackwardOnItsOwnGraphEndWithAnErrorThatSaysSo) {
  const NothingLeaks guard;
  const Tensor x = leaf({1, 2});
  const Tensor y = x * 2, z = y.sum();
  int64_t calls = 0;
  const uint32_t index = y.register_hook([&](const Tensor&) {
    ++calls;
    z.backward({}, true);
  });
  expect_error<BackwardTooDeep>("5000 backward runs are under way inside one another",
                                [&] { z.backward({}, true); });
  EXPECT_EQ(calls, Engine::kMostNestedRuns);
  EXPECT_FALSE(x.grad().defined());
  EXPECT_TRUE(GradMode::is_enabled());
  y.remove_hook(index);
  z.backward();  // the graph and the engine are as they were
  expect_values(x.grad(), {2, 2});
}

/// A user function whose backward differentiates its own output.
struct Ouroboros : autograd::Function<Ouroboros> {
  static Tensor forward(AutogradContext*, const Tensor& x) { return x * 1; }
  static variable_list backward(AutogradContext*, variable_list) {
    const EnableGradGuard recording;
    const Tensor x = leaf({1});
    return autograd::grad({Ouroboros::apply(x)}, {x}, {constant({1})});
  }
};

TEST(NestedRuns, OfAFunctionThatDifferentiatesItselfEndWithItsName) {
  const Tensor x = leaf({1});
  try {
    Ouroboros::apply(x).backward(constant({1}));
    FAIL() << "nothing was thrown";
  } catch (const BackwardTooDeep& error) {
    EXPECT_THAT(error.what(), HasSubstr("grad: "));
    EXPECT_THAT(error.what(), HasSubstr(" inside Ouroboros"));
    EXPECT_THAT(error.what(), HasSubstr("Ouroboros"));
    if (kProvenance) {
      EXPECT_THAT(error.what(), HasSubstr("nested_runs_test.cpp:"));
    }
  }
  EXPECT_FALSE(x.grad().defined());
}

}  // namespace
}  // namespace notape::testing
