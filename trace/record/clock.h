// The recorder's clock: CLOCK_MONOTONIC in nanoseconds, and readings that tie it to the time of
// day.
#pragma once
#include <time.h>

#include <atomic>
#include <cstdint>

namespace notape::trace {

/// What reads clocks: another one while a device with virtual time is recorded. (Reading through it
/// costs what a call of a library's function does.)
inline constinit std::atomic<int (*)(clockid_t, timespec*)> clock_function{&::clock_gettime};

inline int64_t read_clock_ns(clockid_t clock) {
  timespec time;
  clock_function.load(std::memory_order_relaxed)(clock, &time);
  return int64_t{time.tv_sec} * 1'000'000'000 + time.tv_nsec;
}

/// Never jumps, whatever happens to the time of day.
inline int64_t now_ns() { return read_clock_ns(CLOCK_MONOTONIC); }

/// One moment on both clocks.
struct ClockPair {
  int64_t realtime_ns = 0;
  int64_t monotonic_ns = 0;
};

/// The tightest of several readings.
ClockPair read_both_clocks();

/// How much faster the time of day ran than the monotonic clock, in parts per million.
double drift_ppm(const ClockPair& from, const ClockPair& to);

}  // namespace notape::trace
