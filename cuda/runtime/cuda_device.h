// CudaDevice: memory, copies and streams of all GPUs, for the tensor core.
#pragma once
#include <array>
#include <atomic>
#include <memory>

#include "autograd/tensor/device_interface.h"
#include "cuda/runtime/caching_allocator.h"
#include "cuda/runtime/pinned_allocator.h"
#include "cuda/runtime/plugged_allocator.h"
#include "cuda/runtime/position_report.h"
#include "cuda/runtime/stream.h"

namespace notape::cuda {

class CudaDevice final : public DeviceInterface, public DeviceAllocator {
 public:
  explicit CudaDevice(Driver& driver) : driver_(driver), streams_(driver), pinned_(driver) {}

  int device_count() noexcept override;
  void* allocate(std::size_t bytes, int index) override;
  void deallocate(void* data, std::size_t bytes, int index) noexcept override;
  void copy(void* target, Device target_device, const void* source, Device source_device,
            std::size_t bytes) override;
  void fill(void* target, Device target_device, int64_t count, const void* value,
            std::size_t bytes) override;
  /// Also makes the device the one that the calling thread launches kernels on.
  void* current_stream(int index) override;
  void synchronize(int index) override;
  void* new_stream(int index) override;
  void synchronize_stream(int index, void* stream) override;
  std::unique_ptr<DeviceEvent> make_event(int index) override {
    return std::make_unique<DriverEvent>(driver_, index);
  }
  void record_stream(void* data, int index, void* stream) override {
    if (PluggedAllocator* const own = plugged()) return own->record_use(data, stream);
    allocator(index).record_use(data, stream);
  }
  MemoryStats memory_stats(int index) override { return allocator(index).stats(); }
  void reset_peak_memory_stats(int index) override { allocator(index).reset_peaks(); }
  void empty_cache(int index) override { allocator(index).empty_cache(); }
  void set_memory_fraction(double fraction, int index) override;
  std::vector<MemorySegment> memory_snapshot(int index) override {
    return allocator(index).snapshot();
  }
  void change_allocator(PluggableAllocator allocator) override;
  void* allocate_pinned(std::size_t bytes) override { return pinned_.allocate(bytes); }
  void deallocate_pinned(void* data, std::size_t) noexcept override { pinned_.deallocate(data); }
  void copy_from_pinned(void* target, Device target_device, const void* source,
                        std::size_t bytes) override;
  void finish_copies(const void* data) override { pinned_.finish_uses(data); }

  /// Throws DeviceError if the program's own allocator is in its place.
  CachingAllocator& allocator(int index);
  /// Throws DeviceError if the device's current stream is being captured (cudaStreamBeginCapture):
  /// `what` would happen once, or mean something else, when the graph is replayed. The default
  /// stream cannot be captured, so who uses no other does not pay for this.
  void refuse_capture(const char* what, int index) const {
    refuse_capture(what, index, notape::current_stream(Device(kCUDA, index)).handle);
  }
  /// Where kernels on this device say that a position leads out of a tensor.
  PositionReport* position_report(int index);
  PinnedAllocator& pinned_allocator() { return pinned_; }

 private:
  /// Throws DeviceError for a device that there is not.
  void check(int index) const;
  void find_devices() noexcept;
  PluggedAllocator* plugged() const { return plugged_.load(std::memory_order_acquire); }
  /// Of memory of the CPU that nobody has pinned: such copies leave without a wait.
  static constexpr std::size_t kStaged = std::size_t{1} << 20;
  void refuse_capture(const char* what, int index, StreamHandle stream) const;
  void copy_staged(void* target, Device target_device, const void* source, std::size_t bytes);
  /// After a wait: throws what a kernel has reported, and forgets it.
  void throw_reported(int index);

  Driver& driver_;
  StreamPool streams_;
  PinnedAllocator pinned_;
  std::once_flag found_;
  int count_ = 0;
  std::array<std::unique_ptr<CachingAllocator>, kMaxDevices> allocators_;
  std::unique_ptr<PluggedAllocator> own_allocator_;
  std::atomic<PluggedAllocator*> plugged_ = nullptr;
  std::array<std::atomic<PositionReport*>, kMaxDevices> reports_{};
};

}  // namespace notape::cuda
