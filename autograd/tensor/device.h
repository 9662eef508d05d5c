// Device: where a tensor's bytes are. cpu, cuda:N, sim:N (a simulated device for tests), or batched
// (what vmap makes: one sample per batch entry, see autograd/tensor/batch.h).
#pragma once
#include <cstdint>
#include <string>
#include <string_view>

namespace notape {

enum class DeviceType : int8_t { CPU, CUDA, SIM, BATCHED };
inline constexpr int kDeviceTypes = 4;
inline constexpr DeviceType kCPU = DeviceType::CPU;
inline constexpr DeviceType kCUDA = DeviceType::CUDA;
inline constexpr DeviceType kSIM = DeviceType::SIM;

struct Device {
  DeviceType type = DeviceType::CPU;
  int8_t index = 0;

  constexpr Device() = default;
  constexpr Device(DeviceType device_type, int device_index = 0)
      : type(device_type), index(static_cast<int8_t>(device_index)) {}
  /// "cpu", "cuda", "cuda:1", "sim:0". Throws ValueError for anything else.
  explicit Device(std::string_view text);

  bool is_cpu() const { return type == DeviceType::CPU; }
  bool is_cuda() const { return type == DeviceType::CUDA; }
  /// No memory of its own: no kernel has an entry for it, so an operator that has no batching rule
  /// cannot compute with one sample only.
  bool is_batched() const { return type == DeviceType::BATCHED; }
  /// The batched device over the CPU or a GPU (index 0: the CPU). Throws DeviceError for others.
  static Device batched_over(Device of_samples);
  /// Where the bytes are: the device itself unless it is batched.
  Device of_samples() const {
    if (!is_batched()) [[likely]]
      return *this;
    return index == 0 ? Device() : Device(DeviceType::CUDA, index - 1);
  }
  friend constexpr bool operator==(Device, Device) = default;
};

/// "cpu" or "cuda:0".
std::string to_string(Device device);

}  // namespace notape
