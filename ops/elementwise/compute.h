// Elementwise operators: what an operator's file builds on. compute() runs a kernel out of place
// with promotion and broadcasting; unary(), binary(), ... also record the derivative.
#pragma once
#include <bit>
#include <tuple>

#include "autograd/graph/record.h"
#include "ops/core/allocate.h"
#include "ops/core/promotion.h"
#include "ops/elementwise/kernel.h"
#include "ops/elementwise/run_on_cpu.h"
#include "ops/parallel.h"

namespace notape {

using TensorPointers = std::initializer_list<const Tensor*>;

/// Runs the kernel into `output`, which has the broadcast shape; `inputs` already have the dtypes
/// the kernel reads. Throws NoKernel.
void run_elementwise(const Operation& op, const ElementwiseSlots& slots, const void* functor,
                     ScalarType type, const Tensor& output, const Tensor* const* inputs, int count);

/// Throws NoKernel, naming operator, dtype and device.
[[noreturn]] void no_kernel(const Operation& op, ScalarType type, Device device);

/// Throws unless a result of `natural` type may be written into `self` and operands of these shapes
/// broadcast to it.
void check_result_fits(const Operation& op, const Tensor& self, ScalarType natural,
                       TensorPointers operands);
/// The same for a kernel that reads `inputs`, of which the first is written, and perhaps a number.
void check_in_place(const Operation& op, const ElementwiseSlots& slots, TensorPointers inputs,
                    std::optional<Scalar> number = {});

/// compute() and compute_into() for operands of any dtype, layout, shape and device.
Tensor compute_general(const Operation& op, const ElementwiseSlots& slots, const void* functor,
                       TensorPointers inputs);
void compute_into_general(const Operation& op, const ElementwiseSlots& slots, const void* functor,
                          const Tensor& self, TensorPointers inputs);

namespace detail {

inline bool is_plain(const TensorImpl& a) {
  return a.geometry().is_contiguous() && a.device().is_cpu();
}

/// Whether the loop for leader's type can read input I as it stands: contiguous, on the CPU, of
/// leader's shape.
template <typename Kernel, std::size_t I>
[[gnu::always_inline]] inline bool is_ready(const TensorImpl& input, const TensorImpl& leader) {
  const ScalarType wanted = Kernel::traits.wants_bool(I) ? kBool : leader.dtype();
  return input.dtype() == wanted && is_plain(input) &&
         (&input == &leader || same_shape(input.geometry(), leader.geometry()));
}
template <typename Kernel, typename... Inputs>
bool are_ready(const TensorImpl& leader, const Inputs&... inputs) {
  return [&]<std::size_t... I>(std::index_sequence<I...>) {
    return (is_ready<Kernel, I>(inputs.impl(), leader) && ...);
  }
  (std::index_sequence_for<Inputs...>());
}

/// The first input that is not a condition: its dtype is the loop's.
template <typename Kernel, typename... Inputs>
const TensorImpl& leader_of(const Inputs&... inputs) {
  return std::get<std::countr_one(Kernel::traits.bool_inputs)>(std::tie(inputs...)).impl();
}

/// Loop over operands that are all contiguous, of one shape and on the CPU.
template <typename... Inputs>
void run_contiguous(ElementwiseLoop loop, const void* functor, const Tensor& output,
                    const Inputs&... inputs) {
  char* data[] = {static_cast<char*>(output.impl().data()),
                  static_cast<char*>(inputs.impl().data())...};
  const int64_t strides[] = {static_cast<int64_t>(element_size(output.impl().dtype())),
                             static_cast<int64_t>(element_size(inputs.impl().dtype()))...};
  const int64_t n = output.impl().geometry().numel();
  if (n > kParallelGrain) [[unlikely]]
    run_split(loop, data, strides, 1 + static_cast<int>(sizeof...(Inputs)), n, functor);
  else
    loop(data, strides, n, functor);
}

}  // namespace detail

/// f(inputs...) with promotion and broadcasting, no graph.
template <typename Kernel, typename... Inputs>
Tensor compute(const Operation& op, const Kernel& kernel, const typename Kernel::Functor& f,
               const Inputs&... inputs) {
  static_assert(sizeof...(Inputs) == Kernel::inputs);
  if ((inputs.defined() && ...)) [[likely]] {
    const TensorImpl& leader = detail::leader_of<Kernel>(inputs...);
    const ElementwiseLoop loop = kernel.cpu(leader.dtype());
    if (loop && detail::are_ready<Kernel>(leader, inputs...)) [[likely]] {
      Tensor output = allocate(leader.geometry().at_offset(0),
                               Kernel::traits.bool_result ? kBool : leader.dtype(), kCPU);
      detail::run_contiguous(loop, &f, output, inputs...);
      return output;
    }
  }
  return compute_general(op, kernel, &f, {&inputs...});
}

/// f(inputs...) into `self`; checked by check_in_place. The first input may be `self`.
template <typename Kernel, typename... Inputs>
void compute_into(const Operation& op, const Kernel& kernel, const typename Kernel::Functor& f,
                  const Tensor& self, const Inputs&... inputs) {
  static_assert(sizeof...(Inputs) == Kernel::inputs);
  const TensorImpl& target = self.impl();
  const ElementwiseLoop loop = kernel.cpu(target.dtype());
  if (loop && detail::is_plain(target) && detail::are_ready<Kernel>(target, inputs...)) [[likely]]
    detail::run_contiguous(loop, &f, self, inputs...);
  else
    compute_into_general(op, kernel, &f, self, {&inputs...});
}

/// f(inputs...), recorded.
template <typename Kernel, typename D, typename Parameters, typename... Inputs>
Tensor apply(const Kernel& kernel, const D& derivative, const Operation& op,
             const typename Kernel::Functor& f, Parameters parameters, const Inputs&... inputs) {
  return record(derivative, op, compute(op, kernel, f, inputs...), std::move(parameters),
                inputs...);
}

/// self = f(self, others...), in place: self's shape and dtype stay.
template <typename Kernel, typename D, typename Parameters, typename... Others>
Tensor& apply_in_place(const Kernel& kernel, const D& derivative, const Operation& op,
                       const typename Kernel::Functor& f, Parameters parameters, Tensor& self,
                       const Others&... others) {
  check_in_place(op, kernel, {&self, &others...});
  write_in_place(
      derivative, op, self, [&] { compute_into(op, kernel, f, self, self, others...); },
      std::move(parameters), self, others...);
  return self;
}

/// y = f(self).
template <typename Kernel, typename D, typename Parameters = NoParameters>
Tensor unary(const Kernel& kernel, const D& derivative, const Operation& op, const Tensor& self,
             const typename Kernel::Functor& f = {}, Parameters parameters = {}) {
  return apply(kernel, derivative, op, f, std::move(parameters), self);
}
template <typename Kernel, typename D, typename Parameters = NoParameters>
Tensor& unary_(const Kernel& kernel, const D& derivative, const Operation& op, Tensor& self,
               const typename Kernel::Functor& f = {}, Parameters parameters = {}) {
  return apply_in_place(kernel, derivative, op, f, std::move(parameters), self);
}

/// y = f(self, other), broadcast and promoted.
template <typename Kernel, typename D, typename Parameters = NoParameters>
Tensor binary(const Kernel& kernel, const D& derivative, const Operation& op, const Tensor& self,
              const Tensor& other, const typename Kernel::Functor& f = {},
              Parameters parameters = {}) {
  return apply(kernel, derivative, op, f, std::move(parameters), self, other);
}
template <typename Kernel, typename D, typename Parameters = NoParameters>
Tensor& binary_(const Kernel& kernel, const D& derivative, const Operation& op, Tensor& self,
                const Tensor& other, const typename Kernel::Functor& f = {},
                Parameters parameters = {}) {
  return apply_in_place(kernel, derivative, op, f, std::move(parameters), self, other);
}

/// y = f(self, second, third), broadcast and promoted.
template <typename Kernel, typename D, typename Parameters = NoParameters>
Tensor ternary(const Kernel& kernel, const D& derivative, const Operation& op, const Tensor& self,
               const Tensor& second, const Tensor& third, const typename Kernel::Functor& f = {},
               Parameters parameters = {}) {
  return apply(kernel, derivative, op, f, std::move(parameters), self, second, third);
}
template <typename Kernel, typename D, typename Parameters = NoParameters>
Tensor& ternary_(const Kernel& kernel, const D& derivative, const Operation& op, Tensor& self,
                 const Tensor& second, const Tensor& third, const typename Kernel::Functor& f = {},
                 Parameters parameters = {}) {
  return apply_in_place(kernel, derivative, op, f, std::move(parameters), self, second, third);
}

/// The same value for formulas, once it is known to fit their type.
inline Number number(Scalar value) { return {value.to<double>(), value.to_int_or(0)}; }

/// f(self), where f holds `other`, which takes part in promotion. No graph.
template <typename Kernel>
Tensor compute_number(const Operation& op, const Kernel& kernel, const Tensor& self, Scalar other,
                      const typename Kernel::Functor& f) {
  check_operand(op, self);
  const ScalarType type = result_type(self, other);
  if (!is_floating_point(type) && kernel.traits.has(type)) [[unlikely]]
    check_factor_fits(op, other, type);
  return type == self.dtype() ? compute(op, kernel, f, self)
                              : compute(op, kernel, f, raw_convert(self, type));
}
/// y = f(self), recorded with f as the derivative's parameters.
template <typename Kernel, typename D>
Tensor unary_number(const Kernel& kernel, const D& derivative, const Operation& op,
                    const Tensor& self, Scalar other, const typename Kernel::Functor& f) {
  return record(derivative, op, compute_number(op, kernel, self, other, f), f, self);
}
template <typename Kernel, typename D>
Tensor& unary_number_(const Kernel& kernel, const D& derivative, const Operation& op, Tensor& self,
                      Scalar other, const typename Kernel::Functor& f) {
  check_in_place(op, kernel, {&self}, other);
  check_operand_fits(op, other, self.dtype());
  write_in_place(
      derivative, op, self, [&] { compute_into(op, kernel, f, self, self); }, f, self);
  return self;
}

}  // namespace notape
