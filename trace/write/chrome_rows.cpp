#include "trace/write/chrome_rows.h"

#include <unistd.h>

#include <iterator>
#include <utility>

#include "autograd/error.h"
#include "trace/write/microseconds.h"

namespace notape::trace {
namespace {

// Process ids this small are taken for device numbers: GPU rows have the device as their pid.
constexpr int64_t kSmallestPid = 64, kPidShift = 1'000'000;

/// LibTorch's profiler has C++ names for types.
constexpr const char* kTypeNames[kScalarTypes] = {
    "bool",     "unsigned char", "signed char",   "short int", "int",
    "long int", "c10::Half",     "c10::BFloat16", "float",     "double"};

template <typename... Parts>
void append(fmt::memory_buffer& text, fmt::format_string<Parts...> pattern, Parts&&... parts) {
  fmt::format_to(std::back_inserter(text), pattern, std::forward<Parts>(parts)...);
}

void append_operands(fmt::memory_buffer& text, const std::vector<Operand>& operands) {
  const char* comma = "";
  append(text, R"(,"Input Dims":[)");
  for (const Operand& operand : operands)
    append(text, "{}[{}]", std::exchange(comma, ","), fmt::join(operand.sizes, ","));
  comma = "";
  append(text, R"(],"Input type":[)");
  for (const Operand& operand : operands)
    append(text, R"({}"{}")", std::exchange(comma, ","),
           operand.is_defined ? kTypeNames[static_cast<int>(operand.dtype)] : "");
  append(text, "]");
}

}  // namespace

ChromeRows::Process::Process()
    : true_pid(getpid()), pid(true_pid < kSmallestPid ? true_pid + kPidShift : true_pid) {}

template <typename... Parts>
void ChromeRows::line(fmt::format_string<Parts...> pattern, Parts&&... parts) {
  text_.append(std::string_view(is_first_ ? "\n" : ",\n"));
  is_first_ = false;
  append(text_, pattern, std::forward<Parts>(parts)...);
}

void ChromeRows::add_name(const char* what, int64_t tid, const std::string& arguments) {
  line(R"({{"ph":"M","name":"{}","ts":0.000,"pid":{},"tid":{},"args":{{{}}}}})", what, process_.pid,
       tid, arguments);
}

void ChromeRows::add_line(std::string_view row) { line("{}", row); }

void ChromeRows::add_process() {
  add_name("process_name", 0, fmt::format(R"("name":"notape","true pid":{})", process_.true_pid));
  add_name("process_labels", 0, R"("labels":"CPU")");
  add_name("process_sort_index", 0, fmt::format(R"("sort_index":{})", process_.pid));
}

void ChromeRows::add_thread(int64_t tid, std::string_view name) {
  const std::string label = fmt::format("thread {} ({})", tid, name);
  add_name("thread_name", tid, fmt::format(R"("name":{})", json_quote(label)));
  add_name("thread_sort_index", tid, fmt::format(R"("sort_index":{})", threads_++));
}

void ChromeRows::add_slice(const SliceRow& slice) {
  switch (slice.kind) {
    case EventKind::Step:
      begin_slice("user_annotation", fmt::format("\"ProfilerStep#{}\"", slice.step), slice);
      return append(text_, "{}}}}}", slice.unfinished ? R"("Unfinished":1)" : "");
    case EventKind::Range:
      begin_slice("user_annotation", names_of(slice.name).quoted, slice);
      return append(text_, "{}}}}}", slice.unfinished ? R"("Unfinished":1)" : "");
    case EventKind::Node:
      add_operation(names_of(slice.name).engine, slice);
      [[fallthrough]];
    case EventKind::Operator:
      return add_operation(names_of(slice.name).quoted, slice);
  }
}

const ChromeRows::Names& ChromeRows::names_of(const char* name) {
  Names& names = names_[name];
  if (names.quoted.empty())
    names = {json_quote(name),
             json_quote(fmt::format("autograd::engine::evaluate_function: {}", name))};
  return names;
}

void ChromeRows::begin_slice(const char* category, std::string_view quoted_name,
                             const SliceRow& slice) {
  line(R"({{"ph":"X","cat":"{}","name":{},"pid":{},"tid":{},"ts":{},"dur":{},"args":{{)", category,
       quoted_name, process_.pid, slice.tid, Microseconds{slice.begin_ns},
       Microseconds{slice.duration_ns});
}

void ChromeRows::add_operation(std::string_view quoted_name, const SliceRow& slice) {
  begin_slice("cpu_op", quoted_name, slice);
  append(text_, R"("External id":{},"Ev Idx":{})", operations_ + 1, operations_);
  ++operations_;
  if (slice.sequence_nr >= 0) append(text_, R"(,"Sequence number":{})", slice.sequence_nr);
  if (slice.forward_tid > 0) append(text_, R"(,"Fwd thread id":{})", slice.forward_tid);
  if (slice.operands && !slice.operands->empty()) append_operands(text_, *slice.operands);
  append(text_, "{}}}}}", slice.unfinished ? R"(,"Unfinished":1)" : "");
}

void ChromeRows::add_link(int64_t from_tid, int64_t from_ns, int64_t to_tid, int64_t to_ns) {
  const uint64_t id = ++links_;
  line(R"({{"ph":"s","id":{},"pid":{},"tid":{},"ts":{},"cat":"fwdbwd","name":"fwdbwd"}})", id,
       process_.pid, from_tid, Microseconds{from_ns});
  line(R"({{"ph":"f","id":{},"pid":{},"tid":{},"ts":{},"cat":"fwdbwd","name":"fwdbwd","bp":"e"}})",
       id, process_.pid, to_tid, Microseconds{to_ns});
}

void ChromeRows::add_memory(const RecordedMemory& memory, int64_t tid, int64_t time_ns) {
  const bool on_host = memory.device.is_cpu();
  line(
      R"({{"ph":"i","cat":"cpu_instant_event","s":"t","name":"[memory]","pid":{},"tid":{},"ts":{},)"
      R"("args":{{"Ev Idx":{},"Device Type":{},"Device Id":{},"Addr":{},"Bytes":{},)"
      R"("Total Allocated":{},"Total Reserved":{}}}}})",
      process_.pid, tid, Microseconds{time_ns}, operations_, on_host ? 0 : 1,
      on_host ? -1 : int{memory.device.index}, memory.address, memory.bytes, memory.allocated,
      memory.reserved);
  ++operations_;
}

std::string trace_head(const ClockPair& started, std::string_view metadata) {
  std::string text = "{\"schemaVersion\": 1, \"deviceProperties\": [],\n";
  text += "\"distributedInfo\": {\"rank\": 0},\n";
  if (!metadata.empty()) text += fmt::format("\"metadata\": {},\n", metadata);
  return text +
         fmt::format("\"displayTimeUnit\": \"ms\", \"baseTimeNanoseconds\": {}, \"traceEvents\": [",
                     started.realtime_ns);
}

std::string trace_tail(std::string_view trace_name, std::string_view metadata) {
  std::string text = "\n],";
  if (!metadata.empty()) text += fmt::format("\n\"metadata\": {},", metadata);
  return text + fmt::format(" \"traceName\": {}}}\n", json_quote(trace_name));
}

}  // namespace notape::trace
