// The recorder's clock: CLOCK_MONOTONIC in nanoseconds, and readings that tie it to the time of
// day.
#pragma once
#include <time.h>

#include <cstdint>

namespace notape::trace {

inline int64_t read_clock_ns(clockid_t clock) {
  timespec time;
  clock_gettime(clock, &time);
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
