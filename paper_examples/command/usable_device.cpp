#include "paper_examples/command/usable_device.h"

#include "autograd/tensor/device_interface.h"
#include "verify/command/words.h"

namespace notape::command {

Device usable_device(const std::string& text) {
  const Device device = verify::device_of(text);
  device_interface(device);
  return device;
}

}  // namespace notape::command
