// Elementwise execution for operands of any dtype, layout, shape and device.
#include <algorithm>

#include "autograd/tensor/device_interface.h"
#include "ops/core/autocast.h"
#include "ops/core/batching.h"
#include "ops/core/host_kernel.h"
#include "ops/core/one_device.h"
#include "ops/elementwise/compute.h"
#include "ops/elementwise/make_plan.h"

namespace notape {
namespace {

constexpr int kMaxInputs = ElementwisePlan::kMaxOperands - 1;

/// The type the operands promote to; conditions do not take part.
ResultType promote(const ElementwiseTraits& traits, TensorPointers inputs) {
  ResultType type;
  for (int k = 0; const Tensor* input : inputs)
    if (!traits.wants_bool(k++)) type.add(*input);
  return type;
}

/// The type the kernel computes in for operands that promote to `type`.
ScalarType kernel_type(const Operation& op, const ElementwiseSlots& slots, ScalarType type) {
  if (slots.traits().has(type)) return type;
  if (type == kBool && slots.traits().has(kInt64)) {
    if (slots.bool_error()) op.fail<DtypeError>("{}", slots.bool_error());
    op.fail<DtypeError>("not implemented for '{}'", type_name_of(type));
  }
  return floating_type(type);
}

/// The inputs in the dtypes the kernel reads. A 0-d tensor beside numbers of 16 bits is read as a
/// number is: in float32, in which they are computed, unless they are compared, which rounds
/// nothing.
struct Converted {
  Converted(const ElementwiseTraits& traits, TensorPointers inputs, ScalarType type) {
    for (const Tensor* input : inputs) {
      const bool as_number = input->dim() == 0 && input->dtype() != type && !traits.bool_result;
      const ScalarType read = as_number ? computed_in(type) : type;
      owned[count] = raw_convert(*input, traits.wants_bool(count) ? kBool : read);
      list[count] = &owned[count];
      ++count;
    }
  }

