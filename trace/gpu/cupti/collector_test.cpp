// The rules of CUPTI's activity API, against a mock of it.
#include "trace/gpu/cupti/collector.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <algorithm>

#include "trace/record/clock.h"
#include "trace/testing/mock_activity.h"

namespace notape::trace::cupti {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using testing::MockActivity;

const DeviceRow* find(const DeviceRecording& recording, DeviceRowKind kind) {
  const auto found = std::find_if(recording.rows.begin(), recording.rows.end(),
                                  [&](const DeviceRow& row) { return row.kind == kind; });
  return found == recording.rows.end() ? nullptr : &*found;
}

std::size_t place_of(const std::vector<std::string>& log, std::string_view line) {
  return static_cast<std::size_t>(std::find(log.begin(), log.end(), line) - log.begin());
}

/// A launch of 1 us that begins now, and its kernel of 10 us after it; the launch has passed.
uint64_t launch(MockActivity& api, int64_t begin_ns = now_ns()) {
  const uint64_t correlation = api.call("cudaLaunchKernel", begin_ns, begin_ns + 1'000);
  api.kernel(correlation, begin_ns + 3'000, begin_ns + 13'000);
  return correlation;
}

TEST(CuptiCollector, StartsInTheOrderThatTheDocumentationAsksFor) {
  MockActivity api;
  Collector collector(api);
  ASSERT_TRUE(collector.start());
  EXPECT_THAT(api.take_log(),
              ElementsAre("subscribe", "thread ids", "clock", "attributes", "buffers",
                          "enable ExternalCorrelation", "enable Runtime", "enable Driver",
                          "enable ConcurrentKernel", "enable Copy", "enable Fill",
                          "enable Synchronization", "enable Overhead", "enable Event",
                          "leave out cudaGetDevice", "leave out cuKernelGetAttribute",
                          "leave out cuDevicePrimaryCtxGetState", "leave out cuCtxGetCurrent"));
  EXPECT_EQ(collector.state(), "used: a mock of CUPTI");
  collector.stop();
}

TEST(CuptiCollector, StopsInTheOrderThatKeepsTheTail) {
  MockActivity api;
  Collector collector(api);
  collector.start();
  api.take_log();
  const int64_t at = now_ns();
  api.kernel(api.call("cudaLaunchKernel", at, at + 1'000), at + 3'000, at + 13'000, 7,
             /*has_ended=*/false);
  const DeviceRecording recording = collector.stop();
  const std::vector<std::string> log = api.take_log();
  EXPECT_EQ(log.front(), "synchronize");
  EXPECT_LT(place_of(log, "disable Event"), place_of(log, "flush"));
  EXPECT_LT(place_of(log, "flush"), place_of(log, "flush forced"));
  EXPECT_EQ(log.back(), "unsubscribe");
  // What still ran when stop() was called is there, whole.
  ASSERT_NE(find(recording, DeviceRowKind::Kernel), nullptr);
  EXPECT_EQ(find(recording, DeviceRowKind::Kernel)->end_ns, at + 13'000);
  EXPECT_EQ(recording.incomplete, 0U);
  EXPECT_EQ(recording.device_kind, "cuda");
}

TEST(CuptiCollector, TakesTheClockOncePerProcess) {
  MockActivity api;
  Collector collector(api);
  for (int session = 0; session < 3; ++session) {
    ASSERT_TRUE(collector.start());
    launch(api);
    launch(api);
    const DeviceRecording recording = collector.stop();
    EXPECT_EQ(recording.rows.size(), 4U);
    for (const DeviceRow& row : recording.rows)
      for (const DeviceRow& call : recording.rows)
        if (row.is_work() && call.is_call() && call.correlation == row.correlation) {
          EXPECT_GE(row.begin_ns, call.begin_ns) << "a kernel before its launch";
        }
    EXPECT_EQ(recording.clock, "the recorder's, by CUPTI's callback");
  }
  EXPECT_EQ(api.clocks_registered(), 1);
}

TEST(CuptiCollector, ConvertsTimesWhereItsClockIsRefused) {
  MockActivity api;
  api.clock_code = kNotCompatible;
  api.clock_slope = 1.0001;  // 100 us in a second
  Collector collector(api);
  ASSERT_TRUE(collector.start());
  const int64_t begin = now_ns();
  launch(api, begin);
  while (now_ns() < begin + 2'000'000) {
  }  // ends apart, or there is no slope
  const DeviceRecording recording = collector.stop();
  EXPECT_THAT(recording.clock, HasSubstr("CUPTI's, converted through two moments"));
  const DeviceRow* kernel = find(recording, DeviceRowKind::Kernel);
  ASSERT_NE(kernel, nullptr);
  EXPECT_NEAR(static_cast<double>(kernel->begin_ns), static_cast<double>(begin + 3'000), 20'000);
}

TEST(CuptiCollector, SaysThatTimesAreUnconvertedWhereThereIsNoClockAtAll) {
  MockActivity api;
  api.clock_code = kNotCompatible;
  api.has_no_clock = true;
  Collector collector(api);
  collector.start();
  launch(api);
  EXPECT_EQ(collector.stop().clock, "CUPTI's, unconverted");
}

TEST(CuptiCollector, RecordsTheThreadsOfTheSystem) {
  MockActivity api;
  Collector collector(api);
  collector.start();
  launch(api);
  EXPECT_EQ(find(collector.stop(), DeviceRowKind::RuntimeCall)->tid, gettid());
  api.thread_id_code = 1;
  collector.start();
  launch(api);
  const DeviceRecording recording = collector.stop();
  EXPECT_LT(find(recording, DeviceRowKind::RuntimeCall)->tid, 0);
  EXPECT_THAT(recording.state, HasSubstr("its thread ids do not join"));
}

TEST(CuptiCollector, CountsWhatHasNoTimeAndWhatDidNotEnd) {
  MockActivity api;
  Collector collector(api);
  collector.start();
  const uint64_t correlation = launch(api);
  api.kernel(correlation, 0, 0);
  const int64_t at = now_ns();
  api.kernel(correlation, at, at - 1);
  api.kernel(correlation, at, 0);
  const DeviceRecording recording = collector.stop();
  EXPECT_EQ(recording.without_time, 1U);
  EXPECT_EQ(recording.incomplete, 2U);
  EXPECT_EQ(recording.rows.size(), 2U);
  EXPECT_EQ(recording.lost(), 3U);
}

TEST(CuptiCollector, CountsWhatCuptiLost) {
  MockActivity api;
  Collector collector(api);
  collector.start();
  api.lose(3);
  for (int i = 0; i < 4; ++i) launch(api);
  const DeviceRecording recording = collector.stop();
  EXPECT_EQ(recording.dropped, 3U);
  EXPECT_EQ(recording.rows.size(), 5U);
  collector.start();  // each session counts its own
  EXPECT_EQ(collector.stop().dropped, 0U);
}

TEST(CuptiCollector, CountsTheBuffersThatItCouldNotGive) {
  MockActivity api;
  Collector collector(api, {.buffer_bytes = 64, .most_bytes = 128});  // 16 records of the mock
  for (int session = 0; session < 2; ++session) {
    collector.start();
    for (int i = 0; i < 10; ++i) launch(api);
    const DeviceRecording recording = collector.stop();
    EXPECT_EQ(recording.rows.size(), 16U);
    EXPECT_EQ(recording.dropped, 4U);
    EXPECT_EQ(recording.refused_buffers, 4U);
  }
}

TEST(CuptiCollector, LeavesCallsOutThatSayNothing) {
  MockActivity api;
  Collector collector(api);
  collector.start();
  const int64_t at = now_ns();
  for (const char* name : Collector::calls_left_out()) api.call(name, at, at + 1);
  api.call("cudaMalloc", at, at + 1);
  const DeviceRecording recording = collector.stop();
  ASSERT_EQ(recording.rows.size(), 1U);
  EXPECT_EQ(recording.rows[0].name, "cudaMalloc");
  EXPECT_THAT(recording.calls_left_out,
              ElementsAre("cudaGetDevice", "cuKernelGetAttribute", "cuDevicePrimaryCtxGetState",
                          "cuCtxGetCurrent"));
}

TEST(CuptiCollector, SaysWhoHasCuptiAndTriesAgain) {
  MockActivity api;
  api.subscription_code = kMultipleSubscribers;
  api.holder = "Nsight Systems";
  Collector collector(api);
  EXPECT_FALSE(collector.start());
  EXPECT_EQ(collector.state(),
            "not used: another tool has CUPTI: Nsight Systems "
            "(CUPTI_ERROR_MULTIPLE_SUBSCRIBERS_NOT_SUPPORTED, 39)");
  const DeviceRecording none = collector.stop();
  EXPECT_THAT(none.rows, IsEmpty());
  EXPECT_EQ(none.state, collector.state());
  EXPECT_EQ(none.device_kind, "cpu");
  api.subscription_code = 0;
  EXPECT_TRUE(collector.start());
  launch(api);
  EXPECT_EQ(collector.stop().rows.size(), 2U);
}

TEST(CuptiCollector, SaysWhatIsNotAllowedAndLeavesNothingSwitchedOn) {
  MockActivity api;
  api.refused_kind = static_cast<int>(ActivityKind::ConcurrentKernel);
  api.refused_kind_code = kInsufficientPrivileges;
  Collector collector(api);
  EXPECT_FALSE(collector.start());
  EXPECT_THAT(collector.state(), HasSubstr("this user or container may not trace GPUs"));
  EXPECT_THAT(collector.state(), ::testing::Not(HasSubstr("\n")));
  const std::vector<std::string> log = api.take_log();
  EXPECT_EQ(log.back(), "unsubscribe");
  EXPECT_LT(place_of(log, "disable Runtime"), log.size());
  EXPECT_EQ(place_of(log, "disable Copy"), log.size()) << "it was never on";
  api.refused_kind = -1;
  api.buffers_code = 1;
  EXPECT_FALSE(collector.start());
  EXPECT_THAT(collector.state(), HasSubstr("its callbacks could not be registered"));
}

TEST(CuptiCollector, IsNotUsedWhereThereIsNone) {
  MockActivity api;
  api.reason_unavailable = "libcupti.so.13 cannot be loaded";
  Collector collector(api);
  EXPECT_FALSE(collector.start());
  EXPECT_EQ(collector.state(), "not used: libcupti.so.13 cannot be loaded");
  EXPECT_THAT(api.take_log(), IsEmpty());
}

TEST(CuptiCollector, ReadsRecordsInAnyOrder) {
  MockActivity api;
  api.delivers_backwards = true;
  Collector collector(api);
  collector.start();
  api.push_external(ExternalKind::Operation, 5);
  launch(api);
  api.pop_external(ExternalKind::Operation);
  const DeviceRecording recording = collector.stop();
  ASSERT_EQ(recording.rows.size(), 2U);
  EXPECT_EQ(recording.rows[0].kind, DeviceRowKind::Kernel);
  EXPECT_EQ(find(recording, DeviceRowKind::RuntimeCall)->operation, 5U);
}

TEST(CuptiCollector, JoinsAWaitToTheEventItWaitsFor) {
  MockActivity api;
  Collector collector(api);
  collector.start();
  const int64_t at = now_ns();
  const uint64_t recorded = api.call("cudaEventRecord", at, at + 1);
  api.event_recorded(77, recorded, 7);
  DeviceRow wait;
  wait.name = "Stream Wait Event";
  wait.begin_ns = wait.end_ns = at;
  wait.stream = 20;
  wait.context = 9;
  api.wait(wait, 77);
  DeviceRow work;
  work.kind = DeviceRowKind::Fill;
  work.begin_ns = work.end_ns = at;
  work.context = 9;
  work.device = 2;
  api.work(work);
  const DeviceRecording recording = collector.stop();
  const DeviceRow* sync = find(recording, DeviceRowKind::Sync);
  ASSERT_NE(sync, nullptr);
  EXPECT_EQ(sync->awaited_stream, 7);
  EXPECT_EQ(sync->device, 2);  // that of the context
  EXPECT_EQ(sync->awaited_correlation, recorded);
}

TEST(CuptiCollector, BelievesQueueTimesOnlyBeforeTheStart) {
  MockActivity api;
  Collector collector(api);
  collector.start();
  const int64_t at = now_ns();
  DeviceRow row;
  row.kind = DeviceRowKind::Kernel;
  row.begin_ns = at;
  row.end_ns = at + 10;
  row.queued_ns = static_cast<uint64_t>(at + 5);
  api.work(row);
  row.queued_ns = static_cast<uint64_t>(at - 5);
  api.work(row);
  api.call("cudaLaunchKernel", at, at + 1);
  const DeviceRecording recording = collector.stop();
  ASSERT_EQ(recording.rows.size(), 3U);
  EXPECT_EQ(recording.rows[1].queued_ns, 0U);
  EXPECT_EQ(recording.rows[2].queued_ns, static_cast<uint64_t>(at - 5));
}

}  // namespace
}  // namespace notape::trace::cupti
