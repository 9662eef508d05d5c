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

}  // namespace
}  // namespace notape::trace
