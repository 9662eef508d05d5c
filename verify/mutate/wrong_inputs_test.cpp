// Wrong about which input gets what.
#include <gmock/gmock.h>

#include "verify/mutate/mutant_test_helper.h"

namespace notape::verify {
namespace {

using ::testing::IsSupersetOf;

using Alarms = std::vector<std::string>;

/// y = a b with these rules.
template <typename RuleA, typename RuleB>
OpSpec mul_with(RuleA a, RuleB b) {
  return binary_mutant(
      [=](const variable_list& x) {
        return with_derivative(derivative("Mutant", a, b), plain_mul, x[0], x[1]);
      },
      plain_mul);
}

constexpr auto kByOther =
    elementwise([](const Tensor& grad, const Input<1>& other) { return grad * other; });
constexpr auto kBySelf =
    elementwise([](const Tensor& grad, const Input<0>& self) { return grad * self; });

TEST(InputMutants, RightProductRaisesNoAlarm) {
  EXPECT_EQ(alarms(verify_operator(mul_with(kByOther, kBySelf))), Alarms());
}

TEST(InputMutants, SwappedInputsAreCaughtByReverse) {
  EXPECT_EQ(alarms(verify_operator(mul_with(kBySelf, kByOther))), Alarms{"reverse FAIL"});
}

TEST(InputMutants, ZeroGradientOfOneInputIsCaughtByReverse) {
  const auto zero = elementwise([](const Tensor& grad) { return grad * 0; });
  EXPECT_EQ(alarms(verify_operator(mul_with(kByOther, zero))), Alarms{"reverse FAIL"});
}

TEST(InputMutants, MissingGradientIsCaughtByReverse) {
  const auto found = alarms(verify_operator(mul_with(kByOther, not_differentiable)));
  EXPECT_NE(std::find(found.begin(), found.end(), "reverse FAIL"), found.end());
}

TEST(InputMutants, OneZeroedEntryAmongHundredsIsCaughtByReverse) {
  OpSpec mutant = binary_mutant(
      [](const variable_list& x) {
        const auto last_zeroed = [](const Tensor& grad, const Input<1>& other) {
          Numbers keep(static_cast<std::size_t>(grad.numel()), 1);
          if (keep.size() > 100) keep[keep.size() / 2] = 0;
          return grad * other * make_tensor(keep, grad.sizes().vec(), grad.dtype());
        };
        return with_derivative(derivative("Mutant", elementwise(last_zeroed), kBySelf), plain_mul,
                               x[0], x[1]);
      },
      plain_mul);
  mutant.family = "linalg";  // or `long` would try it on other sizes, too
  mutant.draw = [draw = mutant.draw](Draw& choices) {
    OpCase one = draw(choices);
    one.arguments = {{.sizes = {400}}, {.sizes = {400}}};
    return one;
  };
  EXPECT_EQ(alarms(verify_operator(mutant, {.samples = 4})), Alarms{"reverse FAIL"});
}

TEST(InputMutants, GradientThatDependsOnTheOtherInputsFlagIsCaughtBySubsets) {
  const auto mutant = binary_mutant(
      [](const variable_list& x) {
        const auto halved = elementwise(
            [](const Tensor& grad, const Input<1>& other) { return grad * other * 0.5; });
        if (!x[1].requires_grad() && x[0].requires_grad())
          return with_derivative(derivative("Mutant", halved, kBySelf), plain_mul, x[0], x[1]);
        return with_derivative(derivative("Mutant", kByOther, kBySelf), plain_mul, x[0], x[1]);
      },
      plain_mul);
  EXPECT_EQ(alarms(verify_operator(mutant)), Alarms{"subsets FAIL"});
}

/// y = a + b, a (n, m), b (m); `rule` is that of b.
template <typename Rule>
OpSpec add_row_with(Rule rule_of_row) {
  const auto reference = [](const WideList& x) {
    return plain_map([](Wide a, Wide b) { return a + b; }, x[0], x[1]);
  };
  return {.name = "mutant", .family = "linalg", .draw = [=](Draw& draw) {
            const int64_t n = draw.integer(1, 4), m = draw.integer(1, 4);
            OpCase one;
            one.arguments = {{.sizes = {n, m}}, {.sizes = {m}}};
            one.call = [=](const variable_list& x) {
              const auto pass = elementwise([](const Tensor& grad) { return grad; });
              return with_derivative(derivative("Mutant", pass, rule_of_row), reference, x[0],
                                     x[1]);
            };
            one.reference = reference;
            return one;
          }};
}

constexpr auto kSpread = [](const Tensor& tangent) { return tangent; };

TEST(InputMutants, RightBroadcastRaisesNoAlarm) {
  const auto sums = rule([](const Tensor& grad) { return grad.sum(0); }, kSpread);
  EXPECT_EQ(alarms(verify_operator(add_row_with(sums))), Alarms());
}

TEST(InputMutants, FirstRowInsteadOfTheSumIsCaughtByReverse) {
  const auto first =
      rule([](const Tensor& grad) { return as_strided(grad.contiguous(), {grad.size(1)}, {1}, 0); },
           kSpread);
  // It also reads past gradients of one row; which legs notice depends on what lies there.
  EXPECT_THAT(alarms(verify_operator(add_row_with(first))),
              IsSupersetOf({"reverse FAIL", "forward-mode FAIL"}));
}

/// y = 2 x for square matrices.
template <typename Rule>
OpSpec square_matrix_with(Rule vjp) {
  const auto reference = [](const WideList& x) {
    return plain_map([](Wide a) { return 2 * a; }, x[0]);
  };
  return {.name = "mutant", .family = "linalg", .draw = [=](Draw& draw) {
            const int64_t n = draw.integer(1, 4);
            OpCase one;
            one.arguments = {{.sizes = {n, n}}};
            one.call = [=](const variable_list& x) {
              const auto forward = [](const Tensor& tangent) { return tangent * 2; };
              return with_derivative(derivative("Mutant", rule(vjp, forward)), reference, x[0]);
            };
            one.reference = reference;
            return one;
          }};
}

TEST(InputMutants, TransposedGradientOfASquareMatrixIsCaughtByReverse) {
  const auto mutant = square_matrix_with([](const Tensor& grad) {
    return as_strided(grad.contiguous(), {grad.size(0), grad.size(1)}, {1, grad.size(1)}, 0) * 2;
  });
  EXPECT_THAT(alarms(verify_operator(mutant)), IsSupersetOf({"reverse FAIL", "forward-mode FAIL"}));
}

}  // namespace
}  // namespace notape::verify
