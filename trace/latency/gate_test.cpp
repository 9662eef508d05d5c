#include "trace/latency/gate.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "autograd/error.h"

namespace notape::trace {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

Metric figure(const char* name, Value value, const char* unit) {
  Metric metric;
  metric.name = name;
  metric.value = std::move(value);
  metric.unit = unit;
  return metric;
}

std::vector<Metric> three_figures() {
  Metric instructions = figure("tensor.instructions", {}, "instructions");
  instructions.reason = "no perf counters: none";
  return {figure("tensor.p50", 30.0, "ns"), figure("differentiable.p50", 75.0, "ns"), instructions};
}

std::string failure_of(const std::string& text) {
  const LatencyGate gate(text);
  gate.check(three_figures());
  return gate.failure(three_figures());
}

std::string refusal_of(const std::string& text) {
  try {
    LatencyGate(text).check(three_figures());
  } catch (const ValueError& error) {
    return error.what_without_backtrace();
  }
  return "";
}

TEST(LatencyGate, BoundsAFigureByAnotherOrByANumber) {
  for (const char* holds :
       {"differentiable.p50<=2.5x tensor.p50", "differentiable.p50<=2.5xtensor.p50",
        " differentiable.p50 <= 2.5 x tensor.p50 ", "tensor.p50<=30ns", "tensor.p50 <= 0.03 us",
        "tensor.p50>=30ns", "tensor.p50<=3e1ns", "differentiable.p50>=2x tensor.p50"})
    EXPECT_THAT(failure_of(holds), IsEmpty()) << holds;
  EXPECT_EQ(failure_of("differentiable.p50<=2x tensor.p50"),
            "differentiable.p50<=2x tensor.p50: 75.0 ns is above 60.0 ns, 2 x 30.0 ns");
  EXPECT_EQ(failure_of("tensor.p50<=29.9ns"), "tensor.p50<=29.9ns: 30.0 ns is above 29.9 ns");
  EXPECT_EQ(failure_of("tensor.p50>=1us"), "tensor.p50>=1us: 30.0 ns is below 1000.0 ns");
}

TEST(LatencyGate, WithoutDataFailsWithTheReason) {
  EXPECT_EQ(failure_of("tensor.instructions<=600"),
            "tensor.instructions<=600: no data about tensor.instructions (no perf counters: none)");
}

TEST(LatencyGate, AMalformedOneIsRefusedWithTheGrammar) {
  for (const char* malformed : {"", "tensor.p50", "tensor.p50<30ns", "tensor.p50=30ns", "<=30ns",
                                "tensor.p50<=", "tensor.p50<=ns", "tensor.p50<=x tensor.p50",
                                "tensor.p50<=2x", "tensor.p50<=2x a<=b", "tensor.p50<=30s",
                                "tensor.p50<=nanns", "tensor.p50<=infx tensor.p50",
                                "tensor.p50<=2x tensor.p50 or so", "tensor.p50<=2 tensor.p50"})
    EXPECT_THAT(refusal_of(malformed),
                AllOf(HasSubstr("gate '" + std::string(malformed) + "': "),
                      HasSubstr("a gate is FIGURE<=FACTORx FIGURE or FIGURE<=NUMBERns")))
        << malformed;
}

TEST(LatencyGate, FiguresAndUnitsAreChecked) {
  EXPECT_THAT(refusal_of("tensr.p50<=30ns"), HasSubstr("there is no figure 'tensr.p50'"));
  EXPECT_THAT(refusal_of("tensor.p50<=2x tensr.p50"), HasSubstr("there is no figure 'tensr.p50'"));
  EXPECT_THAT(refusal_of("tensor.p50<=30"), HasSubstr("needs ns or us behind it"));
  EXPECT_THAT(refusal_of("tensor.instructions<=30ns"), HasSubstr("needs nothing behind it"));
  EXPECT_THAT(refusal_of("tensor.p50<=2x tensor.instructions"),
              HasSubstr("tensor.p50 is in ns, tensor.instructions in instructions"));
}

}  // namespace
}  // namespace notape::trace
