// CudaDevice: memory, copies and streams of all GPUs, for the tensor core.
#pragma once
#include <array>
#include <memory>

#include "autograd/tensor/device_interface.h"
#include "cuda/runtime/caching_allocator.h"
#include "cuda/runtime/stream.h"

namespace notape::cuda {

class CudaDevice final : public DeviceInterface {
 public:
  explicit CudaDevice(Driver& driver) : driver_(driver), streams_(driver) {}

  int device_count() noexcept override;
  void* allocate(std::size_t bytes, int index) override;
  void deallocate(void* data, std::size_t bytes, int index) noexcept override;
  void copy(void* target, Device target_device, const void* source, Device source_device,
            std::size_t bytes) override;
  /// Also makes the device the one that the calling thread launches kernels on.
  void* current_stream(int index) override;
  void synchronize(int index) override;

  CachingAllocator& allocator(int index);
  /// A stream beside the default one.
  Stream new_stream(int index);
  Driver& driver() { return driver_; }

 private:
  void check(int index) const;
  void find_devices() noexcept;
  void wait_for(const Stream& later, const Stream& earlier);

  Driver& driver_;
  StreamPool streams_;
  std::once_flag found_;
  int count_ = 0;
  std::array<std::unique_ptr<CachingAllocator>, kMaxDevices> allocators_;
};

}  // namespace notape::cuda
