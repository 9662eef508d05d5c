#include "trace/model/trace_model.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "autograd/error.h"
#include "trace/testing/micro_trace.h"
#include "trace/testing/trace_files.h"

namespace notape::trace {
namespace {

using ::testing::ElementsAre;
using testing::MicroTrace;
using testing::TextFile;
using testing::trace_of;

TEST(ApiKind, GoesByTheName) {
  const std::pair<const char*, ApiKind> cases[] = {
      {"cudaLaunchKernel", ApiKind::KernelLaunch},
      {"cudaLaunchKernelExC", ApiKind::KernelLaunch},
      {"cuLaunchKernelEx", ApiKind::KernelLaunch},
      {"cudaLaunchHostFunc", ApiKind::Other},
      {"cudaGraphLaunch", ApiKind::GraphLaunch},
      {"cudaMalloc", ApiKind::DeviceAllocation},
      {"cudaMallocAsync", ApiKind::DeviceAllocation},
      {"cudaMallocHost", ApiKind::HostAllocation},
      {"cudaHostAlloc", ApiKind::HostAllocation},
      {"cudaFreeHost", ApiKind::Free},
      {"cuMemUnmap", ApiKind::Free},
      {"cuMemSetAccess", ApiKind::DeviceAllocation},
      {"cudaDeviceSynchronize", ApiKind::BlockingSync},
      {"cuStreamSynchronize", ApiKind::BlockingSync},
      {"cudaStreamWaitEvent", ApiKind::Other},
      {"cudaEventCreateWithFlags", ApiKind::Initialisation},
      {"cudaDeviceGetAttribute", ApiKind::Initialisation},
      {"cudaMemcpyAsync", ApiKind::Other},
      {"cudaMemset", ApiKind::Other},
      {"", ApiKind::Other},
  };
  for (const auto& [name, kind] : cases) EXPECT_EQ(api_kind(name), kind) << name;
}

TEST(TraceModel, ReadsTheDialectOf2021) {
  const TraceModel model = load_model(
      TextFile(trace_of(
                   R"({"ph":"X","cat":"Operator","name":"enumerate(DataLoader)#x","pid":8,
        "tid":"1441273664","ts":10,"dur":5,"args":{"External id":1}},
      {"ph":"X","cat":"Operator","name":"Optimizer.step#SGD.step","pid":8,"tid":"1441273664",
        "ts":90,"dur":5},
      {"ph":"X","cat":"Operator","name":"aten::add","pid":8,"tid":"1441273664","ts":20,"dur":9,
        "args":{"External id":2}},
      {"ph":"X","cat":"Runtime","name":"cudaLaunchKernel","pid":8,"tid":"1441273664","ts":22,
        "dur":3,"args":{"correlation":6,"external id":2}},
      {"ph":"X","cat":"Kernel","name":"k","pid":0,"tid":"stream 7","ts":40,"dur":0,
        "args":{"device":0,"stream":7,"correlation":6,"external id":2}},
      {"ph":"X","cat":"Memcpy","name":"c","pid":0,"tid":"stream 20","ts":41,"dur":2,
        "args":{"correlation":7}},
      {"ph":"X","cat":"Memset","name":"f","pid":0,"tid":"stream 7","ts":44,"dur":2,"args":{}},
      {"ph":"s","id":6,"pid":8,"tid":1441273664,"ts":22,"cat":"async","name":"launch"},
      {"ph":"f","id":6,"pid":0,"tid":"stream 7","ts":40,"cat":"async","name":"launch","bp":"e"},
      {"ph":"X","cat":"Trace","name":"t","pid":"Traces","tid":"PyTorch Profiler","ts":0,"dur":9})"))
          .path());
  EXPECT_EQ(model.counts.events, 10u);
  ASSERT_EQ(model.ops.size(), 1u);
  EXPECT_EQ(model.annotations.size(), 2u);
  EXPECT_EQ(model.counts.containers, 2u);
  ASSERT_EQ(model.threads.size(), 1u) << "strings and numbers name one thread";
  EXPECT_EQ(model.threads[0].tid, 1'441'273'664);
  ASSERT_EQ(model.calls.size(), 1u);
  EXPECT_EQ(model.calls[0].external_id, 2);
  ASSERT_EQ(model.gpu_ops.size(), 3u);
  EXPECT_EQ(model.gpu_ops[0].stream, 7);
  EXPECT_EQ(model.gpu_ops[0].time, (Interval{40'000, 40'000}));
  EXPECT_EQ(model.gpu_ops[1].stream, 20) << "from the tid, where the arguments do not say it";
  EXPECT_EQ(model.gpu_ops[1].kind, GpuOpKind::Copy);
  EXPECT_EQ(model.gpu_ops[2].kind, GpuOpKind::Fill);
  EXPECT_EQ(model.counts.unlinked, 2u);
  EXPECT_EQ(model.counts.zero_length_kernels, 1u);
  EXPECT_EQ(model.counts.flow_starts, 1u);
  EXPECT_EQ(model.counts.flow_ends, 1u);
  EXPECT_TRUE(model.counts.unknown_categories.empty());
  EXPECT_TRUE(model.has_whole_microseconds);
  ASSERT_EQ(model.steps.size(), 1u);
  EXPECT_EQ(model.step_source, "starts of enumerate(DataLoader)");
  EXPECT_EQ(model.steps[0].time, (Interval{10'000, 95'000})) << "to the end of the file";
}

TEST(TraceModel, LinksByCorrelationAlsoSeveralOpsOfOneLaunch) {
  const TraceModel model = MicroTrace()
                               .op("a", 0, 100)
                               .call("cudaGraphLaunch", 10, 5, 3)
                               .kernel(30, 5, 3, R"("graph id":1)")
                               .kernel(20, 5, 3, R"("graph id":1)")
                               .call("cudaMemsetAsync", 40, 5, 4)
                               .kernel(60, 5, 9)
                               .model();
  const ApiCall& graph = model.calls[0];
  ASSERT_EQ(graph.gpu_ops, 2u);
  EXPECT_EQ(model.gpu_ops[model.launched_by(graph)[0]].time.begin, 20);
  EXPECT_EQ(model.gpu_ops[model.launched_by(graph)[1]].time.begin, 30);
  EXPECT_TRUE(model.has_graphs);
  EXPECT_FALSE(model.calls[1].is_linked()) << "it puts nothing on the GPU";
  EXPECT_EQ(model.counts.unlinked, 1u) << "a kernel without a launch, not a launch without one";
}

TEST(TraceModel, TellsAnEarlyKernelFromOneThatStartsWhileItsLaunchReturns) {
  const TraceModel model = MicroTrace()
                               .launch(100, 50, 1)
                               .kernel(99, 10, 1)
                               .launch(200, 50, 2)
                               .kernel(200, 10, 2)
                               .launch(300, 50, 3)
                               .kernel(350, 10, 3)
                               .model();
  EXPECT_EQ(model.counts.early, 1u);
  EXPECT_EQ(model.counts.started_in_call, 1u);
  EXPECT_TRUE(model.gpu_ops[0].is_early);
  EXPECT_EQ(model.gpu_ops[0].call, kNowhere);
  EXPECT_EQ(model.launched.size(), 2u);
}

TEST(TraceModel, FindsTheInnermostOpOfTheSameThread) {
  const TraceModel model = MicroTrace()
                               .op("outer", 0, 100'000)
                               .op("inner", 10'000, 20'000)
                               .launch(12'000, 5'000, 1)
                               .launch(50'000, 5'000, 2)
                               .launch(100'000, 500, 3)
                               .on_thread(2)
                               .launch(13'000, 5'000, 4)
                               .op("other", 20'000, 1'000)
                               .model();
  const auto op_of = [&](int64_t correlation) -> std::string_view {
    for (const ApiCall& call : model.calls)
      if (call.correlation == correlation)
        return call.op == kNowhere ? "" : model.name(model.ops[call.op].name);
    return "?";
  };
  EXPECT_EQ(op_of(1), "inner");
  EXPECT_EQ(op_of(2), "outer");
  EXPECT_EQ(op_of(3), "") << "an op that ends there is over";
  EXPECT_EQ(op_of(4), "") << "another thread";
  EXPECT_EQ(model.ops[1].parent, 0);
  EXPECT_EQ(model.ops[2].parent, kNowhere);
}

TEST(TraceModel, OfOpsWithTheSameTimesTheFirstIdIsAround) {
  // In whole us a child may have its parent's very times; ids were given at entry.
  const TraceModel model =
      MicroTrace().op("parent", 10'000, 0).op("child", 10'000, 0).launch(10'000, 0, 1).model();
  ASSERT_EQ(model.ops.size(), 2u);
  EXPECT_EQ(model.name(model.ops[0].name), "parent");
  EXPECT_EQ(model.ops[1].parent, 0);
  EXPECT_EQ(model.calls[0].op, 1);
}

TEST(TraceModel, OfRowsWithoutIdsTheNamesSayWhichIsAround) {
  for (unsigned seed = 0; seed < 8; ++seed) {
    const TraceModel model = MicroTrace()
                                 .slice("cpu_op", "b", 0, 10)
                                 .slice("cpu_op", "c", 0, 10)
                                 .slice("cpu_op", "a", 0, 10)
                                 .shuffled(seed)
                                 .model();
    std::string names;
    for (const HostOp& op : model.ops) names += model.name(op.name);
    EXPECT_EQ(names, "abc") << "whatever the order of events";
  }
}

TEST(TraceModel, CountsCallsThatReachOutOfTheirOpByTheClocksDifference) {
  const TraceModel model = MicroTrace()
                               .op("a", 0, 10'000)
                               .launch(9'000, 1'400, 1)
                               .op("b", 20'000, 10'000)
                               .launch(29'000, 5'000, 2)
                               .model();
  EXPECT_EQ(model.calls[0].op, 0);
  EXPECT_EQ(model.counts.clipped, 1u);
  EXPECT_EQ(model.calls[1].op, kNowhere) << "4 us are no difference of clocks";
}

TEST(TraceModel, ExcludesAndCountsTimesThatCannotBe) {
  MicroTrace trace = testing::three_steps();
  const TraceModel clean = trace.model();
  const char* const bad[] = {
      R"({"ph":"X","cat":"kernel","name":"k","pid":0,"tid":7,"ts":0,"dur":0,"args":{}})",
      R"({"ph":"X","cat":"kernel","name":"k","pid":0,"tid":7,"ts":30,"dur":-1,"args":{}})",
      R"({"ph":"X","cat":"kernel","name":"k","pid":0,"tid":7,"ts":NaN,"dur":1,"args":{}})",
      R"({"ph":"X","cat":"kernel","name":"k","pid":0,"tid":7,"ts":30,"args":{}})",
      R"({"ph":"X","cat":"kernel","name":"k","pid":0,"tid":7,"dur":1,"args":{}})",
      R"({"ph":"X","cat":"kernel","name":"k","pid":0,"tid":7,"ts":30,"dur":604800000001})",
      R"({"ph":"X","cat":"kernel","name":"k","pid":0,"tid":7,"ts":1e300,"dur":1})",
      R"({"ph":"X","cat":"cpu_op","name":"a","pid":4242,"tid":1,"ts":1712195495519695.8,"dur":1})",
      R"({"ph":"X","cat":"cpu_op","name":"a","pid":4242,"tid":1,"ts":9223372036854775,"dur":900})",
      R"({"ph":"X","cat":"cpu_op","name":"a","pid":4242,"tid":1,"ts":-9223372036854775,"dur":9})",
      R"({"ph":"i","cat":"cpu_instant_event","name":"[memory]","pid":4242,"tid":1,"ts":"x"})",
  };
  for (const char* event : bad) trace.raw(event);
  const TraceModel model = trace.model();
  EXPECT_EQ(model.counts.bad_time, std::size(bad));
  EXPECT_EQ(model.time, clean.time);
  EXPECT_EQ(model.gpu_ops.size(), 3u);
  EXPECT_EQ(model.ops.size(), 3u);
}

TEST(TraceModel, CountsWhatItDoesNotKnow) {
  const TraceModel model =
      MicroTrace()
          .slice("cpu_op", "a", 0, 10)
          .slice("mystery", "a", 0, 10)
          .slice("mystery", "b", 0, 10)
          .slice("python_function", "f", 0, 10)
          .slice("overhead", "o", 0, 10)
          .slice("gpu_user_annotation", "g", 0, 10)
          .raw(R"({"ph":"b","cat":"x","name":"a","id":1,"ts":1})")
          .raw(R"({"ph":"C","name":"queue","pid":0,"ts":1,"args":{"queued":1}})")
          .raw(R"({"ph":"Q"})")
          .raw(R"({"ph":"long"})")
          .raw("7")
          .raw("{}")
          .model();
  EXPECT_EQ(model.counts.unknown_categories, (std::map<std::string, uint64_t>{{"mystery", 2}}));
  EXPECT_EQ(model.counts.unknown_phases, (std::map<std::string, uint64_t>{{"Q", 1}, {"none", 2}}));
  EXPECT_EQ(model.counts.async_events, 1u);
  EXPECT_EQ(model.counts.counters, 1u);
  EXPECT_EQ(model.counts.not_events, 1u);
  EXPECT_EQ(model.counts.stack_rows, 1u);
  EXPECT_TRUE(model.has_stacks);
  EXPECT_TRUE(model.gpu_ops.empty()) << "annotations and frames are no work";
  EXPECT_EQ(model.ops.size(), 1u);
}

TEST(TraceModel, TakesStepsFromProfilerStepsThenDataLoaderThenTheUser) {
  MicroTrace trace;
  trace.annotation("enumerate(DataLoader)#x", 0, 5).annotation("epoch", 10, 5).op("train", 20, 5);
  trace.annotation("enumerate(DataLoader)#x", 100, 5).op("train", 120, 30);
  const TraceModel by_loader = trace.model();
  ASSERT_EQ(by_loader.steps.size(), 2u);
  EXPECT_EQ(by_loader.steps[0].time, (Interval{0, 100}));
  EXPECT_EQ(by_loader.steps[1].time, (Interval{100, 150}));
  const TraceModel by_user = trace.model({"^tra"});
  ASSERT_EQ(by_user.steps.size(), 2u);
  EXPECT_EQ(by_user.steps[1].time, (Interval{120, 150}));
  EXPECT_EQ(by_user.step_source, "starts of /^tra/");
  trace.step(7, 30, 20).on_thread(2).step(7, 31, 4);
  const TraceModel by_profiler = trace.model();
  ASSERT_EQ(by_profiler.steps.size(), 1u) << "one step noted by two threads";
  EXPECT_EQ(by_profiler.steps[0].number, 7);
  EXPECT_EQ(by_profiler.steps[0].time, (Interval{30, 50}));
  EXPECT_EQ(by_profiler.steps[0].mark_end, 150);
  EXPECT_THROW(trace.model({"("}), ValueError);
}

TEST(TraceModel, ACorrelationThatComesAgainIsAnotherLaunch) {
  MicroTrace trace = MicroTrace().launch(0, 5, 1).kernel(10, 5, 1).launch(100, 5, 1);
  const TraceModel model = trace.kernel(110, 5, 1).model();
  EXPECT_EQ(model.gpu_ops[0].call, 0);
  EXPECT_EQ(model.gpu_ops[1].call, 1);
  EXPECT_EQ(model.counts.ambiguous_links, 0u);
  const TraceModel graphs = MicroTrace()
                                .call("cudaGraphLaunch", 0, 5, 1)
                                .kernel(10, 5, 1)
                                .kernel(20, 5, 1)
                                .call("cudaGraphLaunch", 100, 5, 1)
                                .kernel(110, 5, 1)
                                .model();
  EXPECT_EQ(graphs.gpu_ops[1].call, 0);
  EXPECT_EQ(graphs.gpu_ops[2].call, 1);
  const TraceModel nested = MicroTrace()
                                .call("cudaLaunchKernel", 0, 9, 1)
                                .call("cuLaunchKernel", 2, 5, 1)
                                .kernel(10, 5, 1)
                                .model();
  EXPECT_EQ(nested.gpu_ops[0].call, 0) << "one inside the other is one launch";
  EXPECT_EQ(nested.counts.ambiguous_links, 0u);
  const TraceModel unclear =
      MicroTrace().launch(0, 5, 1).launch(6, 5, 1).kernel(20, 5, 1).kernel(30, 5, 1).model();
  EXPECT_EQ(unclear.gpu_ops[0].call, 0);
  EXPECT_EQ(unclear.gpu_ops[1].call, 1);
  EXPECT_EQ(unclear.counts.ambiguous_links, 2u) << "either may be of the other call";
}

TEST(TraceModel, AStepWhoseNumberComesAgainLaterIsAnotherStep) {
  MicroTrace trace;
  trace.step(1, 0, 100).step(1, 200, 100).on_thread(2).step(1, 205, 90).step(2, 400, 10);
  const TraceModel model = trace.model();
  ASSERT_EQ(model.steps.size(), 3u) << "another thread notes the second, too";
  EXPECT_EQ(model.steps[1].time, (Interval{200, 300}));
  EXPECT_EQ(model.steps[0].mark_end, 200);
  EXPECT_EQ(model.steps[1].number, 1);
}

TEST(TraceModel, LooksForStepsInNamesOfAnyLength) {
  const std::string name(3'000'000, 'x');
  const MicroTrace trace = MicroTrace().op(name.c_str(), 0, 5).op("train", 5, 5);
  EXPECT_EQ(trace.model({"^(x|t)*r"}).steps.size(), 1u);
}

TEST(TraceModel, ReadsTheMetadataThatMatter) {
  const TraceModel model =
      MicroTrace()
          .op("a", 1, 2)
          .header(R"("baseTimeNanoseconds": 1751410836000000000, "with_stack": 1,
                     "metadata": {"device_kind": "emulated", "dropped": 12, "drift_ppm": -3.5},)")
          .model();
  EXPECT_EQ(model.base_nanoseconds, 1'751'410'836'000'000'000);
  EXPECT_TRUE(model.has_stacks);
  EXPECT_EQ(model.device_kind, "emulated");
  EXPECT_EQ(model.dropped, 12u);
  EXPECT_EQ(model.drift_ppm, -3.5);
  for (const char* odd : {R"("metadata": 5,)", R"("metadata": {"device_kind": 5, "dropped": "x"},)",
                          R"("metadata": {"dropped": -1},)", R"("metadata": {"a" 1},)"}) {
    const TraceModel other = MicroTrace().op("a", 1, 2).header(odd).model();
    EXPECT_EQ(other.device_kind, "");
    EXPECT_EQ(other.dropped, 0u);
  }
}

TEST(TraceModel, NamesThreads) {
  const TraceModel model =
      MicroTrace()
          .op("a", 1, 2)
          .raw(R"({"ph":"M","name":"thread_name","pid":4242,"tid":1,"args":{"name":"main"}})")
          .raw(R"({"ph":"M","name":"thread_name","pid":1,"tid":1,"args":{"name":"none"}})")
          .model();
  ASSERT_EQ(model.threads.size(), 1u);
  EXPECT_EQ(model.name(model.threads[0].name), "main");
}

TEST(TraceModel, IsEmptyOfAnEmptyTrace) {
  const TraceModel model = MicroTrace().model();
  EXPECT_EQ(model.counts.events, 0u);
  EXPECT_FALSE(model.has_gpu());
  EXPECT_TRUE(model.steps.empty());
  EXPECT_THAT(model.devices(), ElementsAre());
}

}  // namespace
}  // namespace notape::trace
