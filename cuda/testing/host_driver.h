// HostDriver: a driver over host memory, for tests. Work is done at once, but events happen only
// when the test says so.
#pragma once
#include <atomic>
#include <map>
#include <mutex>
#include <set>
#include <string>
#include <vector>

#include "cuda/runtime/driver.h"

namespace notape::cuda::testing {

class HostDriver : public Driver {
 public:
  /// `capacity` bytes on each device.
  explicit HostDriver(int devices = 1, std::size_t capacity = std::size_t{1} << 30);
  ~HostDriver() override;

  int device_count() noexcept override { return devices_; }
  void select(int device) override;
  std::size_t total_memory(int) override { return capacity_; }
  void* allocate(int device, std::size_t bytes) override;
  void release(int device, void* data) noexcept override;
  void* allocate_pinned(std::size_t bytes) override;
  void release_pinned(void* data) noexcept override;
  StreamHandle make_stream(int device) override;
  void synchronize_stream(int device, StreamHandle stream) override;
  void synchronize_device(int device) override;
  bool is_capturing(int, StreamHandle stream) override { return captured_.contains(stream); }
  EventHandle make_event(int device) override;
  void destroy_event(EventHandle event) noexcept override;
  void record(EventHandle event, int device, StreamHandle stream) override;
  bool has_happened(EventHandle event) override;
  void synchronize_event(EventHandle event) override;
  void wait(int device, StreamHandle stream, EventHandle event) override;
  void fill(void* target, int64_t count, const void* value, std::size_t bytes, int device,
            StreamHandle stream) override;
  void copy(void* target, int target_device, const void* source, int source_device,
            std::size_t bytes, int stream_device, StreamHandle stream) override;

  /// Events recorded from now on stay open until finish_work().
  void hold_work() { holding_ = true; }
  void finish_work();
  /// Until end_capture().
  void begin_capture(StreamHandle stream) { captured_.insert(stream); }
  void end_capture() { captured_.clear(); }
  /// make_event() throws from now on.
  void break_events() { events_are_broken_ = true; }
  /// record() does.
  void break_recording() { recording_is_broken_ = true; }

  /// Bytes that are allocated and not released; kHost: of pinned memory, which has the same
  /// capacity.
  std::size_t used(int device) const;
  std::size_t live_events() const;
  /// The calls that queue or wait, in words, since the last time.
  std::vector<std::string> take_log();

 private:
  void log(const std::string& line);
  std::string name(StreamHandle stream) const;
  void* take(int device, std::size_t bytes);
  void give_back(int device, void* data) noexcept;

  const int devices_;
  const std::size_t capacity_;
  mutable std::mutex lock_;
  std::vector<std::map<void*, std::size_t>> memory_;  // of kHost, then per device
  std::size_t streams_ = 0;
  std::set<StreamHandle> captured_;
  std::map<EventHandle, bool> events_;  // whether it has happened
  std::vector<std::string> log_;
  std::atomic<bool> holding_{false}, events_are_broken_{false}, recording_is_broken_{false};
};

}  // namespace notape::cuda::testing
