// DeviceInterface: what a device library gives the tensor core. The CPU's is built in; another
// registers its own when its shared library is loaded, on the first use of such a device.
#pragma once
#include <cstddef>

#include "autograd/tensor/device.h"

namespace notape {

class DeviceInterface {
 public:
  virtual ~DeviceInterface() = default;

  /// Usable devices; any error of the driver counts as none. Never throws.
  virtual int device_count() noexcept = 0;
  /// Memory on device `index`, ordered on its current stream. Throws OutOfMemory.
  virtual void* allocate(std::size_t bytes, int index) = 0;
  /// `bytes` as given to allocate().
  virtual void deallocate(void* data, std::size_t bytes, int index) noexcept = 0;
  /// Copies between this device and itself or the CPU, ordered on the current stream; a copy that
  /// involves CPU memory has finished on return.
  virtual void copy(void* target, Device target_device, const void* source, Device source_device,
                    std::size_t bytes) = 0;
  /// The native stream handle that kernels are to be launched on.
  virtual void* current_stream(int index) = 0;
  /// Waits for everything queued on the device.
  virtual void synchronize(int index) = 0;
};

/// Throws DeviceError, in one line, if this build or machine has no such device.
DeviceInterface& device_interface(Device device);
/// How many devices of this type can be used; 0 where the library or driver is absent.
int device_count(DeviceType type) noexcept;
/// Called by a device library while it is being loaded; `device` must outlive the process.
void register_device(DeviceType type, DeviceInterface* device);

}  // namespace notape
