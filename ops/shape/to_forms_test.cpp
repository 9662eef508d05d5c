#include "ops/ops.h"
#include "ops/reduce/testing/derivatives.h"

namespace notape::testing {
namespace {

TEST(ToForms, CopyOnlyWhereAskedOrNeeded) {
  const Tensor x = ones({3});
  EXPECT_TRUE(x.to(kFloat32, false).is_alias_of(x));
  EXPECT_TRUE(x.to(kCPU, true, false).is_alias_of(x));
  for (const Tensor& y : {x.to(kFloat32, false, true), x.to(Device(kCPU), false, true),
                          x.to(Device(kCPU), kFloat32, false, true), x.to(x, false, true),
                          x.to(TensorOptions(kFloat32), false, true)}) {
    EXPECT_FALSE(y.is_alias_of(x));
    EXPECT_TRUE(equal(x, y));
  }
  EXPECT_EQ(x.to(kFloat64, false, true).dtype(), kFloat64);
  EXPECT_EQ(x.toType(kInt64).dtype(), kInt64);
}

TEST(ToForms, CarryTheGradient) {
  const Tensor x = ones({3}).requires_grad_();
  x.to(kFloat32, false, true).mul(2).sum().backward();
  EXPECT_EQ(values(x.grad()), std::vector<double>(3, 2));
}

}  // namespace
}  // namespace notape::testing
