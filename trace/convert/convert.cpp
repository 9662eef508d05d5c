#include "trace/convert/convert.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <nlohmann/json.hpp>
#include <unordered_map>

#include "autograd/error.h"
#include "trace/chrome_writer.h"
#include "trace/convert/counters.h"
#include "trace/convert/event_line.h"
#include "trace/model/row_kind.h"
#include "trace/output_file.h"
#include "trace/reader/trace_reader.h"

namespace notape::trace {
namespace {

constexpr int64_t kFarFromTheRun = int64_t{7} * 24 * 3600 * 1'000'000'000;

/// What a pass over the whole file must find before the first event is written.
struct Survey {
  std::set<std::string> categories;
  std::map<std::string, int> fwdbwd;  ///< 1: has a start, 2: an end, 3: both
  int64_t rank = 0;
  std::vector<HeaderEntry> header;
};

Survey survey_of(const std::string& path) {
  Survey survey;
  TraceReader reader(path);
  while (const RawEvent* event = reader.next()) {
    if (!event->category.empty())
      survey.categories.emplace(category_today(event->category).substr(0, 100));
    if (row_kind(event->category) == RowKind::GradFlow)
      survey.fwdbwd[std::string(event->id)] |= event->phase == 's' ? 1 : 2;
  }
  survey.header = reader.header();
  if (const auto text = reader.header("distributedInfo")) {
    const auto info = nlohmann::json::parse(*text, nullptr, false);
    if (info.is_object() && info.contains("rank") && info["rank"].is_number_integer())
      survey.rank = info["rank"].get<int64_t>();
  }
  return survey;
}

class Converter {
 public:
  Converter(const std::string& from, const ConvertOptions& options, const LoadOptions& load,
            OutputFile& file)
      : from_(from),
        options_(options),
        model_(load_model(from, load)),
        scope_(model_, selection_of(options)),
        survey_(survey_of(from)),
        line_(model_.origin),
        file_(file) {
    for (const std::string& category : options.categories)
      if (!survey_.categories.contains(category))
        throw ValueError("{} has no events of category '{}'; it has {}", from, category,
                         fmt::format("{}", fmt::join(survey_.categories, ", ")));
    for (const ApiCall& call : model_.calls)
      if (call.is_linked()) launches_.emplace(call.correlation, &call);
  }

  Converted run(std::string_view trace_name) {
    write_header();
    write_events([](const RawEvent& event) { return event.phase == 'M'; });
    write_events([this](const RawEvent& event) { return event.phase != 'M' && is_wanted(event); });
    if (options_.categories.empty())
      for (const std::string& counter : counter_lines(scope_, model_.origin)) write(counter);
    file_.write(fmt::format("\n], \"traceName\": {}}}\n", json_quote(trace_name)));
    return result_;
  }

 private:
  static Selection selection_of(const ConvertOptions& options) {
    Selection selection;
    selection.first_step = options.first_step;
    selection.last_step = options.last_step;
    return selection;
  }

  void write_header() {
    nlohmann::ordered_json metadata = {{"converted by", "notape " NOTAPE_VERSION}};
    if (!model_.device_kind.empty()) metadata["device_kind"] = model_.device_kind;
    if (model_.dropped) metadata["dropped"] = model_.dropped;
    if (model_.drift_ppm != 0) metadata["drift_ppm"] = model_.drift_ppm;
    file_.write("{\"schemaVersion\": 1, \"deviceProperties\": [],\n");
    file_.write(fmt::format("\"distributedInfo\": {{\"rank\": {}}},\n", survey_.rank));
    file_.write(fmt::format("\"metadata\": {},\n", metadata.dump()));
    if (options_.keep_metadata) write_unknown_keys();
    if (model_.has_stacks) file_.write("\"with_stack\": 1,\n");
    file_.write(
        fmt::format("\"displayTimeUnit\": \"ms\", \"baseTimeNanoseconds\": {}, \"traceEvents\": [",
                    static_cast<int64_t>(static_cast<uint64_t>(model_.base_nanoseconds) +
                                         static_cast<uint64_t>(model_.origin))));
  }

