// check() without a reference, over the table of right functions that mislead differences: none is
// called wrong, hardly any is undecided, and with a wrong rule none passes as if that had been
// seen.
#include <algorithm>

#include "verify/functions/gradcheck_test_helper.h"
#include "verify/functions/testing/right_functions.h"

namespace notape::verify {
namespace {

constexpr uint64_t kSeeds = 30;

/// What `spoil` makes of the right gradient.
using Spoil = std::function<Tensor(const Tensor& gradient)>;
Rules spoiled(const RightFunction& right, const Spoil& spoil) {
  return {right.f, [f = right.f, spoil](const Tensor& x, const Tensor& grad) {
            const EnableGradGuard recording;
            const Tensor at = x.detach().requires_grad_(true);
            return spoil(autograd::grad({f(at)}, {at}, {grad})[0]);
          }};
}

TEST(OpaqueFunctions, NoRightOneIsRedAndFewAreUndecided) {
  int64_t checks = 0, undecided = 0;
  std::string which;
  for (const RightFunction& right : right_functions())
    for (uint64_t seed = 1; seed <= kSeeds; ++seed) {
      const Report report =
          check(tensor_function(right.f), {drawn_entries(right.entries, seed)},
                {.name = right.name, .order = right.order, .samples = 1, .seed = seed});
      EXPECT_FALSE(is_red(report.verdict())) << "seed " << seed << "\n" << report.text();
      for (const Finding& finding : report.findings) {
        ++checks;
        if (finding.verdict != Verdict::Unresolved) continue;
        ++undecided;
        which += right.name + "/" + finding.check + " with seed " + std::to_string(seed) + "\n";
      }
    }
  EXPECT_GT(checks, 10000);
  EXPECT_LE(50 * undecided, checks) << which;
}

/// Nothing passes that claims to have seen an error of that relative size; how often it is red.
double share_found(const Spoil& spoil, double error, uint64_t seeds) {
  double found = 0, all = 0;
  for (const RightFunction& right : right_functions())
    for (uint64_t seed = 1; seed <= seeds; ++seed) {
      const Report report = check_rules(
          spoiled(right, spoil), drawn_entries(right.entries, seed),
          {.name = right.name, .order = 1, .forward_mode = false, .samples = 1, .seed = seed});
      const Report reverse = report.only("reverse");
      found += is_red(report.verdict());
      all += 1;
      if (reverse.ok()) {
        EXPECT_GT(2 * reverse.detectable(), error) << seed << " " << report.text();
      }
    }
  return found / all;
}

TEST(OpaqueFunctions, AGradientOffByOnePartInAHundredIsFoundOrSaidToBeHidden) {
  EXPECT_GT(share_found([](const Tensor& g) { return g * 1.01; }, 0.01, 1), 0.9);
}

TEST(OpaqueFunctions, ASmallErrorIsFoundOrSaidToBeHidden) {
  EXPECT_GT(share_found([](const Tensor& g) { return g * (1 + 1e-7); }, 1e-7, 1), 0.4);
}

/// Where the gradient of entries is less than a hundredth of the largest one, and not 0.
Tensor flat_entries(const RightFunction& right, const Tensor& at) {
  const Tensor x = at.detach().clone().requires_grad_(true), y = right.f(x);
  const Tensor unlike =
      y.dim() == 0 ? ones_like(y) : 1 + 0.37 * sin(arange(y.numel()).to(y.dtype()));
  const Tensor g = autograd::grad({y}, {x}, {unlike.reshape(y.sizes())})[0];
  const Tensor size = where(abs(g) < 1e300, abs(g), zeros_like(g));
  return (size < 0.01 * max(size)) * (size > 0) > 0;
}

TEST(OpaqueFunctions, AnErrorOnlyWhereTheyAreFlatIsFoundOrSaidToBeHidden) {
  int wrong = 0, found = 0;
  for (const double factor : {2.0, 1.001})
    for (const RightFunction& right : right_functions()) {
      const Tensor x = drawn_entries(right.entries, 1);
      const Tensor flat = flat_entries(right, x);
      const Numbers g = numbers_of(x);
      if (!std::isfinite(g.back()) || numbers_of(flat.to(kFloat64).sum())[0] == 0) continue;
      ++wrong;
      const Spoil spoil = [=](const Tensor& gradient) {
        return gradient.numel() == flat.numel() ? where(flat, gradient * factor, gradient)
                                                : gradient;
      };
      const Report report = check_rules(
          spoiled(right, spoil), x,
          {.name = right.name, .order = 1, .forward_mode = false, .samples = 1, .seed = 1});
      const Report reverse = report.only("reverse");
      found += is_red(report.verdict());
      if (reverse.ok()) {
        EXPECT_GT(2 * reverse.detectable(), factor - 1) << report.text();
      }
    }
  EXPECT_GT(wrong, 20);
  EXPECT_GT(found, wrong / 4);
}

TEST(OpaqueFunctions, AConstantSaysOnlyThatItsSlopeIsSmall) {
  // sigmoid(40) is 1, and its slope 4e-18: seven times as much moves nothing either.
  const auto slope = [](double times) {
    return with_slope([](const Tensor& x) { return 1 / (1 + exp(-x)); },
                      [=](const Tensor& x) { return exp(-x) * times; });
  };
  for (double times : {1.0, 7.0}) {
    const Report report = check_rules(slope(times), leaf({40}, {1}));
    EXPECT_FALSE(report.ok()) << report.text();
    EXPECT_FALSE(is_red(report.verdict())) << report.text();
    EXPECT_THAT(report.text(), ::testing::HasSubstr("1 of 1 entries undecided"));
  }
  EXPECT_TRUE(is_red(check_rules(slope(1e10), leaf({40}, {1})).verdict()));
  const Report built_in = check([](const Tensor& x) { return sigmoid(x); }, {leaf({40}, {1})});
  EXPECT_FALSE(built_in.proven()) << built_in.text();
  EXPECT_THAT(built_in.text(), ::testing::Not(::testing::HasSubstr("0e+00")));
}

TEST(OpaqueFunctions, ThePowerIsThatOfTheWorstEntryAndTheUndecidedAreCounted) {
  std::vector<double> values;
  for (int i = 0; i < 17; ++i) values.push_back(-2 + 0.25 * i);
  values.insert(values.end(), {38, 39, 41});
  const auto rules =
      with_slope([](const Tensor& x) { return 1 / (1 + exp(-x)); },
                 [](const Tensor& x) { return exp(-x) / ((1 + exp(-x)) * (1 + exp(-x))); });
  const Report report = check_rules(rules, leaf(values, {20}), {.order = 1, .samples = 1});
  EXPECT_TRUE(report.ok()) << report.text();
  EXPECT_FALSE(report.proven());
  EXPECT_TRUE(std::isinf(report.detectable()));
  EXPECT_THAT(report.text(), ::testing::HasSubstr("reverse: 3 of 20 entries undecided"));
}

TEST(OpaqueFunctions, AFlatPieceIsNoSaturation) {
  const Report report =
      check([](const Tensor& x) { return relu(x); }, {leaf({-1, -2, -0.5, 0.25}, {4})});
  EXPECT_TRUE(report.proven()) << report.text();
}

TEST(OpaqueFunctions, AGradientThatIsRightAtThePointOnlyIsFoundByTheValue) {
  const auto at_zero_only =
      with_slope([](const Tensor& x) { return x * x; }, [](const Tensor& x) { return x * 0; });
  for (const auto& x : {leaf({0}, {1}), leaf({0, 0, 0}, {3})})
    expect_fail(check_rules(at_zero_only, x), "second-order", "how the value itself bends");
  const auto even =
      with_slope([](const Tensor& x) { return cos(x); }, [](const Tensor& x) { return sin(x); });
  expect_fail(check_rules(even, leaf({0}, {1})), "second-order", "how the value itself bends");
  // Where the slope bends, its derivative is between those of both sides.
  const auto square_above = [](double at) {
    return with_slope([](const Tensor& x) { return relu(x) * x; },
                      [=](const Tensor& x) { return where(x > 0, 2 * x, x * at); });
  };
  for (double at : {0.0, 1.0, 2.0}) {
    const Report report = check_rules(square_above(at), leaf({0}, {1}), {.forward_mode = false});
    EXPECT_FALSE(is_red(report.only("second-order").verdict())) << at << report.text();
  }
}

TEST(OpaqueFunctions, OnADeclaredKinkTheDerivativeIsBetweenTheSlopes) {
  const auto relu_with = [](double at_zero) {
    return with_slope([](const Tensor& t) { return relu(t); },
                      [=](const Tensor& t) {
                        return where(t == 0, full_like(t, at_zero), (t > 0).to(t.dtype()));
                      });
  };
  const CheckOptions declared{.domain = Domain{.low = -2, .high = 2, .kinks = {0}}, .order = 1};
  for (const auto& x : {leaf({0.5, -1, 0}, {3}), leaf({0.5, -1, 0.25}, {3})}) {
    for (double inside : {0.0, 0.5, 1.0}) {
      const Report report = check_rules(relu_with(inside), x, declared);
      EXPECT_EQ(report.only("kinks").verdict(), Verdict::Kink) << inside << report.text();
      EXPECT_TRUE(report.ok()) << report.text();
    }
    for (double outside : {1e6, -0.5, 1.5})
      expect_fail(check_rules(relu_with(outside), x, declared), "kinks", "declared kink 0");
  }
}

TEST(OpaqueFunctions, TheMiddleOfTwoSlopesIsAKinkWithAReferenceToo) {
  const auto formula = []<typename T>(T x) { return (x + math::sqrt(x * x)) / T(2); };
  const auto rules = with_slope(
      [](const Tensor& x) { return relu(x); },
      [](const Tensor& x) { return where(x == 0, full_like(x, 0.5), (x > 0).to(x.dtype())); });
  for (const auto& x : {leaf({0}, {1}), leaf({0, 1.5, -0.25, 0.75}, {4})}) {
    const Report opaque = check_rules(rules, x, {.order = 1});
    EXPECT_EQ(opaque.verdict(), Verdict::Kink) << opaque.text();
    const Report report =
        check_rules(rules, x, {.order = 1, .reference = elementwise_reference(formula)});
    EXPECT_EQ(report.only("reverse").verdict(), Verdict::Kink) << report.text();
  }
}

TEST(OpaqueFunctions, Float32InsideIsNoWrongGradientAndInTheGradientAloneIsNamed) {
  const auto inside = [](const Tensor& x) { return sin(x.to(kFloat32)).to(x.dtype()); };
  const Report report = check(inside, {x23()}, {.order = 1});
  EXPECT_FALSE(is_red(report.verdict())) << report.text();
  EXPECT_GT(report.only("reverse").detectable(), 1e-9);
  const Rules in_gradient = sine(
      [](const Tensor& x, const Tensor& grad) { return grad * cos(x.to(kFloat32)).to(x.dtype()); });
  expect_fail(check_rules(in_gradient, x23(), {.order = 1}), "reverse",
              "float32 arithmetic on the way to the gradient");
}

TEST(OpaqueFunctions, WithAReferenceASaturatedRuleIsBlamedAndNotTheValue) {
  const auto formula = []<typename T>(T x) { return math::tanh(x); };
  const Rules rules = with_slope([](const Tensor& x) { return tanh(x); },
                                 [](const Tensor& x) { return 1 - tanh(x) * tanh(x); });
  const Report report = check_rules(rules, leaf({19.5}, {1}),
                                    {.order = 1, .reference = elementwise_reference(formula)});
  EXPECT_THAT(report.text(), ::testing::Not(::testing::HasSubstr("the value, which rises")))
      << report.text();
}

}  // namespace
}  // namespace notape::verify
