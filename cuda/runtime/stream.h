// Streams and events: each thread has a current stream on each device, at first the default one, on
// which its operators queue their work.
#pragma once
#include <mutex>
#include <utility>
#include <vector>

#include "cuda/runtime/driver.h"

namespace notape::cuda {

inline constexpr int kMaxDevices = 16;

struct Stream {
  int device = 0;
  StreamHandle handle = nullptr;
  friend bool operator==(const Stream&, const Stream&) = default;
};

Stream current_stream(int device);
/// For the calling thread.
void set_current_stream(const Stream& stream);

/// Makes a stream current for a scope.
class StreamGuard {
 public:
  explicit StreamGuard(const Stream& stream) : before_(current_stream(stream.device)) {
    set_current_stream(stream);
  }
  ~StreamGuard() { set_current_stream(before_); }
  StreamGuard(const StreamGuard&) = delete;
  StreamGuard& operator=(const StreamGuard&) = delete;

 private:
  Stream before_;
};

/// Streams are made once and handed out in turn: a program that asks for more shares them.
class StreamPool {
 public:
  static constexpr std::size_t kStreams = 16;

  explicit StreamPool(Driver& driver) : driver_(driver) {}
  Stream next(int device);

 private:
  struct OfDevice {
    std::vector<StreamHandle> streams;
    std::size_t next = 0;
  };

  Driver& driver_;
  std::mutex lock_;
  OfDevice devices_[kMaxDevices];
};

/// A moment in a stream's queue that other streams, or the CPU, can wait for.
class Event {
 public:
  explicit Event(Driver& driver) : driver_(&driver) {}
  ~Event();
  Event(Event&& other) noexcept
      : driver_(other.driver_), handle_(std::exchange(other.handle_, nullptr)) {}
  Event& operator=(Event&&) = delete;

  void record(const Stream& stream);
  /// What is queued on the stream later waits. An event never recorded has happened.
  void block(const Stream& stream) const;
  void synchronize() const;
  bool has_happened() const;

 private:
  Driver* driver_;
  EventHandle handle_ = nullptr;
};

}  // namespace notape::cuda
