// Device: where a tensor's bytes are. cpu, cuda:N, or sim:N (a simulated device for tests).
#pragma once
#include <cstdint>
#include <string>
#include <string_view>

namespace notape {

enum class DeviceType : int8_t { CPU, CUDA, SIM };
inline constexpr int kDeviceTypes = 3;
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
  friend constexpr bool operator==(Device, Device) = default;
};

/// "cpu" or "cuda:0".
std::string to_string(Device device);

}  // namespace notape
