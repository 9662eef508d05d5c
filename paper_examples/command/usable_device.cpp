#include "paper_examples/command/usable_device.h"

#include "autograd/tensor/device_interface.h"
#include "cuda/sim/simulated_device.h"

namespace notape::command {

Device usable_device(const std::string& text) {
  const Device device(text);
  if (device.type == kSIM) sim::use_simulated_device();
  device_interface(device);
  return device;
}

}  // namespace notape::command
