// Strided elementwise execution on any device.
#include "autograd/tensor/device_interface.h"
#include "ops/elementwise/elementwise.h"
#include "ops/elementwise/make_plan.h"

namespace notape {

void no_kernel(const Operation& op, ScalarType type, Device device) {
  op.fail<NoKernel>("not implemented for {} on {} in this build", name_of(type), to_string(device));
}

void run_elementwise(const Operation& op, const ElementwiseSlots& slots, const void* functor,
                     ScalarType type, const Tensor& output, const Tensor* const* inputs,
                     int count) {
  const Device device = output.device();
  Tensor moved[ElementwisePlan::kMaxOperands];
  const Tensor* operands[ElementwisePlan::kMaxOperands];
  for (int k = 0; k < count; ++k) {  // 0-d CPU tensors may meet tensors of any device
    moved[k] = inputs[k]->device() == device ? *inputs[k]
                                             : vector_space->convert(*inputs[k], inputs[k]->dtype(),
                                                                     device);
    operands[k] = &moved[k];
  }
  ElementwisePlan plan;
  make_plan(plan, output, operands, count);
  if (device.is_cuda()) {
    DeviceInterface& interface = device_interface(device);
    const ElementwiseLaunch launch = slots.cuda(type);
    if (!launch) no_kernel(op, type, device);
    launch(plan, functor, interface.current_stream(device.index));
  } else {
    const ElementwiseLoop loop = slots.cpu(type);
    if (!loop) no_kernel(op, type, device);
    run_on_cpu(loop, plan, functor);
  }
}

void check_result_fits(const Operation& op, const Tensor& self, ScalarType natural,
                       std::initializer_list<const Tensor*> operands) {
  const auto category = [](ScalarType t) { return t == kBool ? 0 : is_floating_point(t) ? 2 : 1; };
  if (category(natural) > category(self.dtype()))
    op.fail<DtypeError>("result type {} can't be cast to the desired output type {}",
                        name_of(natural), name_of(self.dtype()));
  for (const Tensor* operand : operands)
    if (!is_expandable_to(operand->sizes(), self.sizes()))
      op.fail<ShapeError>(
          "output with shape {} doesn't match the broadcast shape with operand of shape {}",
          to_string(self.sizes()), to_string(operand->sizes()));
}

}  // namespace notape
