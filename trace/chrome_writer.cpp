#include "trace/chrome_writer.h"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <iterator>
#include <nlohmann/json.hpp>
#include <numeric>

#include "autograd/error.h"
#include "trace/device/device_lines.h"
#include "trace/output_file.h"

namespace notape::trace {
namespace {

// Process ids this small are taken for device numbers: GPU rows have the device as their pid.
constexpr int64_t kSmallestPid = 64, kPidShift = 1'000'000;

struct Process {
  int64_t true_pid = getpid();
  int64_t pid = true_pid < kSmallestPid ? true_pid + kPidShift : true_pid;
};

/// "12.345": microseconds with all the ns.
struct Microseconds {
  int64_t ns;
};

class EventLines {
 public:
  explicit EventLines(OutputFile& file) : file_(file) {}

  template <typename... Parts>
  void line(fmt::format_string<Parts...> pattern, Parts&&... parts) {
    text_.append(std::string_view(is_first_ ? "\n" : ",\n"));
    is_first_ = false;
    fmt::format_to(std::back_inserter(text_), pattern, std::forward<Parts>(parts)...);
    if (text_.size() > 1 << 16) flush();
  }
  void flush() {
    file_.write({text_.data(), text_.size()});
    text_.clear();
  }

 private:
  OutputFile& file_;
  fmt::memory_buffer text_;
  bool is_first_ = true;
};

}  // namespace
}  // namespace notape::trace

template <>
struct fmt::formatter<notape::trace::Microseconds> {
  constexpr auto parse(fmt::format_parse_context& context) { return context.begin(); }
  template <typename Context>
  auto format(notape::trace::Microseconds time, Context& context) const {
    return fmt::format_to(context.out(), "{}.{:03}", time.ns / 1000, time.ns % 1000);
  }
};

namespace notape::trace {
namespace {

class Writer {
 public:
  Writer(const Recording& recording, const Timeline& timeline, OutputFile& file)
      : recording_(recording),
        timeline_(timeline),
        file_(file),
        lines_(file),
        device_(recording, timeline, process_.pid),
        external_ids_(timeline.slices.size()) {}

  void write(std::string_view trace_name) {
    write_header();
    write_names();
    write_slices();
    lines_.flush();
    file_.write(fmt::format("\n], \"traceName\": {}}}\n", json_quote(trace_name)));
  }

 private:
  void write_header() {
    file_.write("{\"schemaVersion\": 1, \"deviceProperties\": [],\n");
    file_.write("\"distributedInfo\": {\"rank\": 0},\n");
    file_.write(fmt::format("\"metadata\": {},\n", metadata().dump()));
    file_.write(
        fmt::format("\"displayTimeUnit\": \"ms\", \"baseTimeNanoseconds\": {}, \"traceEvents\": [",
                    recording_.started.realtime_ns));
  }

  nlohmann::ordered_json metadata() const {
    const auto clocks = [](const ClockPair& pair) {
      return nlohmann::ordered_json{{"realtime_ns", pair.realtime_ns},
                                    {"monotonic_ns", pair.monotonic_ns}};
    };
    nlohmann::ordered_json lost = nlohmann::ordered_json::array();
    for (const ThreadRow& thread : timeline_.threads)
      if (thread.dropped) lost.push_back({{"tid", thread.tid}, {"dropped", thread.dropped}});
    return {{"recorder", "notape " NOTAPE_VERSION},
            {"clock", "CLOCK_MONOTONIC"},
            {"clock_start", clocks(recording_.started)},
            {"clock_stop", clocks(recording_.stopped)},
            {"drift_ppm", drift_ppm(recording_.started, recording_.stopped)},
            {"cost_ns",
             {{"operation", recording_.cost.operation_ns},
              {"node", recording_.cost.node_ns},
              {"range", recording_.cost.range_ns}}},
            {"events_per_thread", recording_.events_per_thread},
            {"dropped", recording_.dropped() + recording_.device.lost()},
            {"dropped_by_thread", std::move(lost)},
            {"unfinished", timeline_.unfinished},
            {"clipped", timeline_.clipped + device_.clipped()},
            {"interrupted", recording_.interrupted},
            {"device_kind", recording_.device.device_kind},
            {"categories", {"cpu_op", "user_annotation", "fwdbwd"}},
            {"cupti", recording_.device.state},
            {"device", device_metadata()}};
  }

  /// How the device's rows came to be, and what is missing.
  nlohmann::ordered_json device_metadata() const {
    const DeviceRecording& device = recording_.device;
    return {{"clock", device.clock},
            {"rows", device.rows.size()},
            {"dropped", device.dropped},
            {"without_time", device.without_time},
            {"incomplete", device.incomplete},
            {"refused_buffers", device.refused_buffers},
            {"calls_left_out", device.calls_left_out}};
  }

