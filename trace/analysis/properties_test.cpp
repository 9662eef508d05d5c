// What must not change a figure does not, and what scales all times scales it; and no file, however
// odd, stops an analysis.
#include <gtest/gtest.h>

#include <random>

#include "autograd/error.h"
#include "trace/analysis/analyses.h"
#include "trace/testing/micro_trace.h"
#include "trace/testing/trace_files.h"

namespace notape::trace {
namespace {

using testing::all_reports;
using testing::MicroTrace;

/// A bit of everything: `random` iterations of ops, launches on two streams and threads, syncs,
/// allocator calls, data loading and memory events.
MicroTrace drawn_trace(unsigned seed) {
  std::mt19937 random(seed);
  const auto below = [&](int64_t limit) {
    return static_cast<int64_t>(random() % static_cast<uint64_t>(limit));
  };
  MicroTrace trace;
  int64_t at = 1'000, gpu = 5'000, correlation = 1;
  for (int64_t i = 0; i < 4; ++i) {
    const int64_t start = at;
    if (below(2)) trace.annotation("enumerate(DataLoader)#x", at, 300);
    at += 400;
    for (int64_t j = 2 + below(8); j > 0; --j) {
      const int64_t length = 200 + below(2'000);
      trace.on_thread(1 + below(2));
      trace.op(below(2) ? "aten::mul" : "aten::add", at, length,
               below(2) ? R"("Sequence number":3)" : "");
      const int64_t launch = at + 10 + below(100);
      trace.launch(launch, 20 + below(60), correlation);
      trace.on_stream(7 + below(2));
      gpu = std::max(gpu, launch + below(30)) + below(900);
      const int64_t work = below(5) ? below(3'000) : 0;
      trace.kernel(gpu, work, below(12) ? correlation : 10'000 + correlation);
      gpu += work / 2;
      ++correlation;
      if (!below(4)) trace.call("cudaMalloc", at + length - 60, 40);
      if (!below(4)) trace.call("cudaStreamSynchronize", at + length, 50);
      if (!below(3)) trace.memory(at, 512 * (below(9) - 4), below(9'000), 9'000);
      at += length + below(100);
    }
    trace.step(i, start, at - start);
    at += 50;
  }
  return trace;
}

TEST(Properties, TheOrderOfEventsAndTheEpochDoNotMatter) {
  for (unsigned seed = 0; seed < 40; ++seed) {
    const std::string expected = all_reports(drawn_trace(seed).model());
    EXPECT_EQ(all_reports(drawn_trace(seed).shuffled(seed).model()), expected) << seed;
    EXPECT_EQ(all_reports(drawn_trace(seed).transformed(1, 1'712'195'495'519'689'807).model()),
              expected)
        << seed;
    EXPECT_EQ(all_reports(drawn_trace(seed).transformed(1, -777'777).model()), expected) << seed;
  }
}

TEST(Properties, ScalingTimesScalesTimesAndNothingElse) {
  for (unsigned seed = 0; seed < 40; ++seed) {
    const TraceModel once = drawn_trace(seed).model();
    const TraceModel threefold = drawn_trace(seed).transformed(3, 0).model();
    Selection selection, scaled_selection;
    selection.shortest_dependency_ns = 700;
    scaled_selection.shortest_dependency_ns = 2'100;
    const Scope scope(once, selection), scaled(threefold, scaled_selection);
    for (const auto analysis : {&dispatch, &overlap, &idle, &queue, &alloc, &first_iteration}) {
      const Report a = analysis(scope), b = analysis(scaled);
      ASSERT_EQ(a.metrics.size(), b.metrics.size());
      for (std::size_t i = 0; i < a.metrics.size(); ++i) {
        const Metric &before = a.metrics[i], &after = b.metrics[i];
        if (before.name == "run_ahead.mean") continue;  // rounded to whole ns
        const bool is_time = before.unit == "us" && !before.value.is_nothing();
        EXPECT_EQ(is_time ? Value(Nanoseconds{3 * before.value.ns()}) : before.value, after.value)
            << before.name;
      }
    }
  }
}

TEST(Properties, IdleKindsSumToTheIdleTime) {
  for (unsigned seed = 0; seed < 200; ++seed) {
    const TraceModel model = drawn_trace(seed).model();
    Selection selection;
    selection.shortest_dependency_ns = 500;
    selection.as_hta = true;
    const Report report = idle(Scope(model, selection));
    const auto ns = [&](const std::string& name) { return report["idle." + name].value.ns(); };
    EXPECT_EQ(ns("host_wait") + ns("launch_latency") + ns("kernel_wait") + ns("dependency") +
                  ns("unlinked"),
              ns("window") - ns("busy"));
    EXPECT_EQ(ns("hta.host_wait") + ns("hta.kernel_wait") + ns("hta.other"), ns("total"));
    EXPECT_EQ(ns("host_wait.blocking_sync") + ns("host_wait.allocator") +
                  ns("host_wait.other_api") + ns("host_wait.op_self") +
                  ns("host_wait.data_loading") + ns("host_wait.user_code"),
              ns("host_wait"));
  }
}

TEST(Properties, SplittingAStepSplitsWhatItOwns) {
  MicroTrace whole, split;
  for (MicroTrace* trace : {&whole, &split})
    for (int64_t i = 0; i < 6; ++i)
      trace->op("aten::mul", 100 * i, 50)
          .launch(100 * i + 10, 10, i + 1)
          .kernel(1'000 + 100 * i, 70, i + 1);
  whole.step(0, 0, 600);
  split.step(0, 0, 300).step(1, 300, 300);
  const TraceModel a = whole.model(), b = split.model();
  EXPECT_EQ(idle(Scope(a, {}))["idle.total"].value, idle(Scope(b, {}))["idle.total"].value);
  const Report one = queue_ahead(Scope(a, {})), two = queue_ahead(Scope(b, {}));
  int64_t t_gpu = 0;
  uint64_t n = 0;
  for (const Metric& metric : two.metrics)
    if (metric.name == "queue_ahead.t_gpu") {
      t_gpu += metric.value.ns();
      n += metric.n;
    }
  EXPECT_EQ(t_gpu, one["queue_ahead.t_gpu"].value.ns());
  EXPECT_EQ(n, one["queue_ahead.t_gpu"].n);
}

TEST(Properties, NoGarbledTraceStopsAnAnalysis) {
  std::mt19937 random(6);
  const std::string text = drawn_trace(1).json();
  constexpr const char* kNumbers[] = {"-1",   "0",   "1e18", "-9223372036854775808", "9e300",
                                      "null", "NaN", "7",    "9223372036854775807",  "0.0004"};
  uint64_t analysed = 0;
  for (int round = 0; round < 1'500; ++round) {
    std::string garbled = text;
    for (unsigned change = 1 + random() % 20; change > 0; --change) {
      // A number becomes another one, or some text goes.
      const std::size_t place = garbled.find(':', random() % garbled.size());
      if (place == std::string::npos) continue;
      const std::size_t end = garbled.find_first_of(",}", place);
      if (garbled[place + 1] != '"' && garbled[place + 1] != '{')
        garbled.replace(place + 1, end - place - 1, kNumbers[random() % std::size(kNumbers)]);
      else if (random() % 20 == 0)
        garbled.erase(place, random() % 10);
    }
    const testing::TextFile file(garbled);
    try {
      const TraceModel model = load_model(file.path());
      Selection selection;
      selection.as_hta = selection.with_curves = true;
      all_reports(model, selection);
      ++analysed;
    } catch (const FileError&) {
    }
  }
  EXPECT_GT(analysed, 700u);
}

Report steps_question(const Scope& scope) { return steps(scope, 10); }

TEST(Properties, FilesOfWhichAPartIsMissingHaveAClearAnswer) {
  const MicroTrace cases[] = {
      MicroTrace(),
      MicroTrace().kernel(10, 5, 1),
      MicroTrace().op("aten::mul", 0, 5),
      MicroTrace().launch(0, 5, 1),
      MicroTrace().step(0, 0, 5),
      MicroTrace().memory(3, 512, 512, 512),
      MicroTrace().annotation("enumerate(DataLoader)#x", 0, 0),
      MicroTrace().launch(0, 0, 1).kernel(0, 0, 1),
  };
  for (const MicroTrace& trace : cases) {
    const TraceModel model = trace.model();
    for (const auto analysis :
         {&check, &dispatch, &overlap, &idle, &queue, &alloc, &first_iteration, &steps_question}) {
      for (const Metric& metric : analysis(Scope(model, {})).metrics)
        if (metric.value.is_nothing()) {
          EXPECT_EQ(metric.n, 0u) << metric.name;
          EXPECT_NE(metric.reason, "") << metric.name;
          EXPECT_FALSE(metric.is_reliable());
        }
    }
  }
}

}  // namespace
}  // namespace notape::trace
