// The real CUPTI, as far as it goes without a GPU.
#include "trace/gpu/cupti/cupti_library.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "autograd/tensor/device_interface.h"
#include "trace/gpu/cupti/absent_activity.h"
#include "trace/gpu/cupti/collector.h"

#ifdef NOTAPE_HAVE_CUPTI
#include "trace/gpu/cupti/cupti_records.h"
#endif

namespace notape::trace::cupti {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;
using ::testing::StartsWith;

TEST(CuptiLibrary, WithoutAGpuSaysWhyInOneLineAndTheProgramGoesOn) {
  if (device_count(kCUDA) > 0) GTEST_SKIP() << "there is a GPU";
  Collector collector(cupti_library());
  for (int attempt = 0; attempt < 2; ++attempt) {
    EXPECT_FALSE(collector.start());
    EXPECT_THAT(collector.state(), StartsWith("not used: "));
    EXPECT_THAT(collector.state(), Not(HasSubstr("\n")));
    EXPECT_TRUE(collector.stop().rows.empty());
  }
  RecordProperty("state", collector.state());
}

TEST(CuptiLibrary, AnAbsentOneIsNeverCalled) {
  AbsentActivity absent("no headers");
  Collector collector(absent);
  EXPECT_FALSE(collector.start());
  EXPECT_EQ(collector.state(), "not used: no headers");
}

#ifdef NOTAPE_HAVE_CUPTI

template <typename Record>
ActivityRecord translated(const Record& record) {
  const auto result = translate(reinterpret_cast<const CUpti_Activity&>(record));
  EXPECT_TRUE(result.has_value());
  return result.value_or(ActivityRecord());
}

TEST(CuptiRecords, AKernelKeepsWhatTheFileNames) {
  CUpti_ActivityKernel10 kernel{};
  kernel.kind = CUPTI_ACTIVITY_KIND_CONCURRENT_KERNEL;
  kernel.name = "_Z3addPfS_";
  kernel.start = 100;
  kernel.end = 250;
  kernel.correlationId = 7;
  kernel.deviceId = 1;
  kernel.streamId = 13;
  kernel.gridX = 2, kernel.gridY = 3, kernel.gridZ = 4;
  kernel.blockX = 256, kernel.blockY = kernel.blockZ = 1;
  kernel.registersPerThread = 32;
  kernel.staticSharedMemory = 100;
  kernel.dynamicSharedMemory = 28;
  kernel.queued = 50;
  kernel.submitted = 60;
  kernel.graphId = 5;
  kernel.graphNodeId = 6;
  DeviceRow row = translated(kernel).row;
  EXPECT_EQ(row.kind, DeviceRowKind::Kernel);
  EXPECT_EQ(row.name, "add(float*, float*)");
  EXPECT_EQ(row.begin_ns, 100);
  EXPECT_EQ(row.end_ns, 250);
  EXPECT_EQ(row.correlation, 7U);
  EXPECT_EQ(row.device, 1);
  EXPECT_EQ(row.stream, 13);
  EXPECT_EQ(row.grid, (std::array<int32_t, 3>{2, 3, 4}));
  EXPECT_EQ(row.block[0], 256);
  EXPECT_EQ(row.registers, 32U);
  EXPECT_EQ(row.shared_memory, 128U);
  EXPECT_EQ(row.queued_ns, 50U);
  EXPECT_EQ(row.graph, 5U);
  EXPECT_EQ(row.graph_node, 6U);
  kernel.submitted = 40;  // stale
  EXPECT_EQ(translated(kernel).row.queued_ns, 0U);
}

TEST(CuptiRecords, CopiesFillsAndWaitsAreNamedAsPyTorchNamesThem) {
  CUpti_ActivityMemcpy6 copy{};
  copy.kind = CUPTI_ACTIVITY_KIND_MEMCPY;
  copy.copyKind = CUPTI_ACTIVITY_MEMCPY_KIND_HTOD;
  copy.srcKind = CUPTI_ACTIVITY_MEMORY_KIND_PINNED;
  copy.dstKind = CUPTI_ACTIVITY_MEMORY_KIND_DEVICE;
  copy.bytes = 4096;
  EXPECT_EQ(translated(copy).row.name, "Memcpy HtoD (Pinned -> Device)");
  EXPECT_EQ(translated(copy).row.bytes, 4096U);
  CUpti_ActivityMemset4 fill{};
  fill.kind = CUPTI_ACTIVITY_KIND_MEMSET;
  fill.memoryKind = CUPTI_ACTIVITY_MEMORY_KIND_DEVICE;
  EXPECT_EQ(translated(fill).row.name, "Memset (Device)");
  CUpti_ActivitySynchronization2 wait{};
  wait.kind = CUPTI_ACTIVITY_KIND_SYNCHRONIZATION;
  wait.type = CUPTI_ACTIVITY_SYNCHRONIZATION_TYPE_CONTEXT_SYNCHRONIZE;
  wait.streamId = CUPTI_SYNCHRONIZATION_INVALID_VALUE;
  EXPECT_EQ(translated(wait).row.name, "Context Sync");
  EXPECT_EQ(translated(wait).row.stream, -1);
  wait.type = CUPTI_ACTIVITY_SYNCHRONIZATION_TYPE_STREAM_WAIT_EVENT;
  wait.cudaEventSyncId = 9;
  EXPECT_EQ(translated(wait).event, 9U);
}

TEST(CuptiRecords, OnlyOurTwoStacksOfNumbersAreRead) {
  CUpti_ActivityExternalCorrelation external{};
  external.kind = CUPTI_ACTIVITY_KIND_EXTERNAL_CORRELATION;
  external.externalKind = CUPTI_EXTERNAL_CORRELATION_KIND_CUSTOM1;
  external.externalId = 44;
  EXPECT_EQ(translated(external).external_kind, ExternalKind::Range);
  EXPECT_EQ(translated(external).external_id, 44U);
  external.externalKind = CUPTI_EXTERNAL_CORRELATION_KIND_OPENACC;
  EXPECT_FALSE(translate(reinterpret_cast<const CUpti_Activity&>(external)));
}

TEST(CuptiRecords, FunctionsLoseTheirVersionsAndNothingElse) {
  EXPECT_EQ(without_version("cudaLaunchKernel_v7000"), "cudaLaunchKernel");
  EXPECT_EQ(without_version("cuMemAlloc_v2"), "cuMemAlloc");
  EXPECT_EQ(without_version("cudaMemcpyAsync_ptsz"), "cudaMemcpyAsync_ptsz");
  EXPECT_EQ(without_version("cu_v"), "cu_v");
}

#endif

}  // namespace
}  // namespace notape::trace::cupti
