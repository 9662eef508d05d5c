#include "ops/core/raw_copy.h"

#include "autograd/tensor/device_interface.h"
#include "ops/core/allocate.h"

namespace notape {
namespace {

/// No operator of its own: no observer sees it, also if one is there when this library is loaded.
struct Unobserved {
  Observer* const before = set_observer(nullptr);
  ~Unobserved() { set_observer(before); }
};
const Operation kCopy = (Unobserved(), Operation("copy", SourceLocation()));

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
  const Device device = target.device();
  if (!copy_kernel.exists_on(device)) return copy_block(target, source);
  copy_kernel(kCopy, target.dtype(), device, target, source);
}

/// Between devices only whole row-major blocks of one type travel.
void copy_across(const Tensor& target, const Tensor& source, bool waits) {
  const Tensor block = raw_convert(raw_contiguous(source), target.dtype());
  const bool direct = target.is_contiguous() && target.sizes() == source.sizes();
  const Tensor landing =
      direct ? target : allocate(source.sizes(), target.dtype(), target.device());
  const Device to = target.device(), from = source.device();
  const auto bytes = static_cast<std::size_t>(block.numel()) * block.element_size();
  DeviceInterface& device = device_interface(to.is_cpu() ? from : to);
  if (!waits && block.impl().storage()->is_pinned_for(to.type))
    device.copy_from_pinned(landing.impl().data(), to, block.impl().data(), bytes);
  else
    device.copy(landing.impl().data(), to, block.impl().data(), from, bytes);
  if (!direct) copy_within(target, landing);
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

void raw_copy(const Tensor& target, const Tensor& source) {
  if (any_batched(target, source)) [[unlikely]]
    return copy_batched(target, source);
  if (target.device() == source.device()) return copy_within(target, source);
  copy_across(target, source, /*waits=*/true);
}

void raw_copy_without_waiting(const Tensor& target, const Tensor& source) {
  if (any_batched(target, source) || target.device() == source.device())
    return raw_copy(target, source);
  copy_across(target, source, /*waits=*/false);
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
