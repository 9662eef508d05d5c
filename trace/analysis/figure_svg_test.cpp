#include "trace/analysis/figure_svg.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "autograd/error.h"
#include "trace/analysis/analyses.h"
#include "trace/testing/micro_trace.h"

namespace notape::trace {
namespace {

using ::testing::HasSubstr;
using ::testing::StartsWith;
using testing::three_steps;

TEST(FigureSvg, Figure1HasHostAboveGpu) {
  const TraceModel model = three_steps().model();
  Selection selection;
  selection.first_step = 2;
  const std::string svg = queue_ahead_svg(queue_ahead(Scope(model, selection)));
  EXPECT_THAT(svg, StartsWith("<svg "));
  EXPECT_THAT(svg, HasSubstr("<title>aten::mul, 0.000 to 8.000 us</title>"));
  EXPECT_THAT(svg, HasSubstr("<title>k, 9.000 to 29.250 us</title>"));
  EXPECT_THAT(svg, HasSubstr("3.1154"));
  // The kernel's end is the right edge: the launch returns at 6.5 of 29.25 us.
  EXPECT_THAT(svg, HasSubstr("29.250 us"));
  EXPECT_THROW(queue_ahead_svg(queue_ahead(Scope(model, {}))), ValueError);
}

TEST(FigureSvg, Figure2HasABarForEachCause) {
  testing::MicroTrace trace;
  trace.step(0, 0, 5'000'000).step(1, 5'000'000, 1'000).step(2, 5'001'000, 1'000);
  trace.call("cudaMalloc", 1'000, 3'000'000).op("<op>", 0, 10);
  const TraceModel model = trace.model();
  const std::string svg = first_iteration_svg(first_iteration(Scope(model, {})));
  for (const char* text : {"allocator", "3000.000 us", "unexplained", "initialisation"})
    EXPECT_THAT(svg, HasSubstr(text));
  EXPECT_THROW(first_iteration_svg(first_iteration(Scope(testing::MicroTrace().model(), {}))),
               ValueError);
}

}  // namespace
}  // namespace notape::trace
