#include "autograd/tensor/factories.h"

#include <cmath>

#include "autograd/tensor/device_interface.h"
#include "autograd/tensor/generate.h"
#include "autograd/tensor/refuse_options.h"

namespace notape {
namespace {

using detail::generate;
using detail::refuse_bool;

std::size_t bytes_of(const Geometry& geometry, ScalarType dtype) {
  return static_cast<std::size_t>(geometry.numel()) * element_size(dtype);
}

Tensor tensor_over(Ref<Storage> storage, Geometry geometry, ScalarType dtype) {
  return Tensor(
      Ref<TensorImpl>::adopt(new TensorImpl(std::move(storage), std::move(geometry), dtype)));
}

Tensor allocate(Geometry geometry, ScalarType dtype, Device device) {
  const std::size_t bytes = bytes_of(geometry, dtype);
  return tensor_over(Storage::allocate(bytes, device), std::move(geometry), dtype);
}

/// Uninitialised, where the options want it. Throws DeviceError, also for pinned memory of a
/// device.
Tensor allocate(Geometry geometry, const TensorOptions& options) {
  if (!options.pinned_memory())
    return allocate(std::move(geometry), options.dtype(), options.device());
  if (!options.device().is_cpu())
    throw DeviceError("only memory of the CPU can be pinned, not that of {}",
                      to_string(options.device()));
  const std::optional<DeviceType> device = accelerator();
  if (!device) throw DeviceError("there is no device beside the CPU to pin memory for");
  const std::size_t bytes = bytes_of(geometry, options.dtype());
  return tensor_over(Storage::pinned(bytes, *device), std::move(geometry), options.dtype());
}

/// A Scalar no longer knows which number it was made of.
ScalarType type_of(Scalar value) {
  return value.is_floating_point() ? kFloat32 : value.type() == kBool ? kBool : kInt64;
}

/// Throws ValueError unless the numbers a floating range ends in fit.
void check_ends(const char* name, std::initializer_list<Scalar> ends,
                const TensorOptions& options) {
  visit_type(options.dtype_opt().value_or(kFloat32), [&]<typename T>() {
    if constexpr (is_floating_v<T>)
      for (const Scalar& end : ends) end.to<T>(name);
  });
}

/// Without rounding, which a way through double would bring.
Tensor integer_range(int64_t first, int64_t last, int64_t by, const TensorOptions& options) {
  if (by > 0 ? last < first : last > first)
    throw ValueError("arange: upper bound and lower bound inconsistent with step sign");
  const auto bits = [](int64_t value) { return static_cast<uint64_t>(value); };
  const auto difference = [=](int64_t from, int64_t to) { return bits(to) - bits(from); };
  const uint64_t length = by > 0 ? difference(first, last) : difference(last, first);
  const uint64_t stride = by > 0 ? difference(0, by) : difference(by, 0);
  const Scalar count = length / stride + (length % stride != 0);
  return generate("arange", {count.to_int()}, options, kInt64,
                  [=](int64_t i) {  // all of them fit, but not all multiples of the step
                    return static_cast<int64_t>(bits(first) + bits(i) * bits(by));
                  });
}

/// start and step without their fractions, as in LibTorch; how many was decided with them.
Tensor truncated_range(Scalar start, Scalar step, int64_t count, const TensorOptions& options) {
  const auto first = start.to<int64_t>("arange"), by = step.to<int64_t>("arange");
  if (count > 0)  // else they could wrap around below
    Scalar(static_cast<double>(first) + static_cast<double>(count - 1) * static_cast<double>(by))
        .to<int64_t>("arange");
  return generate("arange", {count}, options, kInt64, [=](int64_t i) { return first + i * by; });
}

}  // namespace

Tensor finish_tensor(Tensor made_on_cpu, const TensorOptions& options) {
  Tensor result = std::move(made_on_cpu);
  const bool stays = options.device().is_cpu() && options.pinned_memory() <= result.is_pinned();
  if (!stays) {
    Tensor there = allocate(Geometry(result.sizes()), options.dtype(result.dtype()));
    DeviceInterface& device = device_interface(options.device());
    const std::size_t bytes = there.impl().storage()->bytes();
    if (result.is_pinned())
      device.copy_from_pinned(there.impl().data(), options.device(), result.impl().data(), bytes);
    else
      device.copy(there.impl().data(), options.device(), result.impl().data(), kCPU, bytes);
    result = std::move(there);
  }
  if (options.requires_grad()) result.requires_grad_();
  return result;
}

Tensor empty(IntArrayRef size, TensorOptions options) {
  Tensor result = allocate(Geometry(size), options);
  if (options.requires_grad()) result.requires_grad_();
  return result;
}

Tensor empty_strided(IntArrayRef size, IntArrayRef stride, TensorOptions options) {
  Geometry geometry(size, stride, 0);
  if (!geometry.is_dense())
    throw ShapeError("empty_strided: strides {} of size {} leave gaps or overlap",
                     to_string(stride), to_string(size));
  Tensor result = allocate(std::move(geometry), options);
  if (options.requires_grad()) result.requires_grad_();
  return result;
}

namespace {

Tensor filled(const char* name, IntArrayRef size, Scalar value, const TensorOptions& options) {
  const ScalarType type = options.dtype_opt().value_or(type_of(value));
  return visit_type(type, [&]<typename T>() {
    const T one = value.to<T>(name);
    if (!options.device().is_cpu()) {
      Tensor there = empty(size, options.dtype(type));
      device_interface(options.device())
          .fill(there.impl().data(), options.device(), there.numel(), &one, sizeof one);
      return there;
    }
    Tensor result = allocate(Geometry(size), type, kCPU);
    std::fill_n(result.impl().data_as<T>(), result.numel(), one);
    return finish_tensor(std::move(result), options);
  });
}

}  // namespace

Tensor full(IntArrayRef size, Scalar value, TensorOptions options) {
  return filled("full", size, value, options);
}

Tensor zeros(IntArrayRef size, TensorOptions options) {
  if (!options.device().is_cpu()) return full(size, 0.0, options);
  Tensor result = empty(size, options);
  std::memset(result.impl().data(), 0, result.impl().storage()->bytes());
  return result;
}

Tensor ones(IntArrayRef size, TensorOptions options) { return full(size, 1.0, options); }

Tensor scalar_tensor(Scalar value, TensorOptions options) {
  return filled("scalar_tensor", {}, value, options.dtype(options.dtype()));
}

Tensor arange(Scalar end, TensorOptions options) { return arange(0, end, 1, options); }

Tensor arange(Scalar start, Scalar end, TensorOptions options) {
  return arange(start, end, 1, options);
}

Tensor arange(Scalar start, Scalar end, Scalar step, TensorOptions options) {
  refuse_bool("arange", options);
  const double first = start.to_double(), last = end.to_double(), by = step.to_double();
  const bool integral =
      !(start.is_floating_point() || end.is_floating_point() || step.is_floating_point());
  if (by == 0 || !std::isfinite(first) || !std::isfinite(last) || !std::isfinite(by))
    throw ValueError("arange: step must be nonzero and all bounds finite");
  if ((by > 0 && last < first) || (by < 0 && last > first))
    throw ValueError("arange: upper bound and lower bound inconsistent with step sign");
  if (integral) return integer_range(start.to_int(), end.to_int(), step.to_int(), options);
  const ScalarType type = options.dtype_opt().value_or(kFloat32);
  const auto is_whole = [](double value) {
    return std::abs(value) <= 0x1p53 && value == std::trunc(value);
  };
  if (is_whole(first) && is_whole(last) && is_whole(by) && is_floating_point(type))
    return integer_range(start.to_int(), end.to_int(), step.to_int(), options.dtype(type));
  const int64_t count = Scalar(std::ceil((last - first) / by)).to<int64_t>("arange");
  check_ends("arange", {start, end}, options);
  if (is_integral(type)) return truncated_range(start, step, count, options);
  return generate("arange", {count}, options, type,
                  [&](int64_t i) { return first + static_cast<double>(i) * by; });
}

Tensor linspace(Scalar start, Scalar end, Integer steps, TensorOptions options) {
  if (steps < 0) throw ValueError("linspace: number of steps must be non-negative, got {}", steps);
  refuse_bool("linspace", options);
  check_ends("linspace", {start, end}, options);
  const ScalarType type = options.dtype_opt().value_or(kFloat32);
  if (is_integral(type)) {  // the ends without their fractions, as in LibTorch
    start = start.to<int64_t>("linspace");
    end = end.to<int64_t>("linspace");
  }
  const double first = start.to_double(), last = end.to_double();
  const double by = steps > 1 ? (last - first) / static_cast<double>(steps - 1) : 0;
  // From both ends, so that both are hit exactly.
  return generate("linspace", {steps}, options, type, [&](int64_t i) -> Scalar {
    if (is_integral(type) && (i == 0 || i == steps - 1)) return i == 0 ? start : end;  // past 2^53
    return i < steps / 2 || steps == 1 ? first + static_cast<double>(i) * by
                                       : last - static_cast<double>(steps - 1 - i) * by;
  });
}

Tensor eye(Integer n, TensorOptions options) { return eye(n, n, options); }

Tensor eye(Integer n, Integer m, TensorOptions options) {
  return generate("eye", {n, m}, options, kFloat32,
                  [&](int64_t i) { return i / m == i % m ? 1.0 : 0.0; });
}

Tensor empty_like(const Tensor& like) { return empty_like(like, like.options()); }

Tensor empty_like(const Tensor& like, TensorOptions options) {
  const Geometry& geometry = like.impl().geometry();
  const TensorOptions wanted = options.or_those_of(like.options());
  if (geometry.is_contiguous() || !geometry.is_dense()) return empty(geometry.sizes(), wanted);
  return empty_strided(geometry.sizes(), geometry.strides(), wanted);
}

Tensor zeros_like(const Tensor& like) { return full_like(like, 0); }
Tensor ones_like(const Tensor& like) { return full_like(like, 1); }
Tensor full_like(const Tensor& like, Scalar value) {
  return full_like(like, value, like.options());
}
Tensor zeros_like(const Tensor& like, TensorOptions options) { return full_like(like, 0, options); }
Tensor ones_like(const Tensor& like, TensorOptions options) { return full_like(like, 1, options); }
Tensor full_like(const Tensor& like, Scalar value, TensorOptions options) {
  const TensorOptions wanted = options.or_those_of(like.options());
  Tensor result = full(like.sizes(), value, wanted.requires_grad(false));
  const Geometry& geometry = like.impl().geometry();
  if (!geometry.is_contiguous() && geometry.is_dense())
    // All elements are equal, so any order of them will do.
    result = Tensor(Ref<TensorImpl>::adopt(
        new TensorImpl(result.impl().storage(), geometry.at_offset(0), wanted.dtype())));
  if (options.requires_grad()) result.requires_grad_();
  return result;
}

Tensor from_blob(void* data, IntArrayRef size, IntArrayRef stride, Storage::Deleter deleter,
                 TensorOptions options) {
  refuse_pinned_memory("from_blob", options);
  Geometry geometry(size, stride, 0);
  const auto bytes =
      static_cast<std::size_t>(geometry.storage_end()) * element_size(options.dtype());
  if (!data && bytes) throw ValueError("from_blob: the data pointer is null");
  Tensor result(Ref<TensorImpl>::adopt(
      new TensorImpl(Storage::foreign(data, bytes, options.device(), std::move(deleter)),
                     std::move(geometry), options.dtype())));
  if (options.requires_grad()) result.requires_grad_();
  return result;
}

Tensor from_blob(void* data, IntArrayRef size, Storage::Deleter deleter, TensorOptions options) {
  return from_blob(data, size, contiguous_strides(size), std::move(deleter), options);
}

Tensor from_blob(void* data, IntArrayRef size, TensorOptions options) {
  return from_blob(data, size, Storage::Deleter(), options);
}

namespace {

void flatten_numbers(const NestedNumbers& numbers, std::size_t depth, std::vector<int64_t>& sizes,
                     std::vector<Scalar>& values, ScalarType& type) {
  if (!numbers.is_list()) {
    if (depth != sizes.size()) throw ShapeError("tensor: numbers and lists are mixed at one level");
    type = promote_types(type, numbers.type());
    return values.push_back(numbers.value());
  }
  const auto length = static_cast<int64_t>(numbers.rows().size());
  if (depth == sizes.size()) {
    if (!values.empty()) throw ShapeError("tensor: numbers and lists are mixed at one level");
    sizes.push_back(length);
  } else if (sizes[depth] != length) {
    throw ShapeError("tensor: expected {} entries at depth {}, got {}", sizes[depth], depth,
                     length);
  }
  for (const NestedNumbers& row : numbers.rows())
    flatten_numbers(row, depth + 1, sizes, values, type);
}

}  // namespace

Tensor tensor(const NestedNumbers& numbers, TensorOptions options) {
  std::vector<int64_t> sizes;
  std::vector<Scalar> values;
  ScalarType natural = kBool;
  flatten_numbers(numbers, 0, sizes, values, natural);
  if (values.empty()) natural = kFloat32;
  Tensor result = allocate(Geometry(sizes), options.dtype_opt().value_or(natural), kCPU);
  visit_type(result.dtype(), [&]<typename T>() {
    for (std::size_t i = 0; i < values.size(); ++i)
      result.impl().data_as<T>()[i] = values[i].to<T>("tensor");
  });
  return finish_tensor(std::move(result), options);
}

Variable make_variable(const Tensor& data, bool requires_grad, bool is_volatile) {
  if (requires_grad && is_volatile)
    throw VolatileConflict("a Variable cannot require grad: it is volatile");
  Variable result = data.data();
  if (requires_grad) result.requires_grad_();
  if (is_volatile) result.set_volatile(true);
  return result;
}

}  // namespace notape