  void write_unknown_keys() {
    const std::set<std::string_view> known = {
        "schemaVersion",   "deviceProperties",    "distributedInfo", "metadata",
        "displayTimeUnit", "baseTimeNanoseconds", "traceName",       "with_stack"};
    for (const HeaderEntry& entry : survey_.header)
      if (!known.contains(entry.key) && nlohmann::json::accept(entry.value))
        file_.write(fmt::format("{}: {},\n", json_quote(entry.key),
                                nlohmann::ordered_json::parse(entry.value).dump()));
  }

  template <typename Wanted>
  void write_events(Wanted wanted) {
    TraceReader reader(from_);
    while (const RawEvent* event = reader.next()) {
      if (!wanted(*event)) continue;
      write(line_.of(*event));
      result_.bad_arguments += line_.lost_arguments();
      if (event->phase == 'X') write_flows(*event);
    }
    result_.read = model_.counts.events;
  }

  bool is_wanted(const RawEvent& event) {
    const RowKind kind = row_kind(event.category);
    if (!options_.categories.empty() &&
        !options_.categories.contains(std::string(category_today(event.category))))
      return false;
    if (kind == RowKind::LaunchFlow) return false;  // ours are complete
    if (kind == RowKind::GradFlow && survey_.fwdbwd[std::string(event.id)] != 3) return false;
    if (event.phase == 'C' && is_counter_name(event.name)) return false;  // ours come last
    const int64_t first = model_.time.begin;
    const bool has_time = event.begin.ns && *event.begin.ns > first - kFarFromTheRun &&
                          *event.begin.ns < model_.time.end + kFarFromTheRun &&
                          (event.phase != 'X' || event.duration.ns);
    if (!has_time) {
      ++result_.without_time;
      return false;
    }
    if (scope_.steps().empty()) return true;
    return scope_.has_host_time(host_time_of(event, kind));
  }

  /// A GPU row belongs to the step that launched it.
  int64_t host_time_of(const RawEvent& event, RowKind kind) const {
    if (kind == RowKind::Kernel || kind == RowKind::Copy || kind == RowKind::Fill) {
      const auto launch = launches_.find(event.arguments.correlation.value_or(0));
      if (launch != launches_.end()) return launch->second->time.begin;
    }
    return *event.begin.ns;
  }

  /// From each launch to the first GPU op that it started.
  void write_flows(const RawEvent& event) {
    const auto launch = launches_.find(event.arguments.correlation.value_or(0));
    if (launch == launches_.end() || !options_.categories.empty()) return;
    const ApiCall& call = *launch->second;
    const GpuOp& first = model_.gpu_ops[model_.launched_by(call)[0]];
    const HostThread& thread = model_.threads[call.thread];
    const RowKind kind = row_kind(event.category);
    if (kind == RowKind::ApiCall && *event.begin.ns == call.time.begin &&
        started_.insert(call.correlation).second)
      write_flow("s", call.correlation, thread.pid, thread.tid, call.time.begin, "");
    if ((kind == RowKind::Kernel || kind == RowKind::Copy || kind == RowKind::Fill) &&
        *event.begin.ns == first.time.begin && ended_.insert(call.correlation).second)
      write_flow("f", call.correlation, first.device, first.stream, first.time.begin,
                 R"(,"bp":"e")");
  }

  void write_flow(const char* phase, int64_t id, int64_t pid, int64_t tid, int64_t time,
                  const char* binding) {
    write(fmt::format(
        R"({{"ph":"{}","id":{},"pid":{},"tid":{},"ts":{},"cat":"ac2g","name":"ac2g"{}}})", phase,
        id, pid, tid, microseconds_text(time - model_.origin), binding));
  }

  void write(const std::string& line) {
    file_.write(result_.written++ ? ",\n" : "\n");
    file_.write(line);
  }

  std::string from_;
  ConvertOptions options_;
  TraceModel model_;
  Scope scope_;
  Survey survey_;
  EventLine line_;
  OutputFile& file_;
  std::unordered_map<int64_t, const ApiCall*> launches_;
  std::set<int64_t> started_, ended_;
  Converted result_;
};

}  // namespace

Converted convert(const std::string& from, const std::string& to, const ConvertOptions& options,
                  const LoadOptions& load_options) {
  if (!is_trace_path(to)) throw ValueError("{}: the name of a trace ends in .json or .json.gz", to);
  OutputFile file(to);
  Converter converter(from, options, load_options, file);
  const Converted result = converter.run(to.substr(to.find_last_of('/') + 1));
  file.commit();
  return result;
}

}  // namespace notape::trace
