// Streams and events: in which order a device does what it was asked for. An operator queues its
// work on the stream that is current for its device and its thread, and returns. Streams know
// nothing of each other until one of them waits for an event of another.
// 2019 paper (PyTorch: An Imperative Style), 5.2: separate control and data flow.
#pragma once
#include <array>
#include <memory>
#include <utility>

#include "autograd/modes/thread_state.h"
#include "autograd/tensor/device.h"

namespace notape {

class DeviceEvent;
class Tensor;

/// Devices of this number and above have no streams besides the default one.
inline constexpr int kMaxDevices = 16;

/// A queue of work of one device. The CPU and `sim` do their work at once and have none but the
/// default stream, so that programs need not tell devices apart.
struct Stream {
  Device device;
  void* handle = nullptr;  ///< cudaStream_t; null: the device's default stream

  /// Waits for everything that is queued on it now.
  void synchronize() const;
  friend bool operator==(const Stream&, const Stream&) = default;
};

/// Where this thread's operators queue their work: at first the default stream. Backward nodes run
/// on the streams that were current when they were recorded, whatever is current then; to the
/// caller, backward is one operation on his current streams. (PyTorch: torch.cuda.current_stream)
Stream current_stream(Device device);
void set_current_stream(const Stream& stream);
/// One of the device's pool of 16, which are handed out in turn. Throws DeviceError for a device
/// that is not there. (LibTorch: at::cuda::getStreamFromPool)
Stream new_stream(Device device);

/// Makes a stream current for a scope. (LibTorch: c10::StreamGuard)
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

/// A moment in a stream's queue that other streams, or the CPU, can wait for. One that was never
/// recorded has happened. (LibTorch: c10::Event)
class Event {
 public:
  Event();
  ~Event();
  Event(Event&&) noexcept;
  Event& operator=(Event&&) noexcept;

  /// It happens when all that is queued on the stream now is done.
  void record(const Stream& stream);
  /// What is queued on the stream later waits for it.
  void block(const Stream& stream) const;
  /// The CPU waits for it.
  void synchronize() const;
  /// Whether it has happened.
  bool query() const;

 private:
  std::unique_ptr<DeviceEvent> event_;
  Device device_;
};

/// Says that work on `stream` uses the tensor, which was made on another: once freed, its memory is
/// not reused before what is queued there by then is done. (PyTorch: Tensor.record_stream)
void record_stream(const Tensor& tensor, const Stream& stream);
/// Waits for everything that is queued on the device. (PyTorch: torch.cuda.synchronize)
void synchronize(Device device);

/// The current streams of all devices, as threads and nodes remember them.
struct StreamSet {
  std::array<void*, kMaxDevices> handles{};
  friend auto operator<=>(const StreamSet&, const StreamSet&) = default;
};

/// In its scope the streams of a set are this thread's current ones.
class StreamSetGuard {
 public:
  explicit StreamSetGuard(const StreamSet* streams)
      : before_(std::exchange(thread_state.streams, streams)) {}
  ~StreamSetGuard() { thread_state.streams = before_; }
  StreamSetGuard(const StreamSetGuard&) = delete;
  StreamSetGuard& operator=(const StreamSetGuard&) = delete;

 private:
  const StreamSet* before_;
};

/// What is queued on `later` from now on comes after what is queued on `earlier` by now.
void order_streams(const StreamSet* later, const StreamSet* earlier);
/// record_stream() for the tensor's device; nothing for an undefined tensor.
void record_streams(const Tensor& tensor, const StreamSet* streams);

}  // namespace notape
