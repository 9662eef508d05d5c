// What `shape` may say, and what it may not.
#include "verify/plugin/foreign_case.h"

#include <gmock/gmock.h>

#include <cmath>

#include "verify/checks/check.h"
#include "verify/plugin/testing/foreign_operators.h"

namespace notape::verify {
namespace {

using foreign::declared, foreign::SegmentSum;
namespace np = notape::plugin;
using ::testing::HasSubstr;

using Shape = int (*)(notape_case* one);

std::string refusal_of(Shape shape) {
  notape_operator2 foreign = declared<SegmentSum>();
  foreign.shape = shape;
  const OpSpec spec = row_of(foreign);
  ChoiceDraw draw{Choices{}};
  try {
    spec.draw(draw);
    return "none";
  } catch (const ForeignOperatorError& error) {
    return error.what_without_backtrace();
  }
}

/// What SegmentSum says, for three entries.
void fill(notape_case* one) { one->inputs[0] = one->inputs[1] = one->outputs[0] = {1, {3}}; }

TEST(ForeignCase, AShapeThatNoBufferHasIsRefused) {
  const std::pair<Shape, const char*> cases[] = {
      {[](notape_case* one) { return fill(one), one->inputs[1].rank = 99, 0; },
       "gives inputs[1] (segment) a negative size, a rank above 8"},
      {[](notape_case* one) { return fill(one), one->inputs[0].rank = -1, 0; }, "inputs[0] (x) a"},
      {[](notape_case* one) { return fill(one), one->outputs[0].sizes[0] = -3, 0; },
       "gives outputs[0] a negative size"},
      {[](notape_case* one) {
         return fill(one), one->outputs[0] = {4, {1 << 16, 1 << 16, 1 << 16, 1 << 16}}, 0;
       },
       "more than 65536 entries"},
      {[](notape_case* one) { return fill(one), one->inputs[0].sizes[0] = INT64_MAX, 0; },
       "more than 65536 entries"},
      {[](notape_case*) { return 42; }, "shape of segment_sum refused with 42"},
  };
  for (const auto& [shape, why] : cases) EXPECT_THAT(refusal_of(shape), HasSubstr(why));
}

TEST(ForeignCase, ARangeIsOnlyNarrowed) {
  const std::pair<Shape, const char*> cases[] = {
      {[](notape_case* one) {
         return fill(one), one->ranges[1] = {0, 3}, 0;
       },
       "gives inputs[1] (segment) the range 0 to 3, outside of 0 to 2"},
      {[](notape_case* one) { return fill(one), one->ranges[0].low = std::nan(""), 0; },
       "outside of -4 to 4"},
      {[](notape_case* one) {
         return fill(one), one->ranges[1] = {0.5, 1}, 0;
       },
       "which is not of whole numbers"},
      {[](notape_case* one) {
         return fill(one), one->ranges[1] = {1, 0}, 0;
       },
       "which is empty"},
      {[](notape_case* one) {
         return fill(one), one->ranges[0] = {1, 1}, 0;
       },
       "which is empty"},
      {[](notape_case* one) {
         return fill(one), one->ranges[1] = {1, 1}, 0;
       },
       "none"},
  };
  for (const auto& [shape, why] : cases) EXPECT_THAT(refusal_of(shape), HasSubstr(why));
}

TEST(ForeignCase, MoreDifferentNumbersThanThereAreAreRefused) {
  notape_operator2 foreign = declared<SegmentSum>();
  notape_input inputs[] = {foreign.inputs[0], foreign.inputs[1]};
  inputs[1].flags = NOTAPE_DISTINCT;
  foreign.inputs = inputs;
  foreign.shape = [](notape_case* one) { return fill(one), one->inputs[1].sizes[0] = 4, 0; };
  const OpSpec spec = row_of(foreign);
  ChoiceDraw draw{Choices{}};
  EXPECT_THROW(spec.draw(draw), ForeignOperatorError);
}

/// y = n x, and wrong where n is almost as large as it may be.
struct WrongAtTheEnd {
  static np::About about() {
    return np::About("wrong_at_the_end").real("x", 0.9, 1.1).number("n", 1, wrong_from + 0.5);
  }
  static constexpr double wrong_from = 255;
  static void shape(np::Case& one) { one.input(0) = one.output(0) = {2}; }
  template <typename T>
  static void forward(const np::Call<T>& call) {
    for (int64_t i = 0; i < 2; ++i) call.output(0)[i] = T(call.number(0)) * call.input(0)[i];
  }
  template <typename T>
  static void backward(const np::Call<T>& call) {
    const double factor = call.number(0) > wrong_from ? 1 : call.number(0);
    for (int64_t i = 0; i < 2; ++i) call.grad_input(0)[i] = T(factor) * call.grad_output(0)[i];
  }
};

TEST(ForeignCase, TheEndsOfAnAttributesRangeAreTried) {
  Options options{.dtypes = {kFloat64}};
  for (const Check& check : all_checks())
    if (check.name != std::string_view("reverse")) options.left_out.push_back(check.name);
  for (options.seed = 1; options.seed <= 8; ++options.seed)
    EXPECT_THAT(alarms(verify_operator(row_of(declared<WrongAtTheEnd>()), options)),
                ::testing::ElementsAre("reverse FAIL"))
        << options.seed;
}

TEST(ForeignCase, TheEndsOfAWholeInputsRangeAreTried) {
  notape_operator2 foreign = declared<SegmentSum>();
  notape_input inputs[] = {foreign.inputs[0], foreign.inputs[1]};
  inputs[1].low = -1000;
  inputs[1].high = 1000;
  inputs[1].flags = 0;
  foreign.inputs = inputs;
  const OpSpec spec = row_of(foreign);
  int low = 0, high = 0;
  for (uint64_t seed = 0; seed < 60; ++seed) {
    ChoiceDraw draw{rc::Random(seed)};
    for (const double index : *spec.draw(draw).arguments[1].fixed) {
      low += index == -1000;
      high += index == 1000;
    }
  }
  EXPECT_GE(low, 3);
  EXPECT_GE(high, 3);
}

}  // namespace
}  // namespace notape::verify
