// Wrong about which input gets what.
#include "verify/mutate/mutant_test_helper.h"

namespace notape::verify {
namespace {

using ::testing::Contains;
using ::testing::ElementsAre;
using ::testing::IsEmpty;
using ::testing::IsSupersetOf;

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

/// 400 products, the gradient of one of which is lost.
OpSpec mul_that_loses_one() {
  const auto one_zeroed = [](const Tensor& grad, const Input<1>& other) {
    Numbers keep(static_cast<std::size_t>(grad.numel()), 1);
    if (keep.size() > 100) keep[keep.size() / 2] = 0;
    return grad * other * make_tensor(keep, grad.sizes().vec(), grad.dtype());
  };
  OpSpec mutant = mul_with(elementwise(one_zeroed), kBySelf);
  mutant.family = "linalg";  // or `long` would try it on other sizes, too
  mutant.draw = [draw = mutant.draw](Draw& choices) {
    OpCase one = draw(choices);
    one.arguments = {{.sizes = {400}}, {.sizes = {400}}};
    return one;
  };
  return mutant;
}

/// Half the gradient where the other input requires none.
OpSpec mul_that_asks_the_other() {
  return binary_mutant(
      [](const variable_list& x) {
        const auto halved = elementwise(
            [](const Tensor& grad, const Input<1>& other) { return grad * other * 0.5; });
        if (!x[1].requires_grad() && x[0].requires_grad())
          return with_derivative(derivative("Mutant", halved, kBySelf), plain_mul, x[0], x[1]);
        return with_derivative(derivative("Mutant", kByOther, kBySelf), plain_mul, x[0], x[1]);
      },
      plain_mul);
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

TEST(InputMutants, AreCaughtByReverseOrSubsets) {
  const auto is_caught = ElementsAre("reverse FAIL");
  // What reads past gradients of one row is seen by other checks, too, or not.
  const auto by_both = IsSupersetOf({"reverse FAIL", "forward-mode FAIL"});
  expect_alarms(
      {{"right product", mul_with(kByOther, kBySelf), IsEmpty()},
       {"swapped inputs", mul_with(kBySelf, kByOther), is_caught},
       {"zero gradient of one input",
        mul_with(kByOther, elementwise([](const Tensor& grad) { return grad * 0; })), is_caught},
       {"missing gradient", mul_with(kByOther, not_differentiable), Contains("reverse FAIL")},
       {"one zeroed entry among hundreds", mul_that_loses_one(), is_caught, {.samples = 4}},
       {"gradient that depends on the other input's flag", mul_that_asks_the_other(),
        ElementsAre("subsets FAIL")},
       {"right broadcast",
        add_row_with(rule([](const Tensor& grad) { return grad.sum(0); }, kSpread)), IsEmpty()},
       {"first row instead of the sum",
        add_row_with(rule(
            [](const Tensor& grad) {
              return as_strided(grad.contiguous(), {grad.size(1)}, {1}, 0);
            },
            kSpread)),
        by_both},
       {"transposed gradient of a square matrix", square_matrix_with([](const Tensor& grad) {
          return as_strided(grad.contiguous(), {grad.size(0), grad.size(1)}, {1, grad.size(1)}, 0) *
                 2;
        }),
        by_both}});
}

}  // namespace
}  // namespace notape::verify
