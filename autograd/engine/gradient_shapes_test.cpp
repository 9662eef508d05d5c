// Gradients of another shape than their tensor's, which broadcasting would add without a word.
#include "autograd/engine/validate_outputs.h"
#include "autograd/function.h"
#include "autograd/testing/expect.h"
#include "ops/ops.h"

namespace notape::testing {
namespace {

/// x -> x, with a gradient of a given size.
struct WrongShape : autograd::Function<WrongShape> {
  static Tensor forward(autograd::AutogradContext* ctx, const Tensor& x, IntArrayRef size) {
    ctx->saved_data["size"] = size.vec();
    return x * 1;
  }
  static variable_list backward(autograd::AutogradContext* ctx, variable_list) {
    return {ones(std::any_cast<std::vector<int64_t>>(ctx->saved_data["size"]), kFloat64), Tensor()};
  }
};

TEST(GradientShapes, OfUserFunctionsMustBeTheInputsAlsoIfTheyBroadcast) {
  const NothingLeaks guard;
  const Tensor row = leaf({1, 2, 3}), square = leaf({{1, 2}, {3, 4}});
  struct Case {
    Tensor x;
    std::vector<int64_t> size;
    const char* message;
  };
  const std::vector<Case> table = {
      {row, {1, 3}, "got [1, 3] but expected shape compatible with [3]"},
      {row, {2, 3}, "got [2, 3] but expected shape compatible with [3]"},
      {row, {1}, "got [1] but expected shape compatible with [3]"},
      {row, {}, "got [] but expected shape compatible with [3]"},
      {square, {3, 2, 2}, "got [3, 2, 2] but expected"},
      {square, {4}, "got [4] but expected"},
      {leaf({{1}}), {2, 1}, "got [2, 1] but expected"},
      {leaf({1}), {3}, "got [3] but expected"},
      {leaf(1), {3}, "got [3] but expected"},
  };
  for (const auto& [x, size, message] : table) {
    const Tensor y = WrongShape::apply(x, IntArrayRef(size)).sum();
    expect_error<InvalidGradient>(message, [&] { y.backward({}, true); });
    expect_error<InvalidGradient>("WrongShape", [&] { y.backward({}, true); });
    // A second consumer's right gradient does not hide it, in either order.
    for (const Tensor& sum : {y + x.sum(), x.sum() + y}) {
      expect_error<InvalidGradient>(message, [&, &total = sum] { total.backward({}, true); });
      EXPECT_FALSE(x.grad().defined());
    }
  }
}

TEST(GradientShapes, OfPostHooksMustBeTheResultsOrTheInputs) {
  const Tensor x = leaf({1, 2, 3}), w = leaf({{1, 2, 3}, {4, 5, 6}});
  Tensor y = x * w;  // its gradient for x is [2, 3] before it is summed
  y.grad_fn()->add_post_hook([](variable_list g, const variable_list&) {
    return variable_list{g[0] * 2, g[1]};
  });
  y.sum().backward();
  expect_values(x.grad(), {10, 14, 18});
  Tensor z = x * w;
  z.grad_fn()->add_post_hook([](variable_list g, const variable_list&) {
    return variable_list{g[0].sum(0) * 2, g[1]};
  });
  x.mutable_grad().reset();
  z.sum().backward();
  expect_values(x.grad(), {10, 14, 18});
  Tensor bad = x * 2;
  bad.grad_fn()->add_post_hook([](const variable_list&, const variable_list&) {
    return variable_list{ones({4, 3}, kFloat64)};
  });
  expect_error<HookError>("post-hook of MulBackward", [&] { bad.sum().backward({}, true); });
  expect_error<HookError>("changed the size of value: [4, 3] instead of [3]",
                          [&] { bad.sum().backward({}, true); });
}

TEST(GradientShapes, OfAGradThatSomebodyHasSetMustBeTheGradients) {
  const Tensor x = leaf({1, 2, 3});
  x.mutable_grad() = ones({1, 3}, kFloat64);
  expect_error<InvalidGradient>(
      "AccumulateGrad: a gradient of size [3] cannot be added to a .grad "
      "of size [1, 3] of a tensor of size [3]",
      [&] { (x * 2).sum().backward(); });
  expect_values(x.grad(), {1, 1, 1});
}

TEST(GradientShapes, OfATensorThatHasChangedItsShapeSinceAreRefused) {
  Tensor x = leaf({1, 2, 3});
  const Tensor before = x * 2;
  {
    const NoGradGuard no_grad;
    x.unsqueeze_(0);
  }
  const Tensor after = x * 3;
  expect_error<InvalidGradient>(
      "a gradient of size [3] arrived for a leaf that was given data of "
      "another size",
      [&] { (before.sum() + after.sum()).backward({}, true); });
  x.mutable_grad().reset();
  after.sum().backward();
  EXPECT_EQ(x.grad().sizes(), IntArrayRef({1, 3}));
  expect_values(x.grad(), {3, 3, 3});
}

TEST(GradientShapes, FollowWhatAnInteriorTensorBecomesWithoutGradMode) {
  const Tensor x = leaf({{1, 2}, {3, 4}});
  const Tensor weight = constant({{1, 10}, {100, 1000}});
  Tensor y = x * 1;
  {
    const NoGradGuard no_grad;
    y.t_();
  }
  (y * weight).sum().backward();
  expect_values(x.grad(), {1, 100, 10, 1000});
}

}  // namespace
}  // namespace notape::testing