  Tensor owned[kMaxInputs];
  const Tensor* list[kMaxInputs];
  int count = 0;
};

std::vector<int64_t> result_sizes(const Operation& op, const Converted& inputs) {
  std::vector<int64_t> sizes;
  for (int k = 0; k < inputs.count; ++k)
    sizes = broadcast_sizes(op, sizes, inputs.list[k]->sizes());
  return sizes;
}

Tensor allocate_result(const Operation& op, const Converted& inputs, ScalarType type) {
  Device device = kCPU;
  for (int k = 0; k < inputs.count; ++k)
    if (device.is_cpu()) device = inputs.list[k]->device();
  for (int k = 0; k < inputs.count; ++k) {  // of the result's sizes
    const IntArrayRef sizes = inputs.list[k]->sizes();
    const bool is_largest =
        std::all_of(inputs.list, inputs.list + inputs.count,
                    [sizes](const Tensor* each) { return is_expandable_to(each->sizes(), sizes); });
    if (is_largest && inputs.list[k]->device() == device)
      return allocate_like(*inputs.list[k], type);
  }
  return allocate(result_sizes(op, inputs), type, device);
}

/// What a loop over numbers of 16 bits needs to know of the loop in float that does the work.
struct Reduced {
  ElementwiseLoop loop;
  const void* functor;
  int inputs;
  bool is_reduced[ElementwisePlan::kMaxOperands];  // else a condition, or a result of bools
};

/// Block by block, through float.
template <typename T>
void reduced_loop(char* const* data, const int64_t* strides, int64_t n, const void* context) {
  constexpr int64_t kBlock = 256, kStep = sizeof(float);
  const auto& work = *static_cast<const Reduced*>(context);
  float blocks[ElementwisePlan::kMaxOperands][kBlock];
  for (int64_t start = 0; start < n; start += kBlock) {
    const int64_t size = std::min(kBlock, n - start);
    char* at[ElementwisePlan::kMaxOperands];
    int64_t steps[ElementwisePlan::kMaxOperands];
    for (int k = 0; k <= work.inputs; ++k) {
      at[k] =
          work.is_reduced[k] ? reinterpret_cast<char*>(blocks[k]) : data[k] + start * strides[k];
      steps[k] = work.is_reduced[k] ? kStep : strides[k];
      if (k == 0 || !work.is_reduced[k]) continue;
      const char* from = data[k] + start * strides[k];
      for (int64_t i = 0; i < size; ++i)
        blocks[k][i] = *reinterpret_cast<const T*>(from + i * strides[k]);
    }
    work.loop(at, steps, size, work.functor);
    if (!work.is_reduced[0]) continue;
    char* to = data[0] + start * strides[0];
    for (int64_t i = 0; i < size; ++i)
      *reinterpret_cast<T*>(to + i * strides[0]) = static_cast<T>(blocks[0][i]);
  }
}

/// On a GPU all operands are converted, and the result back.
void run_converted(const Operation& op, const ElementwiseSlots& slots, const void* functor,
                   const Tensor& output, const Tensor* const* inputs, int count) {
  Tensor converted[kMaxInputs];
  const Tensor* list[kMaxInputs];
  for (int k = 0; k < count; ++k) {
    converted[k] = raw_convert(*inputs[k], computed_in(inputs[k]->dtype()));
    list[k] = &converted[k];
  }
  const Tensor result = allocate_like(output, computed_in(output.dtype()));
  run_elementwise(op, slots, functor, kFloat32, result, list, count);
  raw_copy(output, result);
}

void run_reduced(const Operation& op, const ElementwiseSlots& slots, const void* functor,
                 ScalarType type, const Tensor& output, const Tensor* const* inputs, int count) {
  const Device device = output.device();
  if (device.is_cuda()) return run_converted(op, slots, functor, output, inputs, count);
  const HostKernelScope scope(op, type, device);
  Reduced work{slots.cpu(kFloat32), functor, count, {}};
  if (!work.loop) no_kernel(op, type, device);
  work.is_reduced[0] = output.dtype() == type;
  for (int k = 0; k < count; ++k) work.is_reduced[k + 1] = inputs[k]->dtype() == type;
  ElementwisePlan plan;
  make_plan(plan, output, inputs, count);
  run_split(type == kHalf ? reduced_loop<Half> : reduced_loop<BFloat16>, plan, &work);
}

}  // namespace

void no_kernel(const Operation& op, ScalarType type, Device device) {
  if (device.is_batched()) refuse_batched(op);
  op.fail<NoKernel>("not implemented for {} on {} in this build", name_of(type), to_string(device));
}

void run_elementwise(const Operation& op, const ElementwiseSlots& slots, const void* functor,
                     ScalarType type, const Tensor& output, const Tensor* const* inputs,
                     int count) {
  const Device device = output.device();
  Tensor moved[kMaxInputs];
  const Tensor* operands[kMaxInputs];
  for (int k = 0; k < count; ++k) {  // 0-d CPU tensors may meet tensors of any device
    operands[k] = inputs[k];
    if (inputs[k]->device() == device) continue;
    moved[k] = core_operators->convert(*inputs[k], inputs[k]->dtype(), device);
    operands[k] = &moved[k];
  }
  if (is_reduced_floating_point(type))
    return run_reduced(op, slots, functor, type, output, operands, count);
  ElementwisePlan plan;
  make_plan(plan, output, operands, count);
  if (device.is_cuda()) {
    DeviceInterface& interface = device_interface(device);
    const KernelLaunch launch = slots.cuda(type);
    if (!launch) no_kernel(op, type, device);
    try {
      launch(&plan, functor, interface.current_stream(device.index));
    } catch (const DeviceError& error) {
      rethrow_named(op, error);
    }
  } else {
    const HostKernelScope scope(op, type, device);
    const ElementwiseLoop loop = slots.cpu(type);
    if (!loop) no_kernel(op, type, device);
    run_split(loop, plan, functor);
  }
}

namespace {

/// Batched inputs as plain tensors that broadcast to a result of `rank` dimensions per sample.
void lay_out_samples(Converted& inputs, const BatchLevels& levels, int64_t rank) {
  for (int k = 0; k < inputs.count; ++k)
    inputs.owned[k] = with_batch_dims(inputs.owned[k], levels, rank);
}

}  // namespace

Tensor compute_general(const Operation& op, const ElementwiseSlots& slots, const void* functor,
                       TensorPointers inputs) {
  check_operands(op, inputs);
  const ElementwiseTraits& traits = slots.traits();
  ScalarType type = kernel_type(op, slots, promote(traits, inputs).get());
  if (is_reduced_floating_point(type))
    for (const Tensor* input : inputs)
      if (autocast_keeps_float32(op, *input)) type = kFloat32;
  Converted converted(traits, inputs, type);
  const BatchLevels levels = levels_of(inputs);
  if (!levels.empty()) [[unlikely]]
    lay_out_samples(converted, levels, static_cast<int64_t>(result_sizes(op, converted).size()));
  Tensor output = allocate_result(op, converted, traits.bool_result ? kBool : type);
  run_elementwise(op, slots, functor, type, output, converted.list, converted.count);
  return as_batched(output, levels);
}

void compute_into_general(const Operation& op, const ElementwiseSlots& slots, const void* functor,
                          const Tensor& self, TensorPointers inputs) {
  const ElementwiseTraits& traits = slots.traits();
  const ScalarType type = kernel_type(op, slots, promote(traits, inputs).get());
  Converted converted(traits, inputs, type);
  Tensor target = self;
  if (is_batched(self)) [[unlikely]] {
    const BatchLevels levels = levels_of(self);
    target = with_batch_dims(self, levels, self.dim());
    lay_out_samples(converted, levels, self.dim());
  }
  const bool direct = type == self.dtype();
  const Tensor output = direct ? target : allocate_like(target, type);
  run_elementwise(op, slots, functor, type, output, converted.list, converted.count);
  if (!direct) raw_copy(target, output);
}

void check_in_place(const Operation& op, const ElementwiseSlots& slots, TensorPointers inputs,
                    std::optional<Scalar> number) {
  check_operands(op, inputs);
  const Tensor& self = **inputs.begin();
  for (const Tensor* input : inputs)  // a 0-d target on the CPU is no number beside the others
    if (input->dim() != 0 || !input->device().is_cpu()) check_on_one_device(op, {&self, input});
  ResultType natural = promote(slots.traits(), inputs);
  if (number) natural.add(*number);
  check_result_fits(op, self, kernel_type(op, slots, natural.get()), inputs);
}

void check_result_fits(const Operation& op, const Tensor& self, ScalarType natural,
                       TensorPointers operands) {
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
