// Who is to blame, with mistakes planted where only a third witness can tell.
#include <gmock/gmock.h>

#include "verify/mutate/mutant_test_helper.h"

namespace notape::verify {
namespace {

using ::testing::AllOf;
using ::testing::Each;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Not;

/// What `reverse` says about who is wrong.
std::vector<std::string> blames_of(const OpSpec& spec) {
  std::vector<std::string> blames;
  for (const Certificate& one : verify_operator(spec, {.samples = 6}))
    if (std::string_view(one.check) == "reverse" && one.failure)
      blames.push_back(one.failure->outcome.blame);
  return blames;
}

constexpr auto square_times = [](double factor) {
  return [factor]<typename T>(const PlainList<T>& x) {
    return plain_map([factor](T a) { return T(factor) * a * a; }, x[0]);
  };
};
/// A value of value_factor x^2 and a derivative of 2 rule_factor x, said to be x^2.
OpSpec square_operator(double value_factor, double rule_factor, bool forward_mode = true) {
  const auto rule = elementwise(
      [=](const Tensor& grad, const Input<0>& x) { return grad * x * (2 * rule_factor); });
  OpSpec spec = unary_mutant(
      [=](const variable_list& x) {
        return with_derivative(derivative("Mutant", rule), square_times(value_factor), x[0]);
      },
      square_times(1));
  spec.forward_mode = forward_mode;
  return spec;
}

TEST(Blame, FallsOnTheRulesWhereTheOperatorRisesLikeItsReference) {
  const auto blames = blames_of(square_operator(1, 1.001));
  EXPECT_THAT(blames, Not(IsEmpty()));
  EXPECT_THAT(blames, Each(AllOf(HasSubstr("the formula behind"), HasSubstr("own values"))));
}

TEST(Blame, FallsOnTheValueWhereItRisesAsTheRulesSay) {
  const auto blames = blames_of(square_operator(1.001, 1.001));
  EXPECT_THAT(blames, Not(IsEmpty()));
  EXPECT_THAT(blames, Each(HasSubstr("the value, which rises as the rules say")));
}

TEST(Blame, WithoutAForwardRuleDualNumbersTell) {
  const auto blames = blames_of(square_operator(1, 1.001, false));
  EXPECT_THAT(blames, Not(IsEmpty()));
  EXPECT_THAT(blames, Each(HasSubstr("the reverse rule: dual numbers")));
}

TEST(Blame, WithoutDualNumbersEitherItIsUndecided) {
  OpSpec spec = square_operator(1, 1.001, false);
  spec.draw = [draw = spec.draw](Draw& source) {
    OpCase one = draw(source);
    one.reference = [](const WideList& x) { return plain_map([](Wide a) { return a * a; }, x[0]); };
    return one;
  };
  const auto blames = blames_of(spec);
  EXPECT_THAT(blames, Not(IsEmpty()));
  EXPECT_THAT(blames, Each(HasSubstr("only a forward rule could tell")));
}

/// Where `check` says the mistake is.
std::vector<std::string> places_of(const OpSpec& spec, std::string_view check) {
  std::vector<std::string> places;
  for (const Certificate& one : verify_operator(spec, {.samples = 6}))
    if (check == one.check && one.failure && one.failure->outcome.guilty)
      places.push_back(one.failure->outcome.guilty->where);
  return places;
}

TEST(GuiltyEntry, IsNamedForTheSecondOrderAndForForwardMode) {
  const auto cube = []<typename T>(const PlainList<T>& x) {
    return plain_map([](T a) { return a * a * a; }, x[0]);
  };
  const auto made_of = [&](const auto& rule) {
    return unary_mutant(
        [=](const variable_list& x) {
          return with_derivative(derivative("Mutant", rule), cube, x[0]);
        },
        cube);
  };
  const auto slope = [](const Tensor& x) { return 3 * square(x); };
  const auto detached =
      elementwise([=](const Tensor& grad, const Input<0>& x) { return grad * slope(x).detach(); });
  EXPECT_THAT(places_of(made_of(detached), "second-order"),
              AllOf(Not(IsEmpty()), Each(HasSubstr("by argument 0 at ["))));
  const auto wrong_tangent =
      rule([=](const Tensor& grad, const Input<0>& x) { return grad * slope(x); },
           [=](const Tensor& tangent, const Input<0>& x) { return tangent * slope(x) * 1.5; });
  EXPECT_THAT(places_of(made_of(wrong_tangent), "forward-mode"),
              AllOf(Not(IsEmpty()), Each(HasSubstr("derivative by argument 0 at ["))));
}

}  // namespace
}  // namespace notape::verify
