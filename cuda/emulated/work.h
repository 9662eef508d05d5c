// Work that is queued on streams, and what comes before what: streams and events tell it by vector
// clocks, whatever the order was in which the work was done.
#pragma once
#include <deque>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include "cuda/emulated/activity.h"
#include "cuda/emulated/emulator.h"
#include "cuda/emulated/include/cuda_runtime.h"

namespace emulator {

/// Of each stream by its number, how much of its work is done before.
using Clock = std::map<uint32_t, uint32_t>;

struct Work {
  std::function<bool(uint32_t launch)> run;  // empty: waits for `after`
  uint32_t launch = 0;
  CUstream_st* after = nullptr;  // waits until that much of it is done
  uint32_t position = 0;
};

/// What determines how long the device takes for some work.
struct Request {
  Activity::Kind kind = Activity::Kind::Kernel;
  std::size_t bytes = 0;
  bool crosses_bus = false;
  std::array<int32_t, 3> grid{1, 1, 1}, block{1, 1, 1};
  double flop = 0;
};

}  // namespace emulator

/// What was captured, in order.
struct CUgraph_st {
  struct Part {
    std::string name;
    std::function<bool(uint32_t launch)> run;
    emulator::Request request;
  };
  std::vector<Part> parts;
};
struct CUstream_st {
  int device;
  uint32_t number;
  uint32_t queued = 0, done = 0;
  std::deque<emulator::Work> queue{};
  std::shared_ptr<const emulator::Clock> others{};  // of other streams
  int64_t free_from_ns = 0;                         // virtual time
  std::unique_ptr<CUgraph_st> graph{};              // while it is captured
};
struct CUevent_st {
  CUstream_st* stream = nullptr;  // null: never recorded
  uint32_t position = 0;
  std::shared_ptr<const emulator::Clock> others{};
  int64_t time_ns = 0;
  uint64_t correlation = 0;  // of the call that recorded it
};

namespace emulator {

/// Everything below, and memory.h, is called while holding it.
extern std::recursive_mutex lock;
extern Counts counts;
/// A fault is an error of every later call.
extern bool has_faulted;
extern thread_local int current_device;
/// See has_dropped().
extern bool was_dropped;
/// NOTAPE_EMULATED_VALUES: whether work is done, or only timed.
bool has_values();

/// The default stream of the current device for null.
CUstream_st& stream_of(cudaStream_t given);
CUstream_st& make_stream(int device);
/// Does all that is queued, of one device or (-1) of all.
void finish_device(int device);
void finish(CUstream_st& stream);

/// Queues `run`, which is given the number of its launch and says false where it failed.
void queue(CUstream_st& stream, const std::string& name, std::function<bool(uint32_t launch)> run,
           const Request& request = {});
void queue_wait(CUstream_st& stream, const CUevent_st& event);
/// Whether the event has happened; the CPU then knows it. May do some work first.
bool has_happened(const CUevent_st& event);
void finish(const CUevent_st& event);

/// Whether streams and events say that an earlier launch is done before a later one begins.
bool is_before(uint32_t earlier, uint32_t later);
std::string name_of_launch(uint32_t launch);
/// Somebody reads what the launch has written.
void note_read(uint32_t launch);

}  // namespace emulator
