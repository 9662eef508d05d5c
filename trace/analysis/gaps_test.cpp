#include "trace/analysis/gaps.h"

#include <gtest/gtest.h>

#include "trace/analysis/analyses.h"
#include "trace/testing/micro_trace.h"
#include "trace/testing/trace_files.h"

namespace notape::trace {
namespace {

using testing::MicroTrace;

/// A kernel until 10 us; a cudaFree [10, 22) and a launch [26, 27) of the kernel from 30 us on.
MicroTrace waiting_in_free() {
  MicroTrace trace;
  trace.launch(0, 1'000, 1).kernel(2'000, 8'000, 1).call("cudaFree", 8'000, 14'000);
  trace.call("cuMemFree", 9'000, 2'000);  // inside it
  trace.launch(26'000, 1'000, 2).kernel(30'000, 5'000, 2);
  return trace;
}

TEST(HostWaits, NamesWhatTheLaunchingThreadWasIn) {
  const TraceModel model = waiting_in_free().model();
  const std::vector<HostWait> waits = host_waits(model, Scope(model, {}).gpu_ops(0));
  ASSERT_EQ(waits.size(), 1u);
  EXPECT_EQ(waits[0].time.length(), 17'000);
  const std::vector<CallTime> calls = calls_during(Scope(model, {}), waits);
  ASSERT_EQ(calls.size(), 2u);
  EXPECT_EQ(calls[0].name, "cudaFree");
  EXPECT_EQ(calls[0].ns, 12'000);
  EXPECT_EQ(calls[1].name, "cudaLaunchKernel");
  EXPECT_EQ(calls[1].ns, 1'000);
}

TEST(HostWaits, AreWhatIdleCallsThem) {
  for (const char* name : {"kineto_resnet50_first6_w0", "hta_resnet_ns_v100",
                           "hta_alexnet_malloc_a100", "tracelens_h100_bert_small"}) {
    const std::string path = testing::public_trace(name);
    if (path.empty()) GTEST_SKIP() << testing::no_public_trace(name);
    const TraceModel model = load_model(path);
    int64_t sum = 0;
    for (const HostWait& wait : host_waits(model, Scope(model, {}).gpu_ops(0)))
      sum += wait.time.length();
    EXPECT_EQ(sum, idle(Scope(model, {}))["idle.host_wait"].value.ns()) << name;
  }
}

}  // namespace
}  // namespace notape::trace
