// What `shape` may say, and what it may not.
#include "verify/plugin/foreign_case.h"

#include <gmock/gmock.h>

#include <cmath>

#include "verify/plugin/testing/foreign_operators.h"

namespace notape::verify {
namespace {

using foreign::declared, foreign::SegmentSum;
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

}  // namespace
}  // namespace notape::verify
