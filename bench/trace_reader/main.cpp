// trace_reader_speed: how fast a large trace is read, and in how much memory.
//
//   trace_reader_speed [--megabytes N] [--record FILE]
//
// A file of training steps in PyTorch's dialect is made, with ops, launches, kernels and flows.
// Then, in a process of its own each: the reader alone goes through its events; the model of all of
// them is loaded. MB/s are of processor time of one core, the fastest of three; memory is the peak
// resident size.
#include <fmt/format.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <filesystem>
#include <fstream>
#include <functional>
#include <nlohmann/json.hpp>

#include "trace/latency/latency.h"
#include "trace/model/trace_model.h"
#include "trace/reader/trace_reader.h"
#include "trace/write/output_file.h"

namespace notape::measured_reader {
namespace {

constexpr int kRuns = 3;

/// One event and what belongs to it, of op number `i`.
std::string op_lines(uint64_t i, double at) {
  return fmt::format(
      R"trace({{"ph":"X","cat":"cpu_op","name":"aten::convolution","pid":4242,"tid":4242,"ts":{0:.3f},"dur":9.125,"args":{{"External id":{1},"Sequence number":{1},"Fwd thread id":0,"Ev Idx":{1},"Input Dims":[[32,64,56,56],[64,64,3,3],[64],[],[],[]],"Input type":["float","float","float","","",""]}}}},
{{"ph":"X","cat":"cuda_runtime","name":"cudaLaunchKernel","pid":4242,"tid":4242,"ts":{2:.3f},"dur":4.500,"args":{{"External id":{1},"cbid":211,"correlation":{1}}}}},
{{"ph":"s","id":{1},"pid":4242,"tid":4242,"ts":{2:.3f},"cat":"ac2g","name":"ac2g"}},
{{"ph":"X","cat":"kernel","name":"void cudnn::winograd_nonfused::winogradForwardFilter4x4<float, float>(cudnn::winograd_nonfused::WinogradFilterParams<float, float>)","pid":0,"tid":7,"ts":{3:.3f},"dur":8.250,"args":{{"External id":{1},"queued":0,"device":0,"context":1,"stream":7,"correlation":{1},"registers per thread":94,"shared memory":0,"blocks per SM":3.2,"warps per SM":51.2,"grid":[8,8,1],"block":[32,8,1],"est. achieved occupancy %":31}}}},
{{"ph":"f","id":{1},"pid":0,"tid":7,"ts":{3:.3f},"cat":"ac2g","name":"ac2g","bp":"e"}},
)trace",
      at, i + 1, at + 2, at + 20);
}

/// The number of events.
uint64_t write_trace(const std::string& path, uint64_t bytes) {
  constexpr uint64_t kOpsOfAStep = 1'000;
  std::ofstream file(path, std::ios::binary);
  std::string text = "{\"schemaVersion\": 1, \"traceEvents\": [\n";
  uint64_t written = 0, events = 0;
  for (uint64_t i = 0; written + text.size() < bytes; ++i) {
    const double at = 10.0 * static_cast<double>(i);
    if (i % kOpsOfAStep == 0) {
      text += fmt::format(
          R"({{"ph":"X","cat":"user_annotation","name":"ProfilerStep#{}","pid":4242,"tid":4242,"ts":{:.3f},"dur":{}.000,"args":{{}}}},
)",
          i / kOpsOfAStep, at, 10 * kOpsOfAStep);
      ++events;
    }
    text += op_lines(i, at);
    events += 5;
    if (text.size() < 1 << 20) continue;
    file << text;
    written += text.size();
    text.clear();
  }
  text +=
      "{\"ph\":\"M\",\"name\":\"process_name\",\"ts\":0,\"pid\":4242,\"tid\":0,\"args\":{}}\n]}\n";
  file << text;
  if (!file.flush()) throw std::runtime_error(path + " cannot be written");
  return events + 1;
}

struct Measured {
  double seconds = 1e300;  ///< of the processor
  double peak_megabytes = 0;
};

Measured measure(const std::function<void()>& work) {
  Measured best;
  for (int run = 0; run < kRuns; ++run) {
    const pid_t child = fork();
    if (child == 0) {
      work();
      _exit(0);
    }
    int status = 0;
    rusage used{};
    wait4(child, &status, 0, &used);
    if (!WIFEXITED(status) || WEXITSTATUS(status) != 0) throw std::runtime_error("a run failed");
    const auto seconds = [](const timeval& time) {
      return static_cast<double>(time.tv_sec) + static_cast<double>(time.tv_usec) * 1e-6;
    };
    best.seconds = std::min(best.seconds, seconds(used.ru_utime) + seconds(used.ru_stime));
    best.peak_megabytes = std::max(best.peak_megabytes, static_cast<double>(used.ru_maxrss) / 1e3);
  }
  return best;
}

int main_of(int count, char** words) {
  CLI::App app("How fast a large trace is read.", "trace_reader_speed");
  uint64_t megabytes = 1'000;
  std::string record;
  app.add_option("--megabytes", megabytes, "of the trace that is made");
  app.add_option("--record", record);
  CLI11_PARSE(app, count, words);

  const auto folder = std::filesystem::temp_directory_path();
  const std::string path = (folder / fmt::format("notape-{}.json", getpid())).string();
  nlohmann::ordered_json rows = nlohmann::ordered_json::array();
  const uint64_t events = write_trace(path, megabytes * 1'000'000);
  const double size = static_cast<double>(std::filesystem::file_size(path)) / 1e6;
  const auto add = [&](const char* name, const std::function<void()>& work) {
    const Measured measured = measure(work);
    fmt::print("{:<10} {:7.1f} MB/s {:6.2f} million events/s {:8.1f} MB at its peak\n", name,
               size / measured.seconds, static_cast<double>(events) / measured.seconds * 1e-6,
               measured.peak_megabytes);
    rows.push_back({{"name", name},
                    {"mb_per_second_of_a_core", size / measured.seconds},
                    {"peak_resident_mb", measured.peak_megabytes}});
  };
  fmt::print("{:.1f} MB, {} events\n", size, events);
  add("reader", [&] {
    trace::TraceReader reader(path);
    uint64_t seen = 0;
    while (reader.next()) ++seen;
    if (seen != events) _exit(1);
  });
  add("model", [&] {
    if (trace::load_model(path).counts.events != events) _exit(1);
  });
  std::filesystem::remove(path);
  if (!record.empty()) {
    trace::OutputFile file(record);
    const nlohmann::ordered_json all = {
        {"command", "build/bin/trace_reader_speed --record bench/results/trace_reader.json"},
        {"cpu", trace::cpu_model()},
        {"file_mb", size},
        {"events", events},
        {"runs", kRuns},
        {"rows", std::move(rows)}};
    file.write(all.dump(1) + "\n");
    file.commit();
  }
  return 0;
}

}  // namespace
}  // namespace notape::measured_reader

int main(int count, char** words) { return notape::measured_reader::main_of(count, words); }
