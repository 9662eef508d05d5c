// The exact slope of every row of the registry against its ladder, and where it is not to be had.
#include "verify/checks/exact_slope.h"

#include <gmock/gmock.h>

#include <set>

#include "verify/checks/directions_of.h"
#include "verify/mutate/mutant_test_helper.h"

namespace notape::verify {
namespace {

DrawnCase drawn_case(const OpSpec& spec, uint64_t seed) {
  ChoiceDraw draw(rc::Random(rc::Random::Key{seed, 2, 3, 4}));
  return draw_case(spec, draw, kFloat64);
}

TEST(ExactSlope, OfEveryRowIsTheLaddersSlope) {
  constexpr uint64_t kCases = 8;
  for (const OpSpec* spec : op_specs()) {
    int sure = 0, confirmed = 0, differentiable = 0;
    for (uint64_t seed = 0; seed < kCases; ++seed) {
      const DrawnCase drawn = drawn_case(*spec, seed);
      const Subject subject(*spec, drawn, kFloat64, Device());
      if (!subject.is_differentiable()) continue;
      for (const Direction& u : directions_of(subject)) {
        ++differentiable;
        const auto exact = exact_slope(subject, u, subject.wide(), subject.incoming());
        ASSERT_TRUE(exact) << spec->name << ": its reference is not generic";
        if (!exact->is_sure()) continue;
        ++sure;
        const Slope ladder = ladder_slope(subject, u, kQuick);
        ASSERT_TRUE(ladder.finite) << spec->name;
        EXPECT_LE(static_cast<double>(magnitude(exact->value.value - ladder.value)),
                  static_cast<double>(10 * ladder.error + exact->error()))
            << spec->name << " " << drawn.op.label;
        confirmed += confirmed_slope(subject, u).has_value();
      }
    }
    // Where formulas branch nobody is sure, and pow draws exponents at which its own does (x^-0.5),
    // embedding_bag equal rows of one bag, grid_sampler_2d places of a reflection: of these cases
    // three in four are left.
    const std::set<std::string_view> branching = {"pow", "embedding_bag", "grid_sampler_2d"};
    const bool branches = branching.contains(spec->name);
    EXPECT_GE(sure, branches ? differentiable * 3 / 4 : differentiable * 9 / 10) << spec->name;
    // The rest is near a kink, or cancels in float64: ladders decide.
    EXPECT_GE(confirmed, sure * 3 / 4) << spec->name;
  }
}

/// A row whose value is f, on one number.
template <typename F>
OpSpec row_at(F f, double x) {
  const Reference reference = [f]<typename T>(const PlainList<T>& list) {
    return plain_map(f, list[0]);
  };
  OpSpec spec = unary_mutant(
      [=](const variable_list& list) { return right_value(reference, list); }, reference, 0, 0);
  spec.draw = [draw = spec.draw, x](Draw& source) {
    OpCase one = draw(source);
    one.arguments[0].fixed = {x};
    return one;
  };
  return spec;
}

TEST(ExactSlope, IsNotSureOnABranch) {
  const OpSpec spec = row_at([](auto x) { return math::abs(x); }, 0);
  const DrawnCase drawn = drawn_case(spec, 1);
  const Subject subject(spec, drawn, kFloat64, Device());
  const Direction u = one_hot(drawn, 0, 0);
  const auto exact = exact_slope(subject, u, subject.wide(), subject.incoming());
  ASSERT_TRUE(exact);
  EXPECT_TRUE(exact->branch == 0);
  EXPECT_FALSE(exact->is_sure());
  EXPECT_FALSE(confirmed_slope(subject, u));
  EXPECT_FALSE(exact_leg(subject, u).absent.empty());
}

TEST(ExactSlope, StepsOfTheLadderEndBeforeTheNextBranch) {
  // A quick ladder's steps, 2^-20 and less, would reach over this kink.
  constexpr double kDistance = 0x1p-24;
  const OpSpec spec = row_at([](auto x) { return math::abs(x); }, kDistance);
  const DrawnCase drawn = drawn_case(spec, 1);
  const Subject subject(spec, drawn, kFloat64, Device());
  Direction u = one_hot(drawn, 0, 0);
  u.parts[0][0] = 1;
  const Slope across = slope(subject.path(u), kQuick), before = ladder_slope(subject, u, kQuick);
  const Wide right = subject.incoming()[0];
  EXPECT_FALSE(across.value == right);
  EXPECT_TRUE(before.value == right);
}

TEST(ExactSlope, StepsEndBeforeABranchThatComesNearerThanItsSlopeSays) {
  // |x^2 - 1| at 0.125: by the slope of x^2 the kink would be four units away, it is at 0.875.
  const auto f = []<typename T>(T x) { return math::abs(x * x - T(1)); };
  const OpSpec spec = row_at(f, 0.125);
  const DrawnCase drawn = drawn_case(spec, 1);
  const Subject subject(spec, drawn, kFloat64, Device());
  Direction u = one_hot(drawn, 0, 0);
  u.parts[0][0] = 8;
  const Slope found = ladder_slope(subject, u, {1, 5});
  ASSERT_FALSE(found.rungs.empty());
  EXPECT_GE(found.rungs.front().exponent, 4 + 2);  // 8 / 2^4 is the first step that is short enough
}

TEST(ExactSlope, IsNotConfirmedByAnOperatorThatRisesOtherwise) {
  OpSpec spec = row_at([](auto x) { return x * x; }, 2);
  spec.draw = [draw = spec.draw](Draw& source) {
    OpCase one = draw(source);
    one.call = [](const variable_list& x) { return x[0] * x[0] * 1.01; };
    return one;
  };
  const DrawnCase drawn = drawn_case(spec, 1);
  const Subject subject(spec, drawn, kFloat64, Device());
  EXPECT_FALSE(confirmed_slope(subject, one_hot(drawn, 0, 0)));
}

}  // namespace
}  // namespace notape::verify
