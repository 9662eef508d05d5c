#include "trace/model/model_builder.h"

#include <algorithm>
#include <nlohmann/json.hpp>

#include "trace/model/row_kind.h"
#include "trace/reader/decimal.h"

namespace notape::trace {
namespace {

constexpr int64_t kWeek = int64_t{7} * 24 * 3600 * 1'000'000'000;

/// "RANK 3 - CPU" is of rank 3.
std::optional<int64_t> rank_in(std::string_view name) {
  constexpr std::string_view kRank = "rank";
  const auto found = std::search(name.begin(), name.end(), kRank.begin(), kRank.end(),
                                 [](char a, char b) { return (a | 0x20) == b; });
  const auto is_digit = [](char c) { return c >= '0' && c <= '9'; };
  if (found == name.end()) return {};
  const auto begin = std::find_if(found + kRank.size(), name.end(),
                                  [](char c) { return std::string_view(" _:#-=").find(c) > 5; });
  return whole_number({begin, std::find_if_not(begin, name.end(), is_digit)});
}

}  // namespace

std::optional<Interval> time_of(const RawEvent& event) {
  if (!event.begin.ns || !event.duration.ns) return {};
  const int64_t begin = *event.begin.ns, duration = *event.duration.ns;
  if (duration < 0 || duration > kWeek || begin > INT64_MAX - kWeek || begin < INT64_MIN + kWeek)
    return {};
  return Interval{begin, begin + duration};
}

ProcessId ModelBuilder::process_of(const RowId& pid) {
  return {pid.number.value_or(-1), pid.number ? StringId{0} : model_.strings.intern(pid.text)};
}

ModelBuilder::ThreadKey ModelBuilder::key_of(const RowId& pid, const RowId& tid) {
  const ProcessId process = process_of(pid);
  return {process.number, tid.number.value_or(-1), process.text,
          tid.number ? StringId{0} : model_.strings.intern(tid.text)};
}

uint32_t ModelBuilder::thread_of(const RawEvent& event) {
  const ThreadKey key = key_of(event.pid, event.tid);
  if (key == last_key_ && last_thread_ >= 0) return static_cast<uint32_t>(last_thread_);
  const auto [place, is_new] =
      threads_.try_emplace(key, static_cast<uint32_t>(model_.threads.size()));
  if (is_new)
    model_.threads.push_back(
        {std::get<0>(key), std::get<1>(key), std::get<2>(key), std::get<3>(key), 0});
  last_key_ = key;
  last_thread_ = place->second;
  return place->second;
}

StringId ModelBuilder::shapes_of(const EventArguments& arguments) {
  if (arguments.input_dims.empty() && arguments.input_type.empty()) return 0;
  scratch_.assign(arguments.input_dims);
  scratch_.push_back(' ');
  scratch_.append(arguments.input_type);
  std::erase_if(scratch_, [](char c) { return c == '\n' || c == '\r'; });
  return model_.strings.intern(scratch_);
}

void ModelBuilder::add_host_op(const RawEvent& event, Interval time) {
  if (is_container_name(event.name)) {
    ++model_.counts.containers;
    model_.annotations.push_back({model_.strings.intern(event.name), thread_of(event), time});
    return;
  }
  HostOp op;
  op.name = model_.strings.intern(event.name);
  op.thread = thread_of(event);
  op.time = time;
  op.external_id = event.arguments.external_id.value_or(-1);
  op.event_index = event.arguments.event_index.value_or(-1);
  op.sequence_number = event.arguments.sequence_number.value_or(-1);
  op.shapes = shapes_of(event.arguments);
  model_.ops.push_back(op);
}

void ModelBuilder::add_call(const RawEvent& event, Interval time) {
  ApiCall call;
  call.name = model_.strings.intern(event.name);
  call.kind = api_kind(event.name);
  call.thread = thread_of(event);
  call.time = time;
  call.correlation = event.arguments.correlation.value_or(0);
  call.external_id = event.arguments.external_id.value_or(-1);
  call.event = model_.counts.events - 1;
  model_.calls.push_back(call);
}

void ModelBuilder::add_gpu_op(const RawEvent& event, Interval time, GpuOpKind kind) {
  if (time.begin == 0 && time.end == 0) {  // CUPTI had no room for its time stamps
    ++model_.counts.bad_time;
    return;
  }
  const EventArguments& arguments = event.arguments;
  GpuOp op;
  op.name = model_.strings.intern(event.name);
  op.kind = kind;
  op.device = arguments.device.value_or(event.pid.number.value_or(-1));
  op.stream = arguments.stream.value_or(event.tid.number.value_or(-1));
  op.time = time;
  op.correlation = arguments.correlation.value_or(0);
  op.bytes = arguments.bytes.value_or(0);
  op.graph = arguments.graph_id.value_or(0);
  op.row = process_of(event.pid);
  op.event = model_.counts.events - 1;
  model_.has_graphs |= op.graph != 0;
  model_.counts.zero_length_kernels += kind == GpuOpKind::Kernel && time.length() == 0;
  model_.gpu_ops.push_back(op);
}

void ModelBuilder::add_sync(const RawEvent& event, Interval time) {
  const EventArguments& arguments = event.arguments;
  model_.syncs.push_back({model_.strings.intern(event.name),
                          arguments.device.value_or(event.pid.number.value_or(-1)),
                          arguments.stream.value_or(event.tid.number.value_or(-1)), time,
                          arguments.correlation.value_or(0), arguments.wait_on_stream.value_or(-1),
                          process_of(event.pid), model_.counts.events - 1});
}

void ModelBuilder::add_memory(const RawEvent& event) {
  if (event.name != "[memory]") return;
  if (!event.begin.ns) {
    ++model_.counts.bad_time;
    return;
  }
  const EventArguments& arguments = event.arguments;
  model_.memory.push_back({thread_of(event), *event.begin.ns, arguments.device_type.value_or(0),
                           arguments.device_id.value_or(-1), arguments.address.value_or(0),
                           arguments.bytes.value_or(0), arguments.total_allocated.value_or(0),
                           arguments.total_reserved.value_or(0)});
}

void ModelBuilder::add_name(const RawEvent& event) {
  if (event.name == "thread_name" && !event.arguments.name.empty())
    thread_names_[key_of(event.pid, event.tid)] = model_.strings.intern(event.arguments.name);
  if (event.name == "process_name")
    if (const auto rank = rank_in(event.arguments.name))
      model_.ranks[process_of(event.pid)] = *rank;
}

void ModelBuilder::add_slice(const RawEvent& event) {
  const RowKind kind = row_kind(event.category);
  ModelCounts& counts = model_.counts;
  switch (kind) {
    case RowKind::GpuAnnotation:
      ++counts.gpu_annotations;
      return;
    case RowKind::Overhead:
      ++counts.overhead_rows;
      return;
    case RowKind::Stack:
      ++counts.stack_rows;
      return;
    case RowKind::Span:
      return;
    case RowKind::Memory:
    case RowKind::LaunchFlow:
    case RowKind::GradFlow:
    case RowKind::Unknown:
      ++counts.unknown_categories[std::string(event.category.substr(0, 100))];
      return;
    default:
      break;
  }
  const std::optional<Interval> time = time_of(event);
  if (!time) {
    ++counts.bad_time;
    return;
  }
  model_.has_whole_microseconds &= time->begin % 1000 == 0 && time->length() % 1000 == 0;
  switch (kind) {
    case RowKind::HostOp:
      return add_host_op(event, *time);
    case RowKind::HostKernel:
      model_.host_kernels.push_back({thread_of(event), *time, kNowhere});
      return;
    case RowKind::Annotation:
      model_.annotations.push_back({model_.strings.intern(event.name), thread_of(event), *time});
      return;
    case RowKind::ApiCall:
      return add_call(event, *time);
    case RowKind::Sync:
      return add_sync(event, *time);
    default:
      return add_gpu_op(event, *time,
                        kind == RowKind::Kernel ? GpuOpKind::Kernel
                        : kind == RowKind::Copy ? GpuOpKind::Copy
                                                : GpuOpKind::Fill);
  }
}

void ModelBuilder::note_begin(const RawEvent& event) {
  const bool is_event = event.phase == 'X' || event.phase == 'i' || event.phase == 'I';
  if (!is_event || !event.begin.ns || event.category.empty() ||
      row_kind(event.category) == RowKind::Span)
    return;
  const int64_t begin = *event.begin.ns, week = begin / kWeek - (begin % kWeek < 0);
  const auto [place, is_new] = first_in_week_.try_emplace(week, begin);
  if (!is_new) place->second = std::min(place->second, begin);
}

void ModelBuilder::add(const RawEvent& event) {
  ModelCounts& counts = model_.counts;
  ++counts.events;
  note_begin(event);
  switch (event.phase) {
    case 'X':
      return add_slice(event);
    case 'M':
      return add_name(event);
    case 'i':
    case 'I':
      if (row_kind(event.category) == RowKind::Memory) add_memory(event);
      counts.unread_rows += is_measured(row_kind(event.category));
      return;
    case 's':
      ++counts.flow_starts;
      return;
    case 'f':
      ++counts.flow_ends;
      return;
    case 'C':
      ++counts.counters;
      return;
    case 'b':
    case 'e':
    case 'n':
      ++counts.async_events;
      counts.unread_rows += is_measured(row_kind(event.category));
      return;
    default:
      ++counts.unknown_phases[event.phase ? std::string(1, event.phase) : "none"];
      counts.unread_rows += event.category.empty() || row_kind(event.category) != RowKind::Unknown;
  }
}

void ModelBuilder::add_metadata(std::string_view text) {
  const auto metadata = nlohmann::json::parse(text, nullptr, /*allow_exceptions=*/false);
  if (!metadata.is_object()) return;
  const auto number = [&](const char* key) {
    const auto found = metadata.find(key);
    return found != metadata.end() && found->is_number() ? found->get<double>() : 0.0;
  };
  const auto kind = metadata.find("device_kind");
  if (kind != metadata.end() && kind->is_string()) model_.device_kind = kind->get<std::string>();
  const double dropped = number("dropped");
  if (dropped > 0 && dropped < 1e18) model_.dropped = static_cast<uint64_t>(dropped);
  model_.drift_ppm = number("drift_ppm");
  // What `convert` left out of the file that it read, and what no longer shows.
  const auto add = [&](uint64_t& count, const char* key) {
    const double rows = number(key);
    if (rows > 0 && rows < 1e18) count += static_cast<uint64_t>(rows);
  };
  add(model_.counts.bad_time, "rows without a usable time");
  add(model_.counts.ambiguous_owners, "GPU ops of a guessed process");
  add(model_.counts.without_owner, "GPU rows of no process");
  const auto truncated = metadata.find("truncated");
  model_.is_truncated |= truncated != metadata.end() && *truncated == true;
}

void ModelBuilder::add_rank(std::string_view text) {
  const auto info = nlohmann::json::parse(text, nullptr, /*allow_exceptions=*/false);
  if (info.is_object() && info.contains("rank") && info["rank"].is_number_integer())
    model_.rank = info["rank"].get<int64_t>();
}

void ModelBuilder::add_header(const TraceReader& reader) {
  for (const auto& [key, name] : thread_names_) {
    const auto thread = threads_.find(key);
    if (thread != threads_.end()) model_.threads[thread->second].name = name;
  }
  model_.counts.not_events = reader.not_events();
  model_.is_truncated |= reader.is_truncated();
  model_.has_text_after_end = reader.has_text_after_end();
  if (const auto base = reader.header("baseTimeNanoseconds"))
    model_.base_nanoseconds = whole_number(*base).value_or(0);
  if (const auto metadata = reader.header("metadata")) add_metadata(*metadata);
  if (const auto info = reader.header("distributedInfo")) add_rank(*info);
  const auto with_stack = reader.header("with_stack");
  model_.has_stacks =
      model_.counts.stack_rows > 0 || (with_stack && (*with_stack == "1" || *with_stack == "true"));
}

}  // namespace notape::trace
