// pin_memory(x): a copy in pinned memory, which a device reads without the CPU's help; the gradient
// passes through.
#include "autograd/graph/record.h"
#include "autograd/tensor/device_interface.h"
#include "ops/core/allocate.h"
#include "ops/core/batching.h"
#include "ops/core/promotion.h"
#include "ops/shape.h"

namespace notape {
namespace {

// The copy is on the CPU, too, so the derivative is that of a copy.
constexpr auto kPinMemoryDerivative =
    derivative("PinMemoryBackward0", elementwise([](const Tensor& grad) { return grad; }));

}  // namespace

Tensor pin_memory(const Tensor& self, std::optional<Device> device, At at) {
  const Operation op("pin_memory", at);
  check_operand(op, self);
  if (is_batched(self)) refuse_batched(op);
  if (!self.is_cpu())
    op.fail<DeviceError>("only memory of the CPU can be pinned, got a tensor on {}",
                         to_string(self.device()));
  if (self.is_pinned()) return self;
  const std::optional<DeviceType> type = device ? device->type : accelerator();
  if (!type) op.fail<DeviceError>("there is no device beside the CPU to pin memory for");
  if (*type == kCPU) op.fail<DeviceError>("memory is pinned for another device than the CPU");
  const Geometry& from = self.impl().geometry();
  Geometry geometry = from.is_dense() ? from.at_offset(0) : Geometry(from.sizes());
  const auto bytes = static_cast<std::size_t>(self.numel()) * self.element_size();
  Tensor result(Ref<TensorImpl>::adopt(
      new TensorImpl(Storage::pinned(bytes, *type), std::move(geometry), self.dtype())));
  raw_copy(result, self);
  return record(kPinMemoryDerivative, op, std::move(result), NoParameters{}, self);
}

Tensor ShapeMembers::pin_memory(std::optional<Device> device, At at) const {
  return notape::pin_memory(self(), device, at);
}

}  // namespace notape
