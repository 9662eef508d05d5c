// `notape bench fig1` and `fig2` on the emulated GPU, whose times are stated costs: so figures are
// known.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "paper_examples/testing/command.h"
#include "trace/analysis/analyses.h"
#include "trace/model/trace_model.h"

namespace notape {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;
using Json = nlohmann::json;

struct BenchFigures : CommandTest {
  void SetUp() override {
    const std::string device =
        shell("NOTAPE_CUDA=emulated " NOTAPE_COMMAND " bench step ncf tiny 1 cuda 1").error;
    if (device.find("not available") != std::string::npos) GTEST_SKIP() << device;
  }
  Outcome bench(const std::string& words) const {
    return shell("NOTAPE_CUDA=emulated " NOTAPE_COMMAND " bench " + words);
  }
};

TEST_F(BenchFigures, C44_TheHostRunsAheadOfTheGpuMoreWithLargerBatches) {
  const Outcome outcome = bench(
      "fig1 --model resnet18 --batches 2,128 --warmup 1 --steps 2 --format json --out f.json "
      "-o f.svg --trace f.json.gz");
  ASSERT_EQ(outcome.status, 0) << outcome.error;
  EXPECT_EQ(trace::read_file(path("f.json")), outcome.out);
  const Json report = Json::parse(outcome.out), rows = report["rows"];
  EXPECT_THAT(report["device"].get<std::string>(),
              AllOf(HasSubstr("emulated"), HasSubstr("stated costs: operator or node 2000 ns")));
  ASSERT_EQ(rows.size(), 2U);
  for (const Json& row : rows) {
    for (const char* part : {"forward", "whole"}) {
      const Json& one = row[part];
      EXPECT_EQ(one["host_self_p50_us"], 2) << "the stated cost";
      EXPECT_GE(one["ratio_corrected"], one["ratio"]);
    }
    EXPECT_GT(row["whole"]["t_gpu_ms"], row["forward"]["t_gpu_ms"]);
    EXPECT_GT(row["blocking_step_ms"], row["whole"]["step_ms"]) << "asynchrony saves time";
  }
  EXPECT_GT(rows[1]["whole"]["ratio_corrected"], rows[0]["whole"]["ratio_corrected"]);
  EXPECT_THAT(trace::read_file(path("f.svg")), HasSubstr("the device works for"));

  // Every call takes what it is stated to take, and all that was launched is there.
  EXPECT_EQ(run("trace check f.json.gz --strict").status, 0);
  const trace::TraceModel model = trace::load_model(path("f.json.gz"));
  EXPECT_EQ(model.device_kind, "emulated");
  EXPECT_EQ(model.counts.unlinked, 0U);
  EXPECT_EQ(model.counts.clipped, 0U);
  int64_t launches = 0;
  for (const trace::ApiCall& call : model.calls) {
    if (model.name(call.name) != "cudaLaunchKernel") continue;
    ++launches;
    EXPECT_GE(call.time.length(), 4'000);
  }
  EXPECT_GT(launches, 300);
  EXPECT_THAT(run("trace fig1 f.json.gz").out, HasSubstr("queue_ahead.corrected"));
}

TEST_F(BenchFigures, C29_C45_OnlyTheFirstIterationsWaitForTheDriversMemoryFunctions) {
  const Outcome outcome =
      bench("fig2 --model ncf --scale small --batch 512 --format json -o f.svg");
  ASSERT_EQ(outcome.status, 0) << outcome.error << outcome.out;
  const Json report = Json::parse(outcome.out);
  for (const Json& one : report["criteria"]) EXPECT_EQ(one["holds"], true) << one;
  const Json& caching = report["runs"][0];
  for (const Json& one : caching["iterations"]) {
    EXPECT_NEAR(one["malloc_ms"], 0.1 * one["malloc_calls"].get<double>(), 1e-9);
    if (one["iteration"] < 3) continue;
    EXPECT_EQ(one["malloc_calls"], 0);
    EXPECT_EQ(one["free_calls"], 0);
    EXPECT_EQ(one["hit_rate"], 1);
  }
  EXPECT_GT(caching["iterations"][0]["malloc_calls"], 0);
  EXPECT_EQ(caching["sizes_not_multiples_of_512"], 0);
  const Json& excess = caching["first_iteration"];
  EXPECT_GT(excess["by_cause_ms"]["allocator"], 0);
  EXPECT_EQ(report["runs"][3]["reason"], "not available: notape has no such allocator");
  EXPECT_THAT(trace::read_file(path("f.svg")), HasSubstr("at one scale"));
}

/// The trace in the repository is what its command makes today: the clock is virtual.
TEST_F(BenchFigures, TheTraceInTheRepositoryIsRenewedByOneCommand) {
  const Outcome outcome = shell(
      "echo record new.json.gz 4 read 0 | NOTAPE_CUDA=emulated "
      "NOTAPE_EMULATED_VALUES=0 " NOTAPE_COMMAND " bench step ncf small 512 cuda 1");
  ASSERT_EQ(outcome.status, 0) << outcome.error << outcome.out;
  EXPECT_THAT(outcome.error, HasSubstr("nothing is computed, only timed"));
  const trace::TraceModel recorded = trace::load_model("trace/testing/ncf_emulated.json.gz"),
                          now = trace::load_model(path("new.json.gz"));
  for (trace::Report (*question)(const trace::Scope&) :
       {trace::first_iteration, trace::idle, trace::queue, trace::alloc}) {
    const trace::Report before = question(trace::Scope(recorded, {})),
                        after = question(trace::Scope(now, {}));
    ASSERT_EQ(before.metrics.size(), after.metrics.size());
    for (std::size_t i = 0; i < before.metrics.size(); ++i)
      EXPECT_EQ(before.metrics[i].value, after.metrics[i].value)
          << before.metrics[i].name
          << ": if operators ask the GPU for something else now, renew the file (trace/README.md)";
  }
}

TEST_F(BenchFigures, SayWhatTheyCannotMeasure) {
  const Outcome no_memory = shell("NOTAPE_EMULATED_MEGABYTES=1 NOTAPE_CUDA=emulated " NOTAPE_COMMAND
                                  " bench fig2 --model ncf --scale small");
  EXPECT_EQ(no_memory.status, 1);
  EXPECT_THAT(no_memory.out, HasSubstr("not measured: "));
  const Outcome no_model = bench("fig1 --model no-such-model --batches 1");
  EXPECT_EQ(no_model.status, 1);
  EXPECT_THAT(no_model.out, HasSubstr("no-such-model"));
  EXPECT_EQ(bench("fig2 -o picture.png").status, 2);
}

}  // namespace
}  // namespace notape
