// DeviceInterface: what a device library gives the tensor core. The CPU's is built in; another
// registers its own when its shared library is loaded, on the first use of such a device.
#pragma once
#include <cstddef>
#include <memory>
#include <optional>

#include "autograd/tensor/device.h"
#include "autograd/tensor/device_memory.h"

namespace notape {

/// An event of a device library (see stream.h), which is recorded before anything else.
class DeviceEvent {
 public:
  virtual ~DeviceEvent() = default;
  virtual void record(void* stream) = 0;
  /// `index`: the device of the stream that waits.
  virtual void block(int index, void* stream) = 0;
  virtual void synchronize() = 0;
  virtual bool has_happened() = 0;
};

class DeviceInterface {
 public:
  virtual ~DeviceInterface() = default;

  /// Usable devices; any error of the driver counts as none. Never throws.
  virtual int device_count() noexcept = 0;
  /// Memory on device `index`, ordered on its current stream. Throws OutOfMemory.
  virtual void* allocate(std::size_t bytes, int index) = 0;
  /// `bytes` as given to allocate().
  virtual void deallocate(void* data, std::size_t bytes, int index) noexcept = 0;
  /// Copies between this device and itself or the CPU, ordered on the current stream; a copy to
  /// CPU memory has finished on return, and one from there has at least read it.
  virtual void copy(void* target, Device target_device, const void* source, Device source_device,
                    std::size_t bytes) = 0;
  /// `count` elements of `bytes` bytes become what is at `value`, ordered on the current stream. A
  /// device without a way of its own has them copied there.
  virtual void fill(void* target, Device target_device, int64_t count, const void* value,
                    std::size_t bytes);
  /// The native stream handle that kernels are to be launched on.
  virtual void* current_stream(int index) = 0;
  /// Waits for everything queued on the device.
  virtual void synchronize(int index) = 0;

  // ---- Streams beside the default one, which is null. A device without any does its work in
  // order.

  /// From a pool.
  virtual void* new_stream(int /*index*/) { return nullptr; }
  virtual void synchronize_stream(int index, void* /*stream*/) { synchronize(index); }
  /// Null where nothing is ever under way.
  virtual std::unique_ptr<DeviceEvent> make_event(int /*index*/) { return nullptr; }
  /// What begins at `data`, allocated here, is used by what is queued on this stream, too.
  virtual void record_stream(void* /*data*/, int /*index*/, void* /*stream*/) {}

  // ---- Memory (see device_memory.h). A device that keeps no account of it throws DeviceError.

  virtual MemoryStats memory_stats(int index);
  virtual void reset_peak_memory_stats(int index);
  virtual void empty_cache(int index);
  virtual void set_memory_fraction(double fraction, int index);

  // ---- Pinned memory: pages of the CPU that stay where they are, so that devices read them
  // without the CPU's help. A device that has none need not say so.

  /// Throws OutOfMemory, and DeviceError where there is none.
  virtual void* allocate_pinned(std::size_t bytes);
  /// Copies out of it may still be under way; it is not reused before their end. `bytes` as given.
  virtual void deallocate_pinned(void* data, std::size_t bytes) noexcept;
  /// copy() from memory that it has pinned to this device, ordered on the current stream, that may
  /// still be under way on return.
  virtual void copy_from_pinned(void* target, Device target_device, const void* source,
                                std::size_t bytes);
  /// Waits for the copies out of the pinned memory that begins at `data`.
  virtual void finish_copies(const void* data);

  // ---- A simulated device: the CPU's kernels compute in its memory, each between the two calls,
  // which nest. Between kernels the memory need not be readable.
  virtual bool has_host_kernels() const noexcept { return false; }
  /// Whether also the fused ones, which save time; a GPU has few of these.
  virtual bool has_fused_host_kernels() const noexcept { return has_host_kernels(); }
  virtual void open_memory() {}
  virtual void close_memory() noexcept {}
};

/// Throws DeviceError, in one line, if this build or machine has no such device.
DeviceInterface& device_interface(Device device);
/// Whether the CPU's kernels compute on the device, which is not the CPU.
bool has_host_kernels(Device device) noexcept;
bool has_fused_host_kernels(Device device) noexcept;
/// How many devices of this type can be used; 0 where the library or driver is absent.
int device_count(DeviceType type) noexcept;
/// What this machine has beside the CPU: CUDA before SIM. (PyTorch: at::getAccelerator)
std::optional<DeviceType> accelerator() noexcept;
/// Called by a device library while it is being loaded; `device` must outlive the process.
void register_device(DeviceType type, DeviceInterface* device);

}  // namespace notape
