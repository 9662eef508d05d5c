// notape bench step MODEL SCALE BATCH DEVICE THREADS: our trace::LineProcess. Beside what
// bench/models/torch_steps.py answers: "batches" with how many steps take in turn, "lengths" with
// those of their sentences, "flop" with the arithmetic of a step, "peak" with the
// GFLOP/s of a product of 2048 x 2048 float32 numbers, "shares" with where the time of one step
// goes, as JSON; "record PATH COUNT PART BEFORE" with a trace of that many steps.
#include <fmt/format.h>

#include <ctime>
#include <fstream>
#include <nlohmann/json.hpp>
#include <sstream>

#include "ops/ops.h"
#include "paper_examples/command/bench/bench.h"
#include "paper_examples/models/workload.h"
#include "trace/gpu/gpu_session.h"
#include "trace/record/clock.h"
#include "trace/record/range.h"
#include "trace/record/recorder.h"
#include "trace/write/chrome_writer.h"
#include "trace/write/summary.h"

namespace notape::command::bench {
namespace {

using Json = nlohmann::ordered_json;

struct StepWords {
  std::string model, scale, device;
  int64_t samples = 0;
  int threads = 1;
};

/// The most bytes that this process had in use.
int64_t peak_memory() {
  std::ifstream file("/proc/self/status");
  for (std::string line; std::getline(file, line);)
    if (line.starts_with("VmHWM:")) return std::stoll(line.substr(6)) * 1024;
  return 0;
}

/// GFLOP/s, the best of some.
double product_peak(Device device) {
  constexpr int64_t kSize = 2048;
  const Tensor a = rand({kSize, kSize}).to(device), b = rand({kSize, kSize}).to(device);
  double best = 0;
  for (int i = 0; i < 4; ++i) {
    const int64_t begin = trace::now_ns();
    mm(a, b).select(0, 0).select(0, 0).item();  // waits for a device
    const auto ns = static_cast<double>(trace::now_ns() - begin);
    best = std::max(best, 2.0 * kSize * kSize * kSize / ns);
  }
  return best;
}

const char* word_of(trace::EventKind kind) {
  return kind == trace::EventKind::Operator ? "operator"
         : kind == trace::EventKind::Node   ? "node"
                                            : "range";
}

/// Self times of operators and of backward nodes; what is in neither is the model's own code, the
/// engine and the optimizer's.
Json shares_of(const trace::Recording& recording) {
  const trace::Timeline timeline = trace::make_timeline(recording);
  int64_t total = 0;
  for (const trace::Slice& slice : timeline.slices)
    if (slice.kind == trace::EventKind::Step) total += slice.duration_ns();
  int64_t operators = 0, nodes = 0;
  uint64_t operator_calls = 0, node_calls = 0, dropped = 0;
  Json top = Json::array();
  for (const trace::SummaryRow& row : trace::summarize(timeline)) {
    (row.kind == trace::EventKind::Node ? nodes : operators) += row.self_ns;
    (row.kind == trace::EventKind::Node ? node_calls : operator_calls) += row.calls;
    if (top.size() < 12)
      top.push_back({{"name", row.name},
                     {"kind", word_of(row.kind)},
                     {"calls", row.calls},
                     {"self_ms", static_cast<double>(row.self_ns) / 1e6}});
  }
  for (const trace::ThreadRow& thread : timeline.threads) dropped += thread.dropped;
  const auto ms = [](int64_t ns) { return static_cast<double>(ns) / 1e6; };
  return {{"step_ms", ms(total)},
          {"operators_ms", ms(operators)},
          {"operator_calls", operator_calls},
          {"nodes_ms", ms(nodes)},
          {"node_calls", node_calls},
          {"outside_ms", ms(total - operators - nodes)},
          {"dropped_events", dropped},
          {"longest", std::move(top)}};
}

class Steps {
 public:
  Steps(const models::Workload& workload, const StepWords& words)
      : workload_(workload), device_(words.device), samples_(words.samples) {
    workload_.model->to(device_);
    if (workload_.draw_batches)
      for (const Batch& one : workload_.draw_batches(samples_)) batches_.push_back(there(one));
    else
      batches_.push_back(there(workload_.draw_batch(samples_)));
    optimizer_ = workload_.make_optimizer();
  }

  std::string answer(const std::string& line) {
    if (line.starts_with("steps ")) return fmt::format("{}", seconds(std::stoi(line.substr(6))));
    if (line == "cpu") return fmt::format("{}", static_cast<double>(std::clock()) / CLOCKS_PER_SEC);
    if (line == "memory") return std::to_string(peak_memory());
    if (line == "batches") return std::to_string(batches_.size());
    if (line == "lengths") return lengths();
    if (line == "units") return fmt::format("{}", mean_of(workload_.units));
    if (line == "flop") return fmt::format("{}", mean_of(workload_.flop));
    if (line == "peak") return fmt::format("{}", product_peak(device_));
    if (line == "shares") return shares().dump();
    if (line.starts_with("record ")) return record(line.substr(7));
    throw ValueError("notape bench step: asked '{}'", line);
  }

