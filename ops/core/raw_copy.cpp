#include "ops/core/raw_copy.h"

#include <atomic>

#include "autograd/tensor/device_interface.h"
#include "ops/core/allocate.h"
#include "ops/elementwise/kernel.h"
#include "ops/elementwise/make_plan.h"

namespace notape {
namespace {

std::atomic<CopyLaunch> cuda_copy{nullptr};

template <typename To, typename From>
To convert(From value) {
  if constexpr (std::is_same_v<To, bool>)
    return value != From(0);
  else
    return static_cast<To>(value);
}

template <typename To, typename From>
void convert_loop(char* const* data, const int64_t* strides, int64_t n, const void*) {
  detail::elementwise_run(
      data, strides, n, [](From value) { return convert<To>(value); },
      static_cast<To (*)(From)>(nullptr));
}

ElementwiseLoop convert_loop_for(ScalarType to, ScalarType from) {
  return visit_type(to, [&]<typename To>() {
    return visit_type(from,
                      []<typename From>() -> ElementwiseLoop { return convert_loop<To, From>; });
  });
}

/// For a device that has no copy kernel: whole blocks of one type.
void copy_block(const Tensor& target, const Tensor& source) {
  const Device device = target.device();
  const bool is_block = target.is_contiguous() && source.is_contiguous() &&
                        target.sizes() == source.sizes() && target.dtype() == source.dtype();
  if (!is_block)
    throw NoKernel("copy: not implemented for {} on {} in this build", name_of(target.dtype()),
                   to_string(device));
  device_interface(device).copy(target.impl().data(), device, source.impl().data(), device,
                                static_cast<std::size_t>(source.numel()) * source.element_size());
}

void copy_within(const Tensor& target, const Tensor& source) {
  if (!target.device().is_cpu() && !target.device().is_cuda()) return copy_block(target, source);
  ElementwisePlan plan;
  const Tensor* inputs[] = {&source};
  make_plan(plan, target, inputs, 1);
  if (target.device().is_cuda()) {
    DeviceInterface& device = device_interface(target.device());
    cuda_copy.load()(plan, target.dtype(), source.dtype(),
                     device.current_stream(target.device().index));
  } else {
    run_split(convert_loop_for(target.dtype(), source.dtype()), plan, nullptr);
  }
}

void copy_batched(const Tensor& target, const Tensor& source) {
  const BatchLevels levels = levels_of(target);
  if (!without(levels_of(source), levels).empty())
    throw BatchingNotImplemented(
        "copy: values that differ between samples cannot be written where all samples share one");
  const int64_t rank = target.dim();
  raw_copy(with_batch_dims(target, levels, rank), with_batch_dims(source, levels, rank));
}

}  // namespace

void set_cuda_copy(CopyLaunch launch) { cuda_copy.store(launch); }

void raw_copy(const Tensor& target, const Tensor& source) {
  if (any_batched(target, source)) [[unlikely]]
    return copy_batched(target, source);
  if (target.device() == source.device()) return copy_within(target, source);
  // Across devices only whole row-major blocks of one type travel.
  const Tensor block = raw_convert(raw_contiguous(source), target.dtype());
  const bool direct = target.is_contiguous() && target.sizes() == source.sizes();
  const Tensor landing =
      direct ? target : allocate(source.sizes(), target.dtype(), target.device());
  DeviceInterface& device =
      device_interface(target.device().is_cpu() ? source.device() : target.device());
  device.copy(landing.impl().data(), landing.device(), block.impl().data(), block.device(),
              static_cast<std::size_t>(block.numel()) * block.element_size());
  if (!direct) copy_within(target, landing);
}

Tensor raw_contiguous(const Tensor& value) {
  if (value.is_contiguous()) return value;
  Tensor result = allocate_for({&value}, Geometry(value.sizes()), value.dtype());
  raw_copy(result, value);
  return result;
}

Tensor raw_convert(const Tensor& value, ScalarType dtype) {
  if (value.dtype() == dtype) return value;
  Tensor result = allocate_like(value, dtype);
  raw_copy(result, value);
  return result;
}

}  // namespace notape
