// SimulatedDevice: a device of type `sim` without a GPU. Its kernels are the CPU's, its memory is
// that of the host and closed to everybody but them: code that takes a tensor of a device for one
// of the CPU crashes here as it would with a GPU. For tests, and to see whether a program is
// written for any device; its speed says nothing about GPUs. (PyTorch: torch_openreg)
#pragma once
#include <atomic>
#include <map>
#include <mutex>
#include <vector>

#include "autograd/tensor/device_interface.h"

namespace notape::sim {

/// Thread-safe.
class SimulatedDevice final : public DeviceInterface {
 public:
  /// Takes addresses for `capacity` bytes, rounded up to whole large pages, of which those in use
  /// need memory. Throws OutOfMemory.
  explicit SimulatedDevice(std::size_t capacity = std::size_t{16} << 30);
  ~SimulatedDevice() override;
  SimulatedDevice(const SimulatedDevice&) = delete;
  SimulatedDevice& operator=(const SimulatedDevice&) = delete;

  int device_count() noexcept override { return 1; }
  void* allocate(std::size_t bytes, int index) override;
  void deallocate(void* data, std::size_t bytes, int index) noexcept override;
  void copy(void* target, Device target_device, const void* source, Device source_device,
            std::size_t bytes) override;
  void* current_stream(int) override { return nullptr; }
  void synchronize(int) override { do_queued(); }

  void* allocate_pinned(std::size_t bytes) override;
  void deallocate_pinned(void* data, std::size_t bytes) noexcept override;
  /// Is done as late as it may be: before the next kernel or copy, or when somebody waits.
  void copy_from_pinned(void* target, Device target_device, const void* source,
                        std::size_t bytes) override;
  void finish_copies(const void*) override { do_queued(); }

  bool has_host_kernels() const noexcept override { return true; }
  bool has_fused_host_kernels() const noexcept override { return has_fused_kernels_; }
  /// Without them operators take the ways that they take on GPUs.
  void offer_fused_kernels(bool on) { has_fused_kernels_ = on; }
  void open_memory() override;
  void close_memory() noexcept override;

  /// Whether its memory is closed between kernels: where the system has large pages, of which few
  /// have to be opened and closed for each.
  bool closes_memory() const { return closes_memory_; }
  /// In use, rounded up.
  std::size_t bytes_in_use() const;

 private:
  struct QueuedCopy {
    void* target;
    const void* source;
    std::size_t bytes;
  };

  void open();
  void close() noexcept;
  void set_access(int protection) noexcept;
  void do_queued();

  const bool closes_memory_;
  const std::size_t capacity_, mapped_bytes_;
  void* mapped_;
  mutable std::mutex lock_;
  char* memory_;
  char* end_;                          // of what was ever in use
  std::map<char*, std::size_t> free_;  // pieces below end_, none beside another
  std::size_t in_use_ = 0;
  std::atomic<bool> has_fused_kernels_{true};
  int open_ = 0;  // how many kernels and copies are at it
  std::vector<QueuedCopy> queue_;
};

/// Makes `sim` a device of this process, once, for as long as it lives.
SimulatedDevice& use_simulated_device();

}  // namespace notape::sim
