#include "autograd/tensor/device.h"

#include <charconv>

#include "autograd/error.h"

namespace notape {

Device::Device(std::string_view text) {
  const auto colon = text.find(':');
  const std::string_view kind = text.substr(0, colon);
  if (kind == "cpu") {
    type = DeviceType::CPU;
  } else if (kind == "cuda") {
    type = DeviceType::CUDA;
  } else if (kind == "sim") {
    type = DeviceType::SIM;
  } else {
    throw ValueError("unknown device '{}': expected cpu, cuda, cuda:N, sim or sim:N", text);
  }
  if (colon == std::string_view::npos) return;
  const std::string_view digits = text.substr(colon + 1);
  const auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), index);
  if (error != std::errc() || end != digits.data() + digits.size() || index < 0)
    throw ValueError("'{}' is not a device index in '{}'", digits, text);
}

Device Device::batched_over(Device of_samples) {
  if (of_samples.is_cpu()) return Device(DeviceType::BATCHED);
  if (of_samples.is_cuda()) return Device(DeviceType::BATCHED, of_samples.index + 1);
  throw DeviceError("vmap: tensors on {} cannot be batched", to_string(of_samples));
}

std::string to_string(Device device) {
  static constexpr const char* names[kDeviceTypes] = {"cpu", "cuda", "sim", "batched"};
  const std::string name = names[static_cast<int>(device.type)];
  return device.is_cpu() ? name : name + ":" + std::to_string(device.index);
}

}  // namespace notape
