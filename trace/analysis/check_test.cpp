#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "trace/analysis/analyses.h"
#include "trace/testing/micro_trace.h"

namespace notape::trace {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using testing::MicroTrace;
using testing::report_of;
using testing::three_steps;

TEST(Check, NamesEachAnomaly) {
  const std::pair<MicroTrace, const char*> cases[] = {
      {MicroTrace().launch(10, 5, 1).kernel(5, 5, 1), "1 GPU ops start before the call"},
      {MicroTrace().kernel(5, 5, 1), "1 GPU ops have no launch record"},
      {MicroTrace().launch(1, 5, 1).launch(10, 5, 1), "1 API calls share a correlation"},
      {MicroTrace().op("a", 0, 10).op("b", 5, 10), "1 ops reach out of the op around them"},
      {MicroTrace().op("a", 0, 10).on_thread(-5).launch(5, 1, 1),
       "1 API calls are on threads with"},
      {MicroTrace().op("a", 0, 10).raw("5"), "1 elements of traceEvents are no events"},
      {MicroTrace().op("a", 0, -5), "1 rows have no time"},
      {MicroTrace().op("a", 0, 5).header(R"("metadata":{"dropped":3},)"), "lost 3 records"},
  };
  for (const auto& [trace, anomaly] : cases)
    EXPECT_THAT(report_of(check, trace).anomalies, ElementsAre(HasSubstr(anomaly)));
  EXPECT_THAT(report_of(check, three_steps()).anomalies, ElementsAre());
  EXPECT_THAT(report_of(check, MicroTrace()).anomalies, ElementsAre());
}

// What makes a figure wrong makes it unreliable.
TEST(Check, SaysWhichFiguresSuffer) {
  struct Case {
    const char* what;
    MicroTrace trace;
    const char* anomaly;
    const char* reason;
    bool host_too;
  };
  const auto with = [](const char* event) { return three_steps().raw(event); };
  std::vector<Case> cases = {
      {"kernels that overlap on one stream",
       three_steps().launch(20'000, 10, 7).kernel(25'000, 10, 7),
       "1 GPU ops begin before an earlier one of their stream has ended", "1 ops overlap", false},
      {"a kernel before its launch", three_steps().launch(500'000, 10, 7).kernel(499'000, 10, 7),
       "1 GPU ops start before the call", "1 ops start before their launch", false},
      {"a negative duration",
       with(R"({"ph":"X","cat":"kernel","name":"k","pid":0,"tid":7,"ts":30,"dur":-1,"args":{}})"),
       "1 rows have no time", "1 rows without a usable time", true},
      {"no duration",
       with(R"({"ph":"X","cat":"cpu_op","name":"a","pid":4242,"tid":1,"ts":300,"args":{}})"),
       "1 rows have no time", "1 rows without a usable time", true},
      {"a duration of months",
       with(R"({"ph":"X","cat":"kernel","name":"k","pid":0,"tid":7,"ts":30,"dur":9e12})"),
       "1 rows have no time", "1 rows without a usable time", true},
      {"begins and ends",
       with(R"({"ph":"B","cat":"cpu_op","name":"a","pid":4242,"tid":1,"ts":300})")
           .raw(R"({"ph":"E","pid":4242,"tid":1,"ts":310})"),
       "2 rows are in phases that are not read", "2 rows of phases that are not read", true},
      {"rows that are there twice", three_steps().with(three_steps()), "6 rows are there twice",
       "6 rows are there twice", true},
  };
  for (const char* phase : {"i", "b"})
    cases.push_back({"a kernel without a length",
                     three_steps().raw(std::string(R"({"cat":"kernel","name":"k","pid":0,"tid":7,)")
                                           .append(R"("ts":30,"ph":")")
                                           .append(phase) +
                                       "\"}"),
                     "1 rows are in phases", "1 rows of phases that are not read", true});
  for (const Case& one : cases) {
    SCOPED_TRACE(one.what);
    EXPECT_THAT(report_of(check, one.trace).anomalies, ::testing::Contains(HasSubstr(one.anomaly)));
    EXPECT_THAT(report_of(idle, one.trace)["idle.busy"].reason, HasSubstr(one.reason));
    EXPECT_THAT(report_of(overlap, one.trace)["overlap.f_gpu"].reason, HasSubstr(one.reason));
    EXPECT_EQ(report_of(alloc, one.trace)["alloc.calls"].is_reliable(), !one.host_too);
  }
}

TEST(Check, SaysWhichFiguresSufferFromOpsAndStepsThatCannotBe) {
  const MicroTrace ops = three_steps().op("a", 11'001, 9'000), clean = three_steps();
  EXPECT_TRUE(report_of(dispatch, clean)["dispatch.host_self.p50"].is_reliable());
  EXPECT_THAT(report_of(dispatch, ops)["dispatch.host_self.p50"].reason,
              HasSubstr("1 ops reach out of the op around them"));
  const MicroTrace steps = three_steps().step(7, 60'000, 1'000);
  EXPECT_THAT(report_of(check, steps).anomalies,
              ::testing::Contains("1 steps begin before the one before has ended"));
  const Report ahead = queue_ahead(Scope(steps.model(), {}));
  EXPECT_THAT(ahead["queue_ahead.raw"].reason, HasSubstr("1 steps overlap the one before"));
  MicroTrace memory = three_steps();
  for (int i = 0; i < 2; ++i)
    memory.raw(
        R"({"ph":"i","cat":"cpu_instant_event","name":"[memory]","pid":4242,"tid":1,"ts":11,)"
        R"("args":{"Bytes":512,"Addr":12,"Device Type":1}})");
  EXPECT_FALSE(report_of(alloc, memory)["alloc.device_allocations"].is_reliable());
}

TEST(Check, TimesInWholeMicrosecondsMayOverlapByOne) {
  const auto overlaps = [](int64_t second) {
    return MicroTrace()
        .kernel(1'000, 5'000, 1)
        .kernel(second, 9'000, 2)
        .model()
        .counts.stream_overlaps;
  };
  EXPECT_EQ(overlaps(6'000), 0u);
  EXPECT_EQ(overlaps(5'000), 0u);
  EXPECT_EQ(overlaps(4'000), 1u);
  EXPECT_EQ(overlaps(5'999), 1u);
}

}  // namespace
}  // namespace notape::trace
