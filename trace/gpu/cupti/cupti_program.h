// CuptiProgram: a program that is recorded from its beginning, with GPUs from their first use on.
#pragma once
#include <atomic>
#include <mutex>

#include "trace/gpu/cupti/collector.h"
#include "trace/record/observer_in_front.h"

namespace notape::trace::cupti {

/// Starts the collector at the first operator or node that begins after the device's library was
/// loaded, and not before: a process that has the driver cannot fork. Calls find their operators by
/// time.
class CuptiProgram final : public ObserverInFront {
 public:
  struct Hooks {
    bool (*is_gpu_in_use)() noexcept;
    /// After an attempt to start, of which the collector's state() tells.
    void (*started)() = [] {};
  };
  /// All must outlive it.
  CuptiProgram(Observer& behind, Collector& collector, const Hooks& hooks) noexcept
      : ObserverInFront(behind), collector_(collector), hooks_(hooks) {}

  /// Ends the recording of GPUs, before the driver goes at the end of a process. May be called
  /// again.
  void stop();
  /// What stop() has brought; it is stopped if it was not. Before the recorder stops.
  DeviceRecording finish();

  void operator_begin(const char* name, uint64_t sequence_nr) noexcept override {
    ObserverInFront::operator_begin(name, sequence_nr);
    if (!was_tried_.load(std::memory_order_acquire)) [[unlikely]]
      try_to_start();
  }
  void node_begin(const Node& node) noexcept override {
    ObserverInFront::node_begin(node);
    if (!was_tried_.load(std::memory_order_acquire)) [[unlikely]]
      try_to_start();
  }

 private:
  void try_to_start() noexcept;

  Collector& collector_;
  const Hooks hooks_;
  std::mutex lock_;
  std::atomic<bool> was_tried_{false};
  DeviceRecording recording_;
};

}  // namespace notape::trace::cupti
