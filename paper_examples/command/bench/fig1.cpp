// notape bench fig1: how much longer the GPU takes than the host queues, by batch.
#include <fmt/format.h>

#include <cmath>
#include <iostream>

#include "paper_examples/command/bench/bench.h"
#include "paper_examples/command/bench/recorded_steps.h"
#include "paper_examples/command/command.h"
#include "trace/analysis/analyses.h"
#include "trace/report/paper_figures.h"

namespace notape::command::bench {
namespace {

using Json = nlohmann::ordered_json;
using trace::TraceModel;

struct Figure1Words : FigureWords {
  std::vector<int64_t> batches = {1, 2, 4, 8, 16, 32, 64, 128, 256};
  int warmup = 10, steps = 3;
  int64_t ops = 40;
};

double middle(std::vector<double> values) {
  std::sort(values.begin(), values.end());
  return values.empty() ? 0 : values[values.size() / 2];
}

/// From the first step's begin to the end of the GPU's last work, by step.
double step_ms(const TraceModel& model) {
  int64_t end = model.steps.back().time.end;
  for (const trace::GpuOp& op : model.gpu_ops) end = std::max(end, op.time.end);
  return static_cast<double>(end - model.steps.front().time.begin) / 1e6 /
         static_cast<double>(model.steps.size());
}

/// Medians over the steps, and figures of all of them.
Json figures_of(const TraceModel& model) {
  const trace::Scope all(model, {});
  const auto of_steps = [&](const char* metric) {
    std::vector<double> values;
    for (const trace::ModelStep& step : model.steps)
      values.push_back(trace::queue_ahead(all.of_step(step))[metric].value.number());
    return middle(std::move(values));
  };
  const auto figure = [&](const trace::Report& report, const char* metric) {
    return report[metric].value.number();
  };
  const trace::Report idle = trace::idle(all), queue = trace::queue(all),
                      dispatch = trace::dispatch(all);
  return {{"t_queue_ms", of_steps("queue_ahead.t_cpu") / 1e3},
          {"backpressure_ms", of_steps("queue_ahead.backpressure") / 1e3},
          {"t_gpu_ms", of_steps("queue_ahead.t_gpu") / 1e3},
          {"ratio", of_steps("queue_ahead.raw")},
          {"ratio_corrected", of_steps("queue_ahead.corrected")},
          {"lead_p50_us", figure(queue, "launch_delay.p50")},
          {"queue_at_launch_max", figure(queue, "queue.at_launch_max")},
          {"busy_share", figure(idle, "idle.busy_share")},
          {"host_self_p50_us", figure(dispatch, "dispatch.host_self.p50")},
          {"host_self_p99_us", figure(dispatch, "dispatch.host_self.p99")},
          {"launches", model.gpu_ops.size() / model.steps.size()},
          {"step_ms", step_ms(model)}};
}

/// The batch at which the corrected ratio passes `ratio`, between two that were measured on a
/// logarithmic scale; null if it does not.
Json batch_at(const Json& rows, const char* part, double ratio) {
  for (std::size_t i = 1; i < rows.size(); ++i) {
    const double low = rows[i - 1][part]["ratio_corrected"],
                 high = rows[i][part]["ratio_corrected"];
    if (low >= ratio || high < ratio) continue;
    const double a = std::log2(rows[i - 1]["batch"].get<double>()),
                 b = std::log2(rows[i]["batch"].get<double>());
    return std::round(std::exp2(a + (b - a) * (ratio - low) / (high - low)) * 10) / 10;
  }
  return nullptr;
}

void print_figure1(const Json& report) {
  std::cout << fmt::format(
      "Figure 1 of the 2019 paper: {}, medians of {} steps after {}\n{}\n\n{:>5} {:8} {:>10} {:>9} "
      "{:>7} {:>9} {:>9} {:>6} {:>6} {:>15} {:>9} {:>9}\n",
      report["model"].get<std::string>(), report["steps"].get<int>(), report["warmup"].get<int>(),
      report["device"].get<std::string>(), "batch", "", "T_queue ms", "T_gpu ms", "R", "corrected",
      "lead us", "queue", "busy", "host us p50 p99", "step ms", "blocking");
  for (const Json& row : report["rows"])
    for (const char* part : {"forward", "whole"}) {
      const Json& one = row[part];
      const auto number = [&](const char* name) { return one[name].get<double>(); };
      const bool is_whole = part == std::string_view("whole");
      std::cout << fmt::format(
          "{:>5} {:8} {:>10.3f} {:>9.3f} {:>7.3f} {:>9.3f} {:>9.1f} {:>6} {:>4.0f} % {:>7.1f} "
          "{:>7.1f} {:>9.3f}",
          is_whole ? "" : std::to_string(row["batch"].get<int64_t>()), part, number("t_queue_ms"),
          number("t_gpu_ms"), number("ratio"), number("ratio_corrected"), number("lead_p50_us"),
          static_cast<int64_t>(number("queue_at_launch_max")), 100 * number("busy_share"),
          number("host_self_p50_us"), number("host_self_p99_us"), number("step_ms"));
      if (is_whole) std::cout << fmt::format(" {:>9.3f}", row["blocking_step_ms"].get<double>());
      std::cout << '\n';
    }
  std::cout << '\n';
  for (const char* part : {"forward", "whole"})
    for (const char* ratio : {"1", "3"}) {
      const Json& batch = report["batch_where_ratio_is"][part][ratio];
      std::cout << part << ": R = " << ratio << " at "
                << (batch.is_null() ? "none of these batches"
                                    : fmt::format("batch {:g}", batch.get<double>()))
                << '\n';
    }
}

int measure(const Figure1Words& words) {
  check_files(words);
  Json report = {{"figure", "2019, Figure 1"}, {"model", words.model}, {"scale", words.scale},
                 {"warmup", words.warmup},     {"steps", words.steps}, {"device", ""},
                 {"batch_where_ratio_is", {}}, {"rows", Json::array()}};
  std::string picture;
  double nearest = INFINITY;
  for (const int64_t batch : words.batches) {
    std::cerr << "batch " << batch << std::endl;
    Json row = {{"batch", batch}};
    RecordedSteps steps(words, batch);
    steps.warm_up(words.warmup);
    row["forward"] = figures_of(steps.record(words.steps, "forward"));
    TraceModel whole = steps.record(words.steps, "whole");
    row["whole"] = figures_of(whole);
    report["device"] = steps.clock();
    // The picture is of the batch that is most like the paper's, in which R is about 3.
    const double distance = std::abs(std::log(row["whole"]["ratio_corrected"].get<double>() / 3));
    if (distance < nearest) {
      nearest = distance;
      whole.path = fmt::format("{}, batch {}", words.model, batch);
      trace::Figure1Options drawn;
      drawn.ops = words.ops;
      picture = trace::figure1_svg(whole, drawn);
      report["picture_of_batch"] = batch;
      if (!words.trace.empty())
        std::filesystem::copy_file(steps.path(), words.trace,
                                   std::filesystem::copy_options::overwrite_existing);
    }
    RecordedSteps blocking(words, batch, {"CUDA_LAUNCH_BLOCKING=1"});
    blocking.warm_up(words.warmup);
    row["blocking_step_ms"] = step_ms(blocking.record(words.steps, "whole"));
    report["rows"].push_back(std::move(row));
  }
  for (const char* part : {"forward", "whole"})
    for (const int ratio : {1, 3})
      report["batch_where_ratio_is"][part][std::to_string(ratio)] =
          batch_at(report["rows"], part, ratio);
  write_figure(words, report, picture, print_figure1);
  return kFine;
}

}  // namespace

int fig1(const Arguments& arguments) {
  CLI::App app(
      "How far the host runs ahead of the GPU: Figure 1 of the 2019 paper, over batch sizes.",
      "notape bench fig1");
  app.footer(
      "R is the time in which the GPU works, over the time in which the host queues that work;\n"
      "corrected: without the time in which launch calls wait for a place in a full queue. Above "
      "1\n"
      "the host is ahead. lead: from the return of a launch call to the start of its work. queue:\n"
      "launched and not started, at most. blocking: a step whose launches all wait\n"
      "(CUDA_LAUNCH_BLOCKING=1), which is what asynchrony saves.\n\n"
      "Without a GPU it runs on the emulated one, whose times are stated costs and say nothing\n"
      "about a GPU's speed.\n\n"
      "  notape bench fig1 --batches 1,16,256 -o fig1.svg --trace fig1.json.gz\n\n"
      "Exit status: 0 fine; 1 a model could not be trained; 2 unusable arguments.");
  Figure1Words words;
  add_figure_options(app, words);
  app.add_option("--batches", words.batches, "samples of a batch")
      ->delimiter(',')
      ->check(CLI::Range(1, 1 << 24));
  app.add_option("--warmup", words.warmup, "steps before the recording")
      ->check(CLI::Range(1, 100'000))
      ->capture_default_str();
  app.add_option("--steps", words.steps, "steps of the recording")
      ->check(CLI::Range(2, 1'000))
      ->capture_default_str();
  app.add_option("--ops", words.ops, "operations of the GPU in the picture")
      ->check(CLI::Range(1, 10'000))
      ->capture_default_str();
  return parse_and_run(app, arguments, [&] { return measured([&] { return measure(words); }); });
}

}  // namespace notape::command::bench
