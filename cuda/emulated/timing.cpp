#include "cuda/emulated/timing.h"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <iterator>
#include <set>
#include <utility>

namespace emulator {

Costs costs;

namespace {

using Guard = std::lock_guard<std::recursive_mutex>;

int64_t now = 1'000'000'000;

struct OpenCall {
  int depth = 0;
  int64_t unpaid_ns = 0;
  Activity row;
};
// Recorders ask at the very end of a process, after static destructors.
OpenCall& open_call = *new OpenCall;
std::vector<Activity>& rows = *new std::vector<Activity>;
uint64_t correlations = 0;
bool is_recording = false;

/// On the heap: libraries that are loaded late share little room for data of threads.
struct Numbers {
  std::vector<uint64_t> operations, ranges;
};
Numbers& numbers_of_thread() {
  static thread_local const auto numbers = std::make_unique<Numbers>();
  return *numbers;
}
uint64_t innermost(const std::vector<uint64_t>& numbers) {
  return numbers.empty() ? 0 : numbers.back();
}

/// When the launches of each device start that may not have started yet.
std::multiset<int64_t>& starts_of(int device) {
  static auto* const all = new std::map<int, std::multiset<int64_t>>;
  return (*all)[device];
}

void pay() { now += std::exchange(open_call.unpaid_ns, 0); }

void keep(Activity row) {
  if (is_recording) rows.push_back(std::move(row));
}

int64_t over(double amount, double per_ns) { return static_cast<int64_t>(amount / per_ns); }

/// Of the device, without waiting.
int64_t length_of(const Request& request) {
  const auto bytes = static_cast<double>(request.bytes);
  const int64_t least = costs.kernel_ns;
  switch (request.kind) {
    case Activity::Kind::Copy:
      return least + over(bytes, request.crosses_bus ? costs.bus_bytes_per_ns
                                                     : costs.memory_bytes_per_ns / 2);
    case Activity::Kind::Fill:
      return least + over(bytes, costs.memory_bytes_per_ns);
    default:
      break;
  }
  double threads = 1;
  for (const int32_t count : request.grid) threads *= count;
  for (const int32_t count : request.block) threads *= count;
  return least + over(threads, costs.threads_per_ns) + over(request.flop, costs.flop_per_ns);
}

}  // namespace

bool launches_block() {
  const char* const text = std::getenv("CUDA_LAUNCH_BLOCKING");
  return text && *text && *text != '0';
}

void set_costs(const Costs& changed) {
  const Guard guard(lock);
  costs = changed;
}

HostCall::HostCall(const char* name) : HostCall(name, costs.call_ns) {}
HostCall::HostCall(const char* name, int64_t cost_ns) {
  if (open_call.depth++ > 0) return;
  open_call.unpaid_ns = cost_ns;
  Activity& row = open_call.row;
  row.correlation = ++correlations;
  if (!is_recording) return;
  row = {.correlation = row.correlation};
  row.name = name;
  row.begin_ns = now;
  row.operation = innermost(numbers_of_thread().operations);
  row.range = innermost(numbers_of_thread().ranges);
  row.tid = gettid();
}
HostCall::~HostCall() {
  if (--open_call.depth > 0) return;
  pay();
  open_call.row.end_ns = now;
  keep(open_call.row);
}

void time_work(CUstream_st& stream, const std::string& name, const Request& request) {
  const HostCall call("cudaLaunchKernel", costs.launch_ns);
  std::multiset<int64_t>& starts = starts_of(stream.device);
  starts.erase(starts.begin(), starts.upper_bound(now));
  if (starts.size() >= costs.queue_depth)
    now =
        *std::next(starts.begin(), static_cast<std::ptrdiff_t>(starts.size() - costs.queue_depth));
  pay();
  const int64_t begin_ns = std::max(stream.free_from_ns, now + costs.latency_ns);
  stream.free_from_ns = begin_ns + length_of(request);
  starts.insert(starts.end(), begin_ns);
  if (launches_block()) wait_until(stream.free_from_ns);
  if (!is_recording) return;
  Activity row;
  row.kind = request.kind;
  row.name = name;
  row.correlation = open_call.row.correlation;
  row.begin_ns = begin_ns;
  row.end_ns = stream.free_from_ns;
  row.device = stream.device;
  row.stream = stream.number;
  row.bytes = request.bytes;
  row.grid = request.grid;
  row.block = request.block;
  rows.push_back(std::move(row));
}

void time_wait(CUstream_st& stream, const CUevent_st& event) {
  pay();
  Activity row;
  row.kind = Activity::Kind::Wait;
  row.name = "Stream Wait Event";
  row.correlation = open_call.row.correlation;
  row.begin_ns = std::max(stream.free_from_ns, now);
  row.end_ns = stream.free_from_ns = std::max(row.begin_ns, event.time_ns);
  row.device = stream.device;
  row.stream = stream.number;
  row.awaited_stream = event.stream->number;
  row.awaited_correlation = event.correlation;
  keep(std::move(row));
}
void time_record(CUevent_st& event, const CUstream_st& stream) {
  event.time_ns = stream.free_from_ns;
  event.correlation = open_call.row.correlation;
}
void wait_until(int64_t time_ns) { now = std::max(now, time_ns); }

namespace {

std::string stated_costs() {
  const Guard guard(lock);
  return fmt::format(
      "operator or node {} ns, launch call {} ns, other call {} ns, cudaMalloc {} ns, cudaFree {} "
      "ns after waiting for the device; launch latency {} ns, kernel {} ns + 1 ns for {:g} threads "
      "or {:g} flop of a product, copy or fill {} ns + 1 ns for {:g} bytes of memory or {:g} of "
      "the bus; launch queue of {}",
      costs.operator_ns, costs.launch_ns, costs.call_ns, costs.allocate_ns, costs.release_ns,
      costs.latency_ns, costs.kernel_ns, costs.threads_per_ns, costs.flop_per_ns, costs.kernel_ns,
      costs.memory_bytes_per_ns, costs.bus_bytes_per_ns, costs.queue_depth);
}

int read_clock(clockid_t, timespec* time) {
  const Guard guard(lock);
  *time = {now / 1'000'000'000, now % 1'000'000'000};
  return 0;
}

void start(int64_t now_ns) {
  const Guard guard(lock);
  wait_until(now_ns);
  is_recording = true;
  rows.clear();
}
std::vector<Activity> stop() {
  const Guard guard(lock);
  is_recording = false;
  return std::exchange(rows, {});
}

void begin(bool is_range, uint64_t number) {
  const Guard guard(lock);
  Numbers& numbers = numbers_of_thread();
  (is_range ? numbers.ranges : numbers.operations).push_back(number);
  if (!is_range) now += costs.operator_ns;
}
void end(bool is_range) {
  Numbers& numbers = numbers_of_thread();
  std::vector<uint64_t>& open = is_range ? numbers.ranges : numbers.operations;
  if (!open.empty()) open.pop_back();
}

}  // namespace
}  // namespace emulator

const emulator::ActivityFunctions* notape_emulated_activity() {
  static constexpr emulator::ActivityFunctions kFunctions = {
      emulator::stated_costs, emulator::read_clock, emulator::start,
      emulator::stop,         emulator::begin,      emulator::end};
  return &kFunctions;
}
