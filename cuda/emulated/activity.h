// What the emulated device did and who asked for it, on its virtual clock: for trace/, which finds
// the functions by name once the library is loaded, as it finds CUPTI's.
#pragma once
#include <time.h>

#include <array>
#include <cstdint>
#include <string>
#include <vector>

namespace emulator {

/// A call of the host, or what a stream did. What does not apply to its kind is 0.
struct Activity {
  enum class Kind : uint8_t { Call, Kernel, Copy, Fill, Wait };
  Kind kind = Kind::Call;
  std::string name = {};
  int64_t begin_ns = 0, end_ns = 0;  ///< virtual time
  uint64_t correlation = 0;          ///< joins a call and what it put on a stream
  /// Calls: what was the innermost operation and range of the thread.
  uint64_t operation = 0, range = 0;
  int64_t tid = 0;
  int32_t device = 0;
  int64_t stream = 0;
  uint64_t bytes = 0;
  std::array<int32_t, 3> grid{}, block{};
  int64_t awaited_stream = -1;  ///< Wait: where the event was recorded
  uint64_t awaited_correlation = 0;
};

struct ActivityFunctions {
  /// "a launch call 4000 ns, ..."
  std::string (*stated_costs)();
  /// In place of ::clock_gettime: virtual time, whichever clock is asked for.
  int (*read_clock)(clockid_t, timespec*);
  /// From now on, with a clock that says at least `now_ns`.
  void (*start)(int64_t now_ns);
  /// Everything since start().
  std::vector<Activity> (*stop)();
  /// An operation (an operator or backward node, which takes the host a stated time) or a range
  /// begins on the calling thread, or ends.
  void (*begin)(bool is_range, uint64_t number);
  void (*end)(bool is_range);
};

}  // namespace emulator

extern "C" const emulator::ActivityFunctions* notape_emulated_activity();
