#include "trace/write/summary.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <sstream>

#include "trace/testing/recordings.h"

namespace notape::trace {
namespace {

using testing::event;
using ::testing::HasSubstr;
using testing::operation;
using testing::recording_of;

Recording example() {
  return recording_of({{1,
                        100,
                        "main",
                        {
                            event(EventKind::Step, "ProfilerStep", 0, 1000),
                            operation("outer", 100, 500, 0, 0, 0),
                            operation("inner", 200, 300, 0, 0, 1),
                            operation("outer", 600, 700, 0, 0, 0),
                            operation("outer", 650, 660, 0, 0, 3),
                        },
                        2}});
}

TEST(Summary, AddsUpSelfAndTotalTimeByName) {
  const auto rows = summarize(make_timeline(example()));
  ASSERT_EQ(rows.size(), 2U);
  EXPECT_EQ(rows[0].name, "outer");
  EXPECT_EQ(rows[0].calls, 3U);
  EXPECT_EQ(rows[0].self_ns, 400);
  EXPECT_EQ(rows[0].total_ns, 500);  // the call inside its like counts once
  EXPECT_EQ(rows[0].median_ns, 90);  // of 10, 90 and 300
  EXPECT_EQ(rows[1].name, "inner");
  EXPECT_EQ(rows[1].self_ns, 100);
}

TEST(Summary, PrintsTheTopRowsAndWhatWasLost) {
  std::ostringstream out;
  print_summary(out, example(), make_timeline(example()), 1);
  EXPECT_THAT(out.str(), HasSubstr("outer"));
  EXPECT_THAT(out.str(), HasSubstr("... and 1 more"));
  EXPECT_THAT(out.str(), HasSubstr("5 events on 1 thread in 1.000 ms; 2 dropped, 0 unfinished"));
}

}  // namespace
}  // namespace notape::trace
