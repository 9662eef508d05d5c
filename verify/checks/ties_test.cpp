// Ties are made with the least change of what was given, and never where none may be; float32
// gradients are judged with the noise that they have.
#include "verify/checks/made_ties.h"
#include "verify/checks/structure_test_helper.h"
#include "verify/functions/function_row.h"

namespace notape::verify {
namespace {

using autograd::AutogradContext;
using autograd::Function;
using ::testing::ElementsAre;
using ::testing::HasSubstr;

DrawnCase drawn_at(const Tensor& x) {
  const FunctionRow row([](const variable_list& in) -> variable_list { return {in[0] * 2.0}; }, {x},
                        {});
  ChoiceDraw draw{Choices{}};
  return draw_case(row.spec(), draw, kFloat64);
}

TEST(Ties, AreMadeOfTheTwoOutermostEntriesOfASliceByMovingOneInward) {
  const std::vector<MadeTie> made = made_ties(drawn_at(leaf({1, 5, 3, 4}, {4})), 0);
  ASSERT_EQ(made.size(), 2u);
  EXPECT_THAT(made[0].drawn.arguments[0].values, ElementsAre(1, 4, 3, 4));
  EXPECT_THAT(made[0].beside.arguments[0].values, ElementsAre(1, 4.25, 3, 4));
  EXPECT_THAT(made[0].tie.entries, ElementsAre(1, 3));
  EXPECT_EQ(made[0].how, "the two largest entries of argument 0");
  EXPECT_THAT(made[1].drawn.arguments[0].values, ElementsAre(3, 5, 3, 4));
  const auto rows = made_ties(drawn_at(leaf({1, 5, 3, 4, 9, 6}, {2, 3})), 0);
  ASSERT_EQ(rows.size(), 3u);  // of a column of two there is one pair only
  EXPECT_THAT(rows[0].drawn.arguments[0].values, ElementsAre(1, 5, 3, 1, 5, 3));
  EXPECT_THAT(rows[1].drawn.arguments[0].values, ElementsAre(1, 3, 3, 4, 6, 6));
  EXPECT_THAT(rows[2].drawn.arguments[0].values, ElementsAre(3, 5, 3, 6, 9, 6));
}

TEST(Ties, AreMadeOfNoEntriesThatAreDeclaredToBeDistinct) {
  DrawnCase drawn = drawn_at(leaf({1, 5, 3, 4}, {4}));
  drawn.arguments[0].argument.distinct = true;
  EXPECT_TRUE(made_ties(drawn, 0).empty());
}

/// The fixed point of z = tanh(W z + b), found by iterating a contraction, and its adjoint
/// likewise.
struct FixedPoint : Function<FixedPoint> {
  static Tensor forward(AutogradContext* ctx, const Tensor& w, const Tensor& b) {
    Tensor z = zeros_like(b);
    for (int i = 0; i < 100; ++i) z = tanh(matmul(w, z) + b);
    ctx->save_for_backward({w, z});
    ctx->mark_once_differentiable();
    return z;
  }
  static variable_list backward(AutogradContext* ctx, variable_list grads) {
    const auto saved = ctx->get_saved_variables();
    const Tensor slope = 1 - saved[1] * saved[1];
    Tensor u = grads[0];
    for (int i = 0; i < 100; ++i) u = grads[0] + matmul(t(saved[0]), slope * u);
    const Tensor by_b = slope * u;
    return {unsqueeze(by_b, 1) * unsqueeze(saved[1], 0), by_b};
  }
};

TEST(Ties, AContractionStaysOne) {
  expect_right(
      tensor_function([](const Tensor& w, const Tensor& b) { return FixedPoint::apply(w, b); }),
      {leaf({-0.5, 0.1, 0, 0.1, 0.2, -0.1, 0, 0.2, 0.1}, {3, 3}), leaf({0.1, -0.2, 0.3}, {3})});
  expect_right(
      tensor_function([](const Tensor& w, const Tensor& b) { return FixedPoint::apply(w, b); }),
      {leaf({-0.62, 0.13, 0.01, 0.11, 0.21, -0.12, 0.02, 0.22, 0.14}, {3, 3}),
       leaf({0.1, -0.2, 0.3}, {3})});
}

/// The largest entry; tied ones get all of its gradient each.
struct LargestOfAll : Function<LargestOfAll> {
  static Tensor forward(AutogradContext* ctx, const Tensor& x) {
    ctx->save_for_backward({x});
    return x.max();
  }
  static variable_list backward(AutogradContext* ctx, variable_list grads) {
    const Tensor x = ctx->get_saved_variables()[0];
    return {grads[0] * (x == x.max()).to(x.dtype())};
  }
};

TEST(Ties, ThePointThatWasJudgedIsInTheReport) {
  expect_only(check([](const Tensor& x) { return LargestOfAll::apply(x); },
                    {leaf({1, 5, 3, 4}, {4})}, first_order()),
              "ties FAIL",
              "the two largest entries of argument 0, made equal, tie: along all of them together "
              "the slope is");
  expect_only(check([](const Tensor& x) { return LargestOfAll::apply(x); },
                    {leaf({1, 5, 3, 4}, {4})}, first_order()),
              "ties FAIL", "at argument 0 = [1, 4, 3, 4] instead of what was given");
}

/// sinh, whose backward keeps the cosh of its first call for all others of that size.
struct KeepsFirst : Plain {
  static Tensor forward(AutogradContext* ctx, const Tensor& x) {
    ctx->save_for_backward({x});
    return (exp(x) - exp(-x)) / 2;
  }
  static variable_list backward(AutogradContext* ctx, variable_list grads) {
    static Tensor kept;
    const Tensor x = ctx->get_saved_variables()[0];
    const NoGradGuard no_grad;
    if (!kept.defined() || kept.numel() != x.numel())
      kept = ((exp(x) + exp(-x)) / 2).contiguous().clone();
    return {grads[0] * kept.reshape(x.sizes())};
  }
};

TEST(Ties, WhatIsWrongBesideThemIsNoneOfTheirs) {
  expect_only(check_square<KeepsFirst>(leaf({0.3, -0.8, 1.2, 0.1}, {4})), "ties FAIL",
              "what was kept from an earlier call?");
}

TEST(Ties, StairsOfFloat32InsideAreNoSlope) {
  const auto product = [](const Tensor& a, const Tensor& b) {
    return mm(a.to(kFloat32), b.to(kFloat32)).to(kFloat64);
  };
  for (uint64_t seed = 1; seed <= 3; ++seed) {
    const Report report =
        check(product, {leaf({1, 2, 3, 4}, {2, 2}), leaf({0.5, -1, 0.25, 2}, {2, 2})},
              {.order = 1, .forward_mode = false, .seed = seed});
    EXPECT_FALSE(is_red(report.only("ties").verdict())) << report.text();
  }
}

TEST(Ties, AFloat32GradientThatIsAllRoundingsIsNotWrong) {
  const auto erf_gelu = [](const Tensor& x) { return 0.5 * x * (1 + erf(x * 0.7071067811865476)); };
  const auto tanh_gelu = [](const Tensor& x) {
    return 0.5 * x * (1 + tanh(0.7978845608028654 * (x + 0.044715 * x * x * x)));
  };
  const auto shrink = [](const Tensor& x) { return x - tanh(x); };
  for (double at : {-5.0, -4.5, -4.0, 0.002, 1e-3})
    for (uint64_t seed = 1; seed <= 3; ++seed)
      for (const auto& f : {TensorFunction(tensor_function(erf_gelu)), tensor_function(tanh_gelu),
                            tensor_function(shrink)}) {
        const Report report = check(f, {leaf({at, 1}, {2}, kFloat32)},
                                    {.order = 1, .forward_mode = false, .seed = seed});
        EXPECT_FALSE(is_red(report.only("ties").verdict())) << report.text();
      }
}

}  // namespace
}  // namespace notape::verify
