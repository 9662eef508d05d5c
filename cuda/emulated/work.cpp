#include "cuda/emulated/work.h"

#include <algorithm>
#include <cstdlib>
#include <unordered_set>
#include <vector>

#include "cuda/emulated/grid.h"
#include "cuda/emulated/memory.h"
#include "cuda/emulated/timing.h"

namespace emulator {

std::recursive_mutex lock;
Counts counts;
bool has_faulted = false;
thread_local int current_device = 0;
bool was_dropped = false;

namespace {

int waits_until_dropped = 0, works_until_dropped = 0;  // 0: none is
std::string name_of_dropped_work;
Part part_to_drop = Part::None;

struct Launch {
  const std::string* name;
  uint32_t stream, position;
  std::shared_ptr<const Clock> others;
  bool is_read = false;  // something that it has written
};

std::vector<CUstream_st*>& streams() {
  static auto* const all = new std::vector<CUstream_st*>;
  return *all;
}
std::vector<Launch>& launches() {
  static auto* const all = new std::vector<Launch>(1);
  return *all;
}
std::shared_ptr<const Clock> host = std::make_shared<Clock>();  // what the CPU has waited for

std::string variable(const char* name, const char* otherwise) {
  const char* const text = std::getenv(name);
  return text ? text : otherwise;
}
Order order = [] {
  const std::string text = variable("NOTAPE_EMULATED_ORDER", "batches");
  return text == "late"     ? Order::Late
         : text == "random" ? Order::Random
         : text == "eager"  ? Order::Eager
                            : Order::Batches;
}();
const bool values = variable("NOTAPE_EMULATED_VALUES", "1") != "0";
uint64_t seed = std::strtoull(variable("NOTAPE_EMULATED_SEED", "1").c_str(), nullptr, 10);

/// `into` becomes another clock only if it has to: most launches share theirs.
void merge(std::shared_ptr<const Clock>& into, uint32_t stream, uint32_t position) {
  const auto known = into->find(stream);
  if (known != into->end() && known->second >= position) return;
  auto changed = std::make_shared<Clock>(*into);
  (*changed)[stream] = position;
  into = std::move(changed);
}
void merge(std::shared_ptr<const Clock>& into, const std::shared_ptr<const Clock>& from) {
  if (into == from) return;
  for (const auto& [stream, position] : *from) merge(into, stream, position);
}

void run_until(CUstream_st& stream, uint32_t position) {
  while (stream.done < position) {
    Work& work = stream.queue.front();
    if (work.after) run_until(*work.after, work.position);
    if (work.run && values && !has_faulted) has_faulted = !work.run(work.launch);
    stream.queue.pop_front();
    ++stream.done;
  }
  close_memory();
}

uint32_t draw(std::size_t end) {
  seed = seed * 6364136223846793005u + 1442695040888963407u;
  return static_cast<uint32_t>((seed >> 33) % end);
}

/// What the device does by itself.
void make_progress(CUstream_st& queued_on) {
  constexpr uint32_t kBatch = 64;  // memory is opened and closed once for all of them
  if (order == Order::Eager || (order == Order::Batches && queued_on.queue.size() >= kBatch))
    run_until(queued_on, queued_on.queued);
  if (order != Order::Random) return;
  for (uint32_t steps = draw(4); steps-- > 0;) {
    CUstream_st& stream = *streams()[draw(streams().size())];
    if (stream.done < stream.queued) run_until(stream, stream.done + 1);
  }
}

void know(const CUevent_st& event) {
  if (!event.stream) return;
  run_until(*event.stream, event.position);
  merge(host, event.stream->number, event.position);
  merge(host, event.others);
}

void push(CUstream_st& stream, Work work) {
  merge(stream.others, host);
  ++stream.queued;
  stream.queue.push_back(std::move(work));
}

}  // namespace

bool has_values() { return values; }

void set_order(Order new_order, uint64_t new_seed) {
  const std::lock_guard guard(lock);
  order = new_order;
  seed = new_seed;
}
Counts take_counts() {
  const std::lock_guard guard(lock);
  return std::exchange(counts, {});
}

void drop_wait(int n) {
  const std::lock_guard guard(lock);
  waits_until_dropped = n;
}
void drop_work(int n, Part part) {
  const std::lock_guard guard(lock);
  works_until_dropped = n;
  part_to_drop = part;
}
bool has_dropped() {
  const std::lock_guard guard(lock);
  if (was_dropped) has_faulted = false;
  return std::exchange(was_dropped, false);
}

void note_read(uint32_t launch) { launches()[launch].is_read = true; }
std::vector<bool> take_reads() {
  static std::size_t begin = 1;
  const std::lock_guard guard(lock);
  std::vector<bool> reads;
  for (const std::size_t end = launches().size(); begin < end; ++begin)
    reads.push_back(launches()[begin].is_read);
  return reads;
}
std::string name_of_dropped() {
  const std::lock_guard guard(lock);
  return name_of_dropped_work;
}

CUstream_st& make_stream(int device) {
  const auto number = static_cast<uint32_t>(streams().size() + 1);
  streams().push_back(
      new CUstream_st{.device = device, .number = number, .others = std::make_shared<Clock>()});
  return *streams().back();
}
CUstream_st& stream_of(cudaStream_t given) {
  if (given) return *given;
  static auto* const defaults = new std::map<int, CUstream_st*>;
  CUstream_st*& found = (*defaults)[current_device];
  if (!found) found = &make_stream(current_device);
  return *found;
}

void finish(CUstream_st& stream) {
  ++counts.waits;
  run_until(stream, stream.queued);
  merge(host, stream.number, stream.queued);
  merge(host, stream.others);
  wait_until(stream.free_from_ns);
}
void finish_device(int device) {
  const int waits = counts.waits + 1;
  for (CUstream_st* const stream : streams())
    if (device < 0 || stream->device == device) finish(*stream);
  counts.waits = waits;
}

void queue(CUstream_st& stream, const std::string& name, std::function<bool(uint32_t launch)> run,
           const Request& request) {
  if (stream.graph) return stream.graph->parts.push_back({name, std::move(run), request});
  time_work(stream, name, request);
  if (works_until_dropped > 0 && --works_until_dropped == 0) {
    name_of_dropped_work = name;
    run = [whole = std::move(run), part = part_to_drop](uint32_t launch) {
      if (part == Part::All) return was_dropped = true;
      missing_part = part;
      const bool is_well = whole(launch);
      missing_part = Part::None;
      return is_well;
    };
  }
  static auto* const names = new std::unordered_set<std::string>;
  const auto launch = static_cast<uint32_t>(launches().size());
  push(stream, {std::move(run), launch});
  launches().push_back({&*names->insert(name).first, stream.number, stream.queued, stream.others});
  make_progress(stream);
}
void queue_wait(CUstream_st& stream, const CUevent_st& event) {
  if (!event.stream || event.stream == &stream) return;
  time_wait(stream, event);
  if (waits_until_dropped > 0 && --waits_until_dropped == 0) {
    was_dropped = true;
    return;
  }
  merge(stream.others, event.stream->number, event.position);
  merge(stream.others, event.others);
  push(stream, {.run = {}, .after = event.stream, .position = event.position});
  make_progress(stream);
}

bool has_happened(const CUevent_st& event) {
  if (event.stream && event.stream->done < event.position && order != Order::Batches) {
    if (order == Order::Random) make_progress(*event.stream);
    return false;
  }
  know(event);
  return true;
}
void finish(const CUevent_st& event) {
  know(event);
  wait_until(event.time_ns);
}

bool is_before(uint32_t earlier, uint32_t later) {
  const Launch &first = launches()[earlier], &second = launches()[later];
  if (first.stream == second.stream) return first.position < second.position;
  const auto known = second.others->find(first.stream);
  return known != second.others->end() && known->second >= first.position;
}
std::string name_of_launch(uint32_t launch) {
  return *launches()[launch].name + " on stream " + std::to_string(launches()[launch].stream);
}

}  // namespace emulator
