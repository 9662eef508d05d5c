// Elementwise operators: what an operator's file builds on. compute() runs a kernel out of place
// with promotion and broadcasting; unary(), binary(), ... also record the derivative.
#pragma once
#include "autograd/graph/record.h"
#include "ops/core/allocate.h"
#include "ops/core/promotion.h"
#include "ops/elementwise/kernel.h"

namespace notape {

/// Runs the kernel into `output`, which has the broadcast shape; `inputs` already have the dtypes
/// the kernel reads. Throws NoKernel.
void run_elementwise(const Operation& op, const ElementwiseSlots& slots, const void* functor,
                     ScalarType type, const Tensor& output, const Tensor* const* inputs, int count);

/// Throws NoKernel, naming operator, dtype and device.
[[noreturn]] void no_kernel(const Operation& op, ScalarType type, Device device);

namespace detail {

inline bool is_plain(const TensorImpl& a) {
  return a.geometry().is_contiguous() && a.device().is_cpu();
}

/// Loop over operands that are all contiguous, of one shape and on the CPU.
template <typename... Inputs>
void run_contiguous(ElementwiseLoop loop, const void* functor, const Tensor& output,
                    const Inputs&... inputs) {
  char* data[] = {static_cast<char*>(output.impl().data()),
                  static_cast<char*>(inputs.impl().data())...};
  const int64_t strides[] = {
      static_cast<int64_t>(element_size(output.impl().dtype())),
      static_cast<int64_t>(element_size(inputs.impl().dtype()))...};
  loop(data, strides, output.impl().geometry().numel(), functor);
}

/// The dtype a kernel computes in for operands of this type.
template <typename Kernel>
constexpr ScalarType compute_type(ScalarType type) {
  return Kernel::types >> static_cast<int>(type) & 1 ? type : floating_type(type);
}

template <typename Result, typename... Inputs>
constexpr bool results_in_bool(Result (*)(Inputs...)) {
  return std::is_same_v<Result, bool>;
}
/// Comparisons and logic: the output is bool whatever the operands are.
template <typename Kernel>
constexpr bool returns_bool() {
  if constexpr (requires { typename Kernel::Functor::template Signature<float>; })
    return results_in_bool(static_cast<typename Kernel::Functor::template Signature<float>*>(nullptr));
  else
    return false;
}

}  // namespace detail

/// f(self), no graph.
template <typename Kernel>
Tensor compute(const Operation& op, const Kernel& kernel, const typename Kernel::Functor& f,
               const Tensor& self) {
  check_operand(op, self);
  const ScalarType type = detail::compute_type<Kernel>(self.dtype());
  if (self.dtype() == type && detail::is_plain(self.impl())) [[likely]] {
    Tensor output = allocate(self.impl().geometry().at_offset(0), type, kCPU);
    detail::run_contiguous(kernel.cpu(type), &f, output, self);
    return output;
  }
  const Tensor input = raw_convert(self, type);
  Tensor output = allocate_like(input, type);
  const Tensor* inputs[] = {&input};
  run_elementwise(op, kernel, &f, type, output, inputs, 1);
  return output;
}

/// f(self, other) with promotion and broadcasting, no graph. `Result` bool for comparisons.
template <typename Kernel>
Tensor compute(const Operation& op, const Kernel& kernel, const typename Kernel::Functor& f,
               const Tensor& self, const Tensor& other) {
  if (self.defined() && other.defined()) [[likely]] {
    const TensorImpl &a = self.impl(), &b = other.impl();
    if (a.dtype() == b.dtype() && same_shape(a.geometry(), b.geometry()) && detail::is_plain(a) &&
        detail::is_plain(b) && kernel.cpu(a.dtype())) [[likely]] {
      Tensor output = allocate(a.geometry().at_offset(0),
                               detail::returns_bool<Kernel>() ? kBool : a.dtype(), kCPU);
      detail::run_contiguous(kernel.cpu(a.dtype()), &f, output, self, other);
      return output;
    }
  }
  check_operands(op, {&self, &other});
  const ScalarType type = detail::compute_type<Kernel>(result_type(self, other));
  const Tensor left = raw_convert(self, type), right = raw_convert(other, type);
  const Device device = self.device().is_cpu() ? other.device() : self.device();
  const ScalarType result = detail::returns_bool<Kernel>() ? kBool : type;
  const auto sizes = broadcast_sizes(op, self.sizes(), other.sizes());
  Tensor output = left.sizes() == IntArrayRef(sizes) && device == left.device()
                      ? allocate_like(left, result)
                      : allocate(sizes, result, device);
  const Tensor* inputs[] = {&left, &right};
  run_elementwise(op, kernel, &f, type, output, inputs, 2);
  return output;
}

/// Throws unless a result of `natural` type may be written into `self` and operands of these shapes
/// broadcast to it.
void check_result_fits(const Operation& op, const Tensor& self, ScalarType natural,
                       std::initializer_list<const Tensor*> operands);

/// Runs f on `inputs` into `self`; checked by check_result_fits.
template <typename Kernel, typename... Inputs>
void compute_into(const Operation& op, const Kernel& kernel, const typename Kernel::Functor& f,
                  const Tensor& self, const Inputs&... inputs) {
  const TensorImpl& target = self.impl();
  const ScalarType type = target.dtype();
  if (((inputs.impl().dtype() == type && same_shape(inputs.impl().geometry(), target.geometry()) &&
        detail::is_plain(inputs.impl())) &&
       ...) &&
      detail::is_plain(target) && kernel.cpu(type)) [[likely]] {
    detail::run_contiguous(kernel.cpu(type), &f, self, inputs...);
    return;
  }
  const Tensor converted[] = {raw_convert(inputs, type)...};
  [&]<std::size_t... I>(std::index_sequence<I...>) {
    const Tensor* list[] = {&converted[I]...};
    run_elementwise(op, kernel, &f, type, self, list, sizeof...(I));
  }(std::index_sequence_for<Inputs...>());
}

/// y = f(self).
template <typename Kernel, typename D, typename Parameters = NoParameters>
Tensor unary(const Kernel& kernel, const D& derivative, const Operation& op, const Tensor& self,
             const typename Kernel::Functor& f = {}, Parameters parameters = {}) {
  return record(derivative, op, compute(op, kernel, f, self), std::move(parameters), self);
}

/// self = f(self), in place.
template <typename Kernel, typename D, typename Parameters = NoParameters>
Tensor& unary_(const Kernel& kernel, const D& derivative, const Operation& op, Tensor& self,
               const typename Kernel::Functor& f = {}, Parameters parameters = {}) {
  check_operand(op, self);
  check_result_fits(op, self, detail::compute_type<Kernel>(self.dtype()), {});
  write_in_place(
      derivative, op, self, [&] { compute_into(op, kernel, f, self, self); },
      std::move(parameters), self);
  return self;
}

/// y = f(self, other), broadcast and promoted.
template <typename Kernel, typename D, typename Parameters = NoParameters>
Tensor binary(const Kernel& kernel, const D& derivative, const Operation& op, const Tensor& self,
              const Tensor& other, const typename Kernel::Functor& f = {},
              Parameters parameters = {}) {
  return record(derivative, op, compute(op, kernel, f, self, other), std::move(parameters), self,
                other);
}

/// self = f(self, other), in place: self's shape and dtype stay.
template <typename Kernel, typename D, typename Parameters = NoParameters>
Tensor& binary_(const Kernel& kernel, const D& derivative, const Operation& op, Tensor& self,
                const Tensor& other, const typename Kernel::Functor& f = {},
                Parameters parameters = {}) {
  check_operands(op, {&self, &other});
  check_result_fits(op, self, detail::compute_type<Kernel>(result_type(self, other)), {&other});
  write_in_place(
      derivative, op, self, [&] { compute_into(op, kernel, f, self, self, other); },
      std::move(parameters), self, other);
  return self;
}

/// The same value for formulas.
inline Number number(Scalar value) { return {value.to<double>(), value.to<int64_t>()}; }

/// y = f(self), where f holds `other`, which takes part in promotion.
template <typename Kernel, typename D>
Tensor unary_number(const Kernel& kernel, const D& derivative, const Operation& op,
                    const Tensor& self, Scalar other, const typename Kernel::Functor& f) {
  check_operand(op, self);
  const ScalarType type = result_type(self, other);
  Tensor result = type == self.dtype() ? compute(op, kernel, f, self)
                                       : compute(op, kernel, f, raw_convert(self, type));
  return record(derivative, op, std::move(result), f, self);
}

/// self = f(self), in place.
template <typename Kernel, typename D>
Tensor& unary_number_(const Kernel& kernel, const D& derivative, const Operation& op, Tensor& self,
                      Scalar other, const typename Kernel::Functor& f) {
  check_operand(op, self);
  check_result_fits(op, self, detail::compute_type<Kernel>(result_type(self, other)), {});
  write_in_place(
      derivative, op, self, [&] { compute_into(op, kernel, f, self, self); }, f, self);
  return self;
}

}  // namespace notape
