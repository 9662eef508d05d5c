#include "ops/reduce/testing/derivatives.h"

namespace notape::testing {
namespace {

TEST(Compare, HasOperatorsForTensorsAndNumbers) {
  const Tensor a = constant({1, 2, 3}), b = constant({3, 2, 1});
  expect_values(a == b, {0, 1, 0});
  expect_values(a != b, {1, 0, 1});
  expect_values(a < b, {1, 0, 0});
  expect_values(a <= b, {1, 1, 0});
  expect_values(a > b, {0, 0, 1});
  expect_values(a >= b, {0, 1, 1});
  expect_values(a == 2, {0, 1, 0});
  expect_values(a != 2, {1, 0, 1});
  expect_values(a < 2, {1, 0, 0});
  expect_values(a <= 2, {1, 1, 0});
  expect_values(a > 2, {0, 0, 1});
  expect_values(a >= 2, {0, 1, 1});
  EXPECT_EQ((a < b).dtype(), kBool);
}

TEST(Compare, HasMembers) {
  const Tensor a = constant({1, 2, 3}), b = constant({3, 2, 1});
  expect_values(a.eq(b), {0, 1, 0});
  expect_values(a.ne(b), {1, 0, 1});
  expect_values(a.lt(b), {1, 0, 0});
  expect_values(a.le(b), {1, 1, 0});
  expect_values(a.gt(b), {0, 0, 1});
  expect_values(a.ge(b), {0, 1, 1});
  expect_values(a.eq(2), {0, 1, 0});
  expect_values(a.ne(2), {1, 0, 1});
  expect_values(a.lt(2), {1, 0, 0});
  expect_values(a.le(2), {1, 1, 0});
  expect_values(a.gt(2), {0, 0, 1});
  expect_values(a.ge(2), {0, 1, 1});
}

TEST(Compare, FindsNanUnequalToEverything) {
  const Tensor a = constant({kNaN, kNaN}), b = constant({kNaN, 1});
  expect_values(a == b, {0, 0});
  expect_values(a != b, {1, 1});
  expect_values(a <= b, {0, 0});
  expect_values(a >= b, {0, 0});
}

TEST(Compare, ComparesAsTheWiderTypeDoes) {
  expect_values(tensor({2, 3}) < 2.5, {1, 0});
  expect_values(tensor({2, 3}) == tensor({2.0, 3.5}), {1, 0});
  expect_values(tensor({true, false}) == 1, {1, 0});
  // 2^53 + 1 is no double, but an int64
  const int64_t big = (int64_t{1} << 53) + 1;
  expect_values(tensor(std::vector<int64_t>{big}) == big - 1, {0});
}

TEST(Compare, LeavesTheGraph) {
  const Tensor x = leaf({1, 2});
  EXPECT_FALSE((x > 1).requires_grad());
  EXPECT_FALSE(logical_not(x).requires_grad());
  expect_values(logical_not(constant({0, 2, -0.0, kNaN})), {1, 0, 1, 0});
}

TEST(Equal, WantsTheSameShapeAndValues) {
  const Tensor a = constant({{1, 2}, {3, 4}});
  EXPECT_TRUE(equal(a, a.clone()));
  EXPECT_TRUE(a.equal(a.t().contiguous().t()));
  EXPECT_FALSE(equal(a, a.t()));
  EXPECT_FALSE(equal(a, a.reshape({4})));
  EXPECT_FALSE(equal(ones({2}), ones({3})));
  EXPECT_FALSE(equal(constant(1), constant({1})));
  EXPECT_FALSE(equal(constant(kNaN), constant(kNaN)));
  EXPECT_TRUE(equal(empty({0}), empty({0})));
  EXPECT_TRUE(equal(ones({2}), ones({2}, kInt64)));
}

TEST(Allclose, AllowsAbsoluteAndRelativeDistance) {
  EXPECT_TRUE(allclose(constant({1, 100}), constant({1 + 9e-6, 100 + 9e-4})));
  EXPECT_FALSE(allclose(constant({1, 100}), constant({1 + 1.1e-5, 100})));
  EXPECT_TRUE(allclose(constant(0), constant(9e-9)));
  EXPECT_FALSE(allclose(constant(0), constant(1.1e-8)));
  EXPECT_TRUE(allclose(constant(1), constant(1.4), 0, 0.5));
  EXPECT_TRUE(allclose(constant(1), constant(1.4), 0.3, 0));
  EXPECT_FALSE(allclose(constant(1.4), constant(1), 0.3, 0));  // relative to the second
  EXPECT_TRUE(allclose(constant({1, 1}), constant(1)));        // broadcast
}

TEST(Allclose, RefusesNegativeTolerances) {
  const Tensor x = constant(1);
  expect_error<ValueError>("allclose: rtol must be greater", [&] { allclose(x, x, -1); });
  expect_error<ValueError>("allclose: atol must be greater", [&] { allclose(x, x, 0, -1); });
}

TEST(Allclose, TreatsNonFiniteValuesExactly) {
  EXPECT_TRUE(allclose(constant({kInfinity, -kInfinity}), constant({kInfinity, -kInfinity})));
  EXPECT_FALSE(allclose(constant(kInfinity), constant(-kInfinity)));
  EXPECT_FALSE(allclose(constant(1e308), constant(kInfinity)));
  EXPECT_FALSE(allclose(constant(kNaN), constant(kNaN)));
  EXPECT_TRUE(allclose(constant(kNaN), constant(kNaN), 1e-5, 1e-8, true));
  EXPECT_FALSE(allclose(constant(kNaN), constant(1), 1e-5, 1e-8, true));
}

}  // namespace
}  // namespace notape::testing
