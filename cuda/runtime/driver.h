// Driver: what the runtime needs from a GPU's driver. Implemented by the CUDA runtime (driver/)
// and, for tests without a GPU, by host memory (testing/host_driver.h).
#pragma once
#include <cstddef>
#include <cstdint>

#include "autograd/error.h"

namespace notape::cuda {

/// Native handles; a null stream is the device's default stream.
using StreamHandle = void*;
using EventHandle = void*;

/// The side of a copy that is CPU memory.
inline constexpr int kHost = -1;

/// Everything but device_count() throws DeviceError for what cannot be explained to a user better
/// than by the driver's own words.
class Driver {
 public:
  virtual ~Driver() = default;

  /// Any error counts as no device, an absent driver included.
  virtual int device_count() noexcept = 0;
  /// Makes `device` the one that the calling thread launches kernels on.
  virtual void select(int device) = 0;

  /// Bytes, in use or not.
  virtual std::size_t total_memory(int device) = 0;
  /// Null if the device has not so much memory left.
  virtual void* allocate(int device, std::size_t bytes) = 0;
  /// Waits for the device first, as cudaFree does.
  virtual void release(int device, void* data) noexcept = 0;

  /// Memory of the CPU that all devices read and write themselves. Null if there is none left.
  virtual void* allocate_pinned(std::size_t bytes) = 0;
  virtual void release_pinned(void* data) noexcept = 0;

  virtual StreamHandle make_stream(int device) = 0;
  virtual void synchronize_stream(int device, StreamHandle stream) = 0;
  virtual void synchronize_device(int device) = 0;
  /// Whether work on the stream goes into a CUDA graph instead of being done.
  virtual bool is_capturing(int device, StreamHandle stream) = 0;

  virtual EventHandle make_event(int device) = 0;
  virtual void destroy_event(EventHandle event) noexcept = 0;
  /// The event happens when all that is queued on the stream now has happened.
  virtual void record(EventHandle event, int device, StreamHandle stream) = 0;
  virtual bool has_happened(EventHandle event) = 0;
  virtual void synchronize_event(EventHandle event) = 0;
  /// What is queued on the stream later waits for the event.
  virtual void wait(int device, StreamHandle stream, EventHandle event) = 0;

  /// Queues writes of `count` elements of `bytes` bytes, a power of two up to 8.
  virtual void fill(void* target, int64_t count, const void* value, std::size_t bytes, int device,
                    StreamHandle stream) = 0;
  /// Queues a copy; `source_device` and `target_device` may be kHost. The stream belongs to
  /// `stream_device`.
  virtual void copy(void* target, int target_device, const void* source, int source_device,
                    std::size_t bytes, int stream_device, StreamHandle stream) = 0;
};

}  // namespace notape::cuda
