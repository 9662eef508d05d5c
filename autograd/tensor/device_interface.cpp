#include "autograd/tensor/device_interface.h"

#include <dlfcn.h>

#include <algorithm>
#include <atomic>
#include <cstdlib>
#include <cstring>
#include <string>
#include <vector>

#include "autograd/error.h"
#include "autograd/tensor/open_library.h"
#include "autograd/tensor/registered_device.h"

namespace notape {
namespace {

class CpuDevice final : public DeviceInterface {
 public:
  int device_count() noexcept override { return 1; }
  void* allocate(std::size_t bytes, int) override {
    if (void* data = std::aligned_alloc(64, (bytes + 63) / 64 * 64)) return data;
    throw OutOfMemory("the CPU has no {} bytes left", bytes);
  }
  void deallocate(void* data, std::size_t, int) noexcept override { std::free(data); }
  void copy(void* target, Device, const void* source, Device, std::size_t bytes) override {
    if (bytes) std::memcpy(target, source, bytes);
  }
  void* current_stream(int) override { return nullptr; }
  void synchronize(int) override {}
};

CpuDevice cpu_device;
std::atomic<DeviceInterface*> devices[kDeviceTypes] = {&cpu_device, nullptr, nullptr, nullptr};

/// Why there is no CUDA: what the system says of the library, "" where it could be loaded.
std::string cuda_library_error;

/// The emulated GPU (cuda/emulated) takes the place of a real one for programs that ask for it.
void load_cuda_library() {
  const char* const wanted = std::getenv("NOTAPE_CUDA");
  const bool is_emulated = wanted && std::strcmp(wanted, "emulated") == 0;
  const char* const file = is_emulated ? "libnotape_cuda_emulated.so" : "libnotape_cuda.so";
  open_library(file, cuda_library_error);
}

/// Loading the library registers its device; a machine without it simply has no such device.
DeviceInterface* find(DeviceType type) noexcept {
  auto& slot = devices[static_cast<int>(type)];
  if (DeviceInterface* device = slot.load(std::memory_order_acquire)) return device;
  if (type == DeviceType::CUDA) {
    // Not call_once: a library that is loaded late may not have its thread-local state.
    [[maybe_unused]] static const bool once = (load_cuda_library(), true);
  }
  return slot.load(std::memory_order_acquire);
}

}  // namespace

namespace {

[[noreturn]] void refuse_account() {
  throw DeviceError("this device keeps no account of its memory");
}

}  // namespace

MemoryStats DeviceInterface::memory_stats(int) { refuse_account(); }
void DeviceInterface::reset_peak_memory_stats(int) { refuse_account(); }
void DeviceInterface::empty_cache(int) { refuse_account(); }
void DeviceInterface::set_memory_fraction(double, int) { refuse_account(); }

void* open_library(const char* file, std::string& error) {
  void* const opened = dlopen(file, RTLD_NOW | RTLD_GLOBAL);
  if (!opened) error = dlerror();
  return opened;
}

void DeviceInterface::fill(void* target, Device target_device, int64_t count, const void* value,
                           std::size_t bytes) {
  const int64_t part = std::min<int64_t>(count, 1 << 20);
  std::vector<char> values(static_cast<std::size_t>(part) * bytes);
  for (std::size_t at = 0; at < values.size(); at += bytes)
    std::memcpy(values.data() + at, value, bytes);
  for (int64_t done = 0; done < count; done += part)
    copy(static_cast<char*>(target) + static_cast<std::size_t>(done) * bytes, target_device,
         values.data(), kCPU, static_cast<std::size_t>(std::min(part, count - done)) * bytes);
}
void* DeviceInterface::allocate_pinned(std::size_t) {
  throw DeviceError("this device has no pinned memory");
}
void DeviceInterface::deallocate_pinned(void*, std::size_t) noexcept {}
void DeviceInterface::copy_from_pinned(void* target, Device target_device, const void* source,
                                       std::size_t bytes) {
  copy(target, target_device, source, kCPU, bytes);
}
void DeviceInterface::finish_copies(const void*) {}

namespace {

/// In the words of the system, or of the driver, which may be missing or too old; "" if neither
/// says why.
std::string reason_of_no_device(DeviceInterface* cuda) {
  if (!cuda) return cuda_library_error;
  try {
    cuda->synchronize(0);
  } catch (const DeviceError& error) {
    return error.what_without_backtrace();
  }
  return "";
}

}  // namespace

DeviceInterface& device_interface(Device device) {
  if (device.is_batched())
    throw BatchingNotImplemented(
        "a batched tensor has one value per sample: it cannot be allocated, read or moved as one");
  DeviceInterface* found = find(device.type);
  const int count = found ? found->device_count() : 0;
  if (device.index < count) return *found;
  const std::string reason = count == 0 && device.is_cuda() ? reason_of_no_device(found) : "";
  throw DeviceError(
      "device {} is not available: {} such device(s) in this build on this machine{}{}",
      to_string(device), count, reason.empty() ? "" : "; ", reason);
}

bool is_device_registered(DeviceType type) noexcept {
  return devices[static_cast<int>(type)].load(std::memory_order_relaxed) != nullptr;
}

bool has_host_kernels(Device device) noexcept {
  if (device.type != kSIM) return false;
  DeviceInterface* const found = find(kSIM);
  return found && found->has_host_kernels();
}

bool has_fused_host_kernels(Device device) noexcept {
  return has_host_kernels(device) && find(kSIM)->has_fused_host_kernels();
}

int device_count(DeviceType type) noexcept {
  DeviceInterface* found = find(type);
  return found ? found->device_count() : 0;
}

std::optional<DeviceType> accelerator() noexcept {
  for (const DeviceType type : {kCUDA, kSIM})
    if (device_count(type) > 0) return type;
  return {};
}

MemoryStats memory_stats(Device device) {
  return device_interface(device).memory_stats(device.index);
}
void reset_peak_memory_stats(Device device) {
  device_interface(device).reset_peak_memory_stats(device.index);
}
void empty_cache(Device device) { device_interface(device).empty_cache(device.index); }
void set_per_process_memory_fraction(double fraction, Device device) {
  if (!(fraction >= 0 && fraction <= 1))
    throw ValueError("set_per_process_memory_fraction: a fraction is 0 to 1, got {}", fraction);
  device_interface(device).set_memory_fraction(fraction, device.index);
}

void register_device(DeviceType type, DeviceInterface* device) {
  devices[static_cast<int>(type)].store(device, std::memory_order_release);
}

}  // namespace notape