  void write_names() {
    const auto name = [&](const char* what, int64_t tid, const std::string& arguments) {
      lines_.line(R"({{"ph":"M","name":"{}","ts":0.000,"pid":{},"tid":{},"args":{{{}}}}})", what,
                  process_.pid, tid, arguments);
    };
    name("process_name", 0, fmt::format(R"("name":"notape","true pid":{})", process_.true_pid));
    name("process_labels", 0, R"("labels":"CPU")");
    name("process_sort_index", 0, fmt::format(R"("sort_index":{})", process_.pid));
    int index = 0;
    for (const ThreadRow& thread : timeline_.threads) {
      const std::string label = fmt::format("thread {} ({})", thread.tid, thread.name);
      name("thread_name", thread.tid, fmt::format(R"("name":{})", json_quote(label)));
      name("thread_sort_index", thread.tid, fmt::format(R"("sort_index":{})", index++));
    }
    device_.write_names(write_line_);
  }

  /// By (ts, -dur), parents before children; flows right after the slice they are bound to.
  void write_slices() {
    const auto& slices = timeline_.slices;
    std::vector<std::size_t> order(slices.size());
    std::iota(order.begin(), order.end(), std::size_t{0});
    std::stable_sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) {
      if (slices[a].begin_ns != slices[b].begin_ns) return slices[a].begin_ns < slices[b].begin_ns;
      return slices[a].duration_ns() > slices[b].duration_ns();
    });
    std::vector<std::vector<std::size_t>> flows_from(slices.size());
    std::vector<std::size_t> flow_to(slices.size());
    for (std::size_t i = 0; i < timeline_.links.size(); ++i) {
      flows_from[timeline_.links[i].forward].push_back(i + 1);
      flow_to[timeline_.links[i].backward] = i + 1;
    }
    for (const std::size_t place : order) {
      device_.write_before(slices[place].begin_ns, slices[place].duration_ns(), external_ids_,
                           write_line_);
      write_slice(slices[place]);
      external_ids_[place] = operations_;
      for (const std::size_t flow : flows_from[place]) write_flow("s", flow, slices[place], "");
      if (flow_to[place]) write_flow("f", flow_to[place], slices[place], R"(,"bp":"e")");
    }
    device_.write_rest(external_ids_, write_line_);
  }

  void write_slice(const Slice& slice) {
    const char* unfinished = slice.unfinished ? R"(,"Unfinished":1)" : "";
    switch (slice.kind) {
      case EventKind::Step:
        return write_line("user_annotation", fmt::format("ProfilerStep#{}", slice.step), slice,
                          slice.unfinished ? R"("Unfinished":1)" : "");
      case EventKind::Range:
        return write_line("user_annotation", slice.name, slice,
                          slice.unfinished ? R"("Unfinished":1)" : "");
      case EventKind::Operator:
        return write_line("cpu_op", slice.name, slice, operation_arguments(slice) + unfinished);
      case EventKind::Node: {
        const std::string outer = std::string("autograd::engine::evaluate_function: ") + slice.name;
        write_line("cpu_op", outer, slice, operation_arguments(slice) + unfinished);
        return write_line("cpu_op", slice.name, slice, operation_arguments(slice) + unfinished);
      }
    }
  }

  std::string operation_arguments(const Slice& slice) {
    std::string text = fmt::format(R"("External id":{},"Ev Idx":{})", operations_ + 1, operations_);
    ++operations_;
    if (slice.sequence_nr >= 0) text += fmt::format(R"(,"Sequence number":{})", slice.sequence_nr);
    if (slice.forward_tid > 0) text += fmt::format(R"(,"Fwd thread id":{})", slice.forward_tid);
    return text;
  }

  void write_line(const char* category, std::string_view name, const Slice& slice,
                  std::string_view arguments) {
    lines_.line(
        R"({{"ph":"X","cat":"{}","name":{},"pid":{},"tid":{},"ts":{},"dur":{},"args":{{{}}}}})",
        category, json_quote(name), process_.pid, tid(slice), Microseconds{slice.begin_ns},
        Microseconds{slice.duration_ns()}, arguments);
  }

  void write_flow(const char* phase, std::size_t id, const Slice& slice, const char* binding) {
    lines_.line(
        R"({{"ph":"{}","id":{},"pid":{},"tid":{},"ts":{},"cat":"fwdbwd","name":"fwdbwd"{}}})",
        phase, id, process_.pid, tid(slice), Microseconds{slice.begin_ns}, binding);
  }

  int64_t tid(const Slice& slice) const { return timeline_.threads[slice.thread].tid; }

  const Recording& recording_;
  const Timeline& timeline_;
  OutputFile& file_;
  EventLines lines_;
  Process process_;
  DeviceLines device_;
  const DeviceLines::Write write_line_ = [this](std::string_view line) { lines_.line("{}", line); };
  std::vector<uint64_t> external_ids_;  // by slice, as far as they are written
  uint64_t operations_ = 0;
};

}  // namespace

bool is_trace_path(std::string_view path) {
  return path.ends_with(".json") || path.ends_with(".json.gz");
}

void write_chrome_trace(const Recording& recording, const Timeline& timeline,
                        const std::string& path) {
  if (!is_trace_path(path))
    throw ValueError("{}: the name of a trace ends in .json or .json.gz", path);
  OutputFile file(path);
  Writer(recording, timeline, file).write(path.substr(path.find_last_of('/') + 1));
  file.commit();
}

}  // namespace notape::trace