 private:
  using Batch = models::Workload::Batch;

  Batch there(const Batch& batch) const { return models::moved(workload_, batch, device_); }
  Batch next() {
    if (workload_.draws_each_step) return there(workload_.draw_batch(samples_));
    return batches_[next_++ % batches_.size()];
  }
  template <typename F>
  double mean_of(const F& f) const {
    double sum = 0;
    for (const Batch& batch : batches_) sum += static_cast<double>(f(batch));
    return sum / static_cast<double>(batches_.size());
  }
  /// "5:7,6:8 9:9,..": of the sentences of each batch, source and target; "-" where the number of
  /// samples says all.
  std::string lengths() const {
    if (!workload_.draw_batches) return "-";
    std::string result;
    for (const Batch& batch : batches_) {
      const Tensor target = batch[2].ne(0).sum(0);
      for (int64_t i = 0; i < target.size(0); ++i)
        result += fmt::format("{}{}:{}",
                              i > 0            ? ","
                              : result.empty() ? ""
                                               : " ",
                              batch[1][i].item<int64_t>(), target[i].item<int64_t>());
    }
    return result;
  }
  double seconds(int count) {
    const int64_t begin = trace::now_ns();
    Tensor loss;
    for (int i = 0; i < count; ++i) {
      const trace::Step step(++taken_);
      loss = models::train_step(workload_, next(), *optimizer_);
    }
    if (loss.defined()) loss.item();  // waits for a device
    return static_cast<double>(trace::now_ns() - begin) / 1e9;
  }

  Json shares() {
    trace::Recorder& recorder = trace::Recorder::instance();
    recorder.start();
    {
      const trace::Step step(0);
      models::train_step(workload_, next(), *optimizer_).item();
    }
    return shares_of(recorder.stop());
  }

  /// PART: "whole" steps, those that "read" their loss, as a program that prints it does, or
  /// "forward". The allocator's cache is emptied before step BEFORE, counted from 1.
  std::string record(const std::string& request) {
    std::string path, part;
    int count = 0, before = 0;
    std::istringstream(request) >> path >> count >> part >> before;
    trace::Recorder& recorder = trace::Recorder::instance();
    trace::GpuSession gpu(trace::GpuSource::Auto, recorder);
    trace::Recorder::Options options;
    options.events_per_thread = std::size_t{1} << 22;
    options.memory = true;
    options.in_front = &gpu.in_front();
    options.clock = gpu.clock();
    recorder.start(options);
    for (int i = 1; i <= count; ++i) {
      const trace::Step step(static_cast<uint64_t>(i));
      if (i == before) empty_cache(device_);
      const Tensor loss = part == "forward" ? workload_.loss(next())
                                            : models::train_step(workload_, next(), *optimizer_);
      if (part == "read") loss.item();
    }
    gpu.finish();
    trace::Recording recording = recorder.stop();
    recording.device = gpu.take();
    trace::write_chrome_trace(recording, trace::make_timeline(recording), path);
    return recording.device.device_kind + ": " + recording.device.clock;
  }

  const models::Workload workload_;
  const Device device_;
  const int64_t samples_;
  std::vector<Batch> batches_;
  std::size_t next_ = 0;
  uint64_t taken_ = 0;
  std::unique_ptr<optim::Optimizer> optimizer_;
};

int serve(const StepWords& words) {
  set_num_threads(words.threads);
  Steps steps(models::find_workload(words.model).make(models::scale_called(words.scale)), words);
  std::cout << "ready\tnotape " NOTAPE_VERSION << std::endl;
  for (std::string line; std::getline(std::cin, line);)
    std::cout << steps.answer(line) << std::endl;
  return kFine;
}

}  // namespace

int step(const Arguments& arguments) {
  CLI::App app(
      "Takes steps of training when standard input tells it to: what notape bench table1 "
      "starts.",
      "notape bench step");
  StepWords words;
  app.add_option("MODEL", words.model)->required();
  app.add_option("SCALE", words.scale)->required();
  app.add_option("BATCH", words.samples)->required()->check(CLI::Range(1, 1 << 30));
  app.add_option("DEVICE", words.device)->required();
  app.add_option("THREADS", words.threads)->required()->check(CLI::Range(1, 4096));
  return parse_and_run(app, arguments, [&] { return serve(words); });
}

}  // namespace notape::command::bench
