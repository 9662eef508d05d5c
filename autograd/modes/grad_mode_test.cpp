#include "autograd/modes/grad_mode.h"

#include "autograd/testing/expect.h"
#include "ops/ops.h"

namespace notape::testing {
namespace {

TEST(GradMode, GuardsNestAndRestoreAlsoByException) {
  EXPECT_TRUE(GradMode::is_enabled());
  try {
    const NoGradGuard off;
    EXPECT_FALSE(GradMode::is_enabled());
    {
      const EnableGradGuard on;
      EXPECT_TRUE(GradMode::is_enabled());
      const AutoGradMode again(false);
      EXPECT_FALSE(GradMode::is_enabled());
    }
    EXPECT_FALSE(GradMode::is_enabled());
    throw 1;
  } catch (int) {
  }
  EXPECT_TRUE(GradMode::is_enabled());
  GradMode::set_enabled(false);
  EXPECT_FALSE((leaf({1.0}) * 2).requires_grad());
  GradMode::set_enabled(true);
}

TEST(GradMode, OffNothingIsRecordedAndWritesStillCount) {
  Tensor x = leaf({1, 2});
  const Tensor y = x * 2;
  const NoGradGuard off;
  const int64_t nodes = counters().nodes_created;
  EXPECT_FALSE((y * 2).requires_grad());
  x.add_(1);
  EXPECT_EQ(counters().nodes_created, nodes);
  EXPECT_EQ(x._version(), 1u);
  EXPECT_TRUE(y.requires_grad()) << "what is recorded stays so";
}

}  // namespace
}  // namespace notape::testing
