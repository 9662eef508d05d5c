#include "trace/convert/convert.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <nlohmann/json.hpp>
#include <unordered_map>

#include "autograd/error.h"
#include "autograd/printable.h"
#include "trace/convert/counters.h"
#include "trace/convert/event_line.h"
#include "trace/model/model_builder.h"
#include "trace/model/row_kind.h"
#include "trace/reader/trace_reader.h"
#include "trace/write/chrome_writer.h"
#include "trace/write/microseconds.h"
#include "trace/write/output_file.h"

namespace notape::trace {
namespace {

constexpr std::size_t kMostExamples = 5;

/// Ids of flows count from 1 in each process.
using FlowKey = std::pair<std::string, std::string>;  // process, id

FlowKey flow_key(const RawEvent& event, bool is_of_several) {
  const std::string process = !is_of_several     ? std::string()
                              : event.pid.number ? std::to_string(*event.pid.number)
                                                 : std::string(event.pid.text);
  return {process, std::string(event.id)};
}

/// What a pass over the whole file must find before the first event is written.
struct Survey {
  std::set<std::string> categories;
  std::map<FlowKey, int> fwdbwd;  ///< 1: has a start, 2: an end, 3: both
  std::vector<HeaderEntry> header;
};

Survey survey_of(const std::string& path, bool is_of_several) {
  Survey survey;
  TraceReader reader(path);
  while (const RawEvent* event = reader.next()) {
    if (!event->category.empty())
      survey.categories.emplace(category_today(event->category).substr(0, 100));
    if (row_kind(event->category) == RowKind::GradFlow)
      survey.fwdbwd[flow_key(*event, is_of_several)] |= event->phase == 's' ? 1 : 2;
  }
  survey.header = reader.header();
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
        survey_(survey_of(from, model_.is_of_several())),
        line_(model_.origin, model_.is_of_several()),
        file_(file) {
    for (const std::string& category : options.categories)
      if (!survey_.categories.contains(category))
        throw ValueError("{} has no events of category '{}'; it has {}", from, category,
                         fmt::format("{}", fmt::join(survey_.categories, ", ")));
    for (const ApiCall& call : model_.calls)
      if (call.is_linked()) launches_.emplace(call.event, &call);
    for (const GpuOp& op : model_.gpu_ops) gpu_ops_.emplace(op.event, &op);
    std::vector<std::vector<Interval>> times(model_.processes.size());
    for (const ModelStep* step : scope_.steps()) times[step->process].push_back(step->time);
    for (std::vector<Interval>& of_process : times) step_times_.emplace_back(std::move(of_process));
    find_processes();
    for (const auto& [key, ends] : survey_.fwdbwd)
      if (ends == 3) flow_numbers_.emplace(key, flow_numbers_.size() + 1);
  }

  Converted run(std::string_view trace_name) {
    write_header();
    write_events([](const RawEvent& event) { return event.phase == 'M'; });
    write_events([this](const RawEvent& event) { return event.phase != 'M' && is_wanted(event); });
    if (options_.categories.empty()) write_counters();
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
    if (model_.is_truncated) metadata["truncated"] = true;
    if (model_.counts.bad_time) metadata["rows without a usable time"] = model_.counts.bad_time;
    if (options_.process || !model_.is_of_several()) {  // of several it shows again
      if (model_.counts.ambiguous_owners)
        metadata["GPU ops of a guessed process"] = model_.counts.ambiguous_owners;
      if (model_.counts.without_owner)
        metadata["GPU rows of no process"] = model_.counts.without_owner;
    }
    file_.write("{\"schemaVersion\": 1, \"deviceProperties\": [],\n");
    const auto rank = options_.process ? model_.processes[*options_.process].rank : model_.rank;
    file_.write(fmt::format("\"distributedInfo\": {{\"rank\": {}}},\n", rank.value_or(0)));
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

  void write_counters() {
    if (!model_.is_of_several()) return write_counters_of(scope_);
    const std::vector<TraceModel> parts = of_processes(model_);
    for (const TraceModel& part : parts) {
      const auto place = static_cast<std::size_t>(&part - parts.data());
      if (options_.process && place != *options_.process) continue;
      const auto& [first, last] = std::pair(options_.first_step, options_.last_step);
      const auto is_wanted_step = [&](const ModelStep& step) {
        return !first || (*first <= step.number && step.number <= last.value_or(*first));
      };
      if (std::any_of(part.steps.begin(), part.steps.end(), is_wanted_step) || !first)
        write_counters_of(Scope(part, selection_of(options_)));
    }
  }

  void write_counters_of(const Scope& scope) {
    for (const std::string& counter : counter_lines(scope, model_.origin)) write(counter);
  }

  template <typename Wanted>
  void write_events(Wanted wanted) {
    TraceReader reader(from_);
    for (number_ = 0; const RawEvent* event = reader.next(); ++number_) {
      if (!is_of_process(*event) || !wanted(*event)) continue;
      RawEvent written = *event;
      std::string flow;
      if (model_.is_of_several() && row_kind(event->category) == RowKind::GradFlow)
        if (const auto found = flow_numbers_.find(flow_key(*event, true));
            found != flow_numbers_.end())
          written.id = flow = std::to_string(found->second);
      write(line_.of(written));
      note_lost(*event);
      if (event->phase == 'X' && options_.categories.empty()) write_flows();
    }
    result_.read = model_.counts.events;
  }

  void note_lost(const RawEvent& event) {
    const std::vector<std::string>& lost = line_.lost_arguments();
    result_.bad_arguments += !lost.empty();
    result_.lost_arguments += lost.size();
    for (const std::string& argument : lost)
      if (const std::string key = argument.substr(0, argument.find(':'));
          examples_.size() < kMostExamples && examples_.insert(key).second)
        result_.examples.push_back(
            fmt::format("{} of {}", shortened(argument, 100), shortened(event.name, 100)));
  }

  bool is_wanted(const RawEvent& event) {
    const RowKind kind = row_kind(event.category);
    if (!options_.categories.empty() &&
        !options_.categories.contains(std::string(category_today(event.category))))
      return false;
    if (kind == RowKind::LaunchFlow) return false;  // ours are complete
    if (kind == RowKind::GradFlow &&
        !flow_numbers_.contains(flow_key(event, model_.is_of_several())))
      return false;
    if (event.phase == 'C' && is_counter_name(event.name)) return false;  // ours come last
    if (!has_usable_time(event, kind)) {
      ++result_.without_time;
      return false;
    }
    return is_in_steps(event);
  }

  /// What the questions count as unusable is left out: in a new file it would look sound.
  bool has_usable_time(const RawEvent& event, RowKind kind) const {
    if (!event.begin.ns || !model_.is_of_the_run(*event.begin.ns)) return false;
    if (event.phase != 'X') return true;
    const std::optional<Interval> time = time_of(event);
    return time && !(is_gpu_row(kind) && *time == Interval());
  }

  /// Of a file of several: of work and waits of the GPU by what launched them, of other rows by
  /// their "pid".
  std::optional<std::size_t> process_of(const RawEvent& event) const {
    if (const auto row = owners_.find(number_); row != owners_.end()) return owner(row->second);
    const auto found =
        processes_.find({event.pid.number.value_or(-1),
                         std::string(event.pid.number ? std::string_view() : event.pid.text)});
    return found == processes_.end() ? std::optional<std::size_t>() : owner(found->second);
  }
  static std::optional<std::size_t> owner(Place process) {
    return process == kNowhere ? std::optional<std::size_t>() : static_cast<std::size_t>(process);
  }

  /// Also of what a process alone runs on: annotations and names of that are its own.
  void find_processes() {
    std::map<ProcessId, Place> owners;
    const auto note = [&](const auto& row) {
      owners_.emplace(row.event, row.process);
      const auto [place, is_new] = owners.try_emplace(row.row, row.process);
      if (!is_new && place->second != row.process) place->second = kNowhere;
    };
    for (const GpuOp& op : model_.gpu_ops) note(op);
    for (const SyncRow& sync : model_.syncs) note(sync);
    for (std::size_t i = 0; i < model_.processes.size(); ++i)
      owners[model_.processes[i].id] = static_cast<Place>(i);
    for (const auto& [id, process] : owners)
      processes_.emplace(std::pair(id.number, std::string(model_.name(id.text))), process);
  }

  /// What is of no process, the name of a device that several use for instance, is of all.
  bool is_of_process(const RawEvent& event) const {
    if (!options_.process || !model_.is_of_several()) return true;
    return process_of(event).value_or(*options_.process) == *options_.process;
  }

  /// A GPU row belongs to the step that launched it, and a step to its process.
  bool is_in_steps(const RawEvent& event) const {
    if (scope_.steps().empty()) return true;
    int64_t time = *event.begin.ns;
    if (const auto op = gpu_ops_.find(number_);
        op != gpu_ops_.end() && op->second->call != kNowhere)
      time = model_.calls[static_cast<std::size_t>(op->second->call)].time.begin;
    const std::optional<std::size_t> process = process_of(event);
    return process && model_.is_of_several() ? step_times_[*process].contains(time)
                                             : scope_.has_host_time(time);
  }

  /// From each launch to the first GPU op that it started.
  void write_flows() {
    if (const auto launch = launches_.find(number_); launch != launches_.end()) {
      const ApiCall& call = *launch->second;
      const HostThread& thread = model_.threads[call.thread];
      write_flow("s", call, thread.pid_of(), thread.tid, call.time.begin, "");
    }
    const auto found = gpu_ops_.find(number_);
    if (found == gpu_ops_.end() || found->second->call == kNowhere) return;
    const GpuOp& op = *found->second;
    const ApiCall& call = model_.calls[static_cast<std::size_t>(op.call)];
    if (&model_.gpu_ops[model_.launched_by(call)[0]] != &op) return;
    const ProcessId row = model_.is_of_several() ? op.row : ProcessId{op.device, 0};
    write_flow("f", call, row, op.stream, op.time.begin, R"(,"bp":"e")");
  }

  void write_flow(const char* phase, const ApiCall& call, const ProcessId& pid, int64_t tid,
                  int64_t time, const char* binding) {
    // Where correlations come again they would connect what does not belong together.
    const bool is_unique = !model_.is_of_several() && model_.counts.shared_correlations == 0;
    const int64_t id = is_unique ? call.correlation : (&call - model_.calls.data()) + 1;
    const std::string process =
        pid.text ? json_quote(model_.name(pid.text)) : std::to_string(pid.number);
    write(fmt::format(
        R"({{"ph":"{}","id":{},"pid":{},"tid":{},"ts":{},"cat":"ac2g","name":"ac2g"{}}})", phase,
        id, process, tid, Microseconds{time - model_.origin}, binding));
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
  std::unordered_map<uint64_t, const ApiCall*> launches_;  // by their places in the file
  std::unordered_map<uint64_t, const GpuOp*> gpu_ops_;
  std::unordered_map<uint64_t, Place> owners_;  // of work and waits, by their places in the file
  std::map<std::pair<int64_t, std::string>, Place> processes_;  // by "pid"
  std::vector<IntervalSet> step_times_;                         // of each
  std::map<FlowKey, std::size_t> flow_numbers_;                 // of complete ones
  uint64_t number_ = 0;  // of the event that is being written
  std::set<std::string> examples_;
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
