// The runtime's streams and events: autograd/tensor/stream.h over a driver.
#pragma once
#include <mutex>
#include <utility>
#include <vector>

#include "autograd/tensor/device_interface.h"
#include "autograd/tensor/stream.h"
#include "cuda/runtime/driver.h"

namespace notape::cuda {

/// Streams are made once and handed out in turn: a program that asks for more shares them.
class StreamPool {
 public:
  static constexpr std::size_t kStreams = 16;

  explicit StreamPool(Driver& driver) : driver_(driver) {}
  StreamHandle next(int device);

 private:
  struct OfDevice {
    std::vector<StreamHandle> streams;
    std::size_t next = 0;
  };

  Driver& driver_;
  std::mutex lock_;
  OfDevice devices_[kMaxDevices];
};

/// An event of one device.
class DriverEvent final : public DeviceEvent {
 public:
  DriverEvent(Driver& driver, int device)
      : driver_(driver), device_(device), handle_(driver.make_event(device)) {}
  ~DriverEvent() override { driver_.destroy_event(handle_); }
  DriverEvent(const DriverEvent&) = delete;
  DriverEvent& operator=(const DriverEvent&) = delete;

  void record(void* stream) override { driver_.record(handle_, device_, stream); }
  void block(int index, void* stream) override { driver_.wait(index, stream, handle_); }
  void synchronize() override { driver_.synchronize_event(handle_); }
  bool has_happened() override { return driver_.has_happened(handle_); }

 private:
  Driver& driver_;
  const int device_;
  const EventHandle handle_;
};

}  // namespace notape::cuda
