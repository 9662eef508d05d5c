// Division with whole quotients: remainder(a, b) = a - b floor(a / b), fmod(a, b) = a - b
// trunc(a / b),  d/da = 1,  d/db = -floor(a / b) or -trunc(a / b);  div(a, b, rounding_mode) and
// floor_divide(a, b): a / b rounded down ("floor") or toward 0 ("trunc"),  d/da = d/db = 0
#include "ops/elementwise/operator.h"
#ifndef __CUDACC__
#include "autograd/batching/batched_tensor.h"
#include "autograd/tensor/factories.h"

#include <algorithm>
#endif

namespace notape {
namespace {

/// What is left of a after whole multiples of b, with the sign of a. Integers have no zero b, on
/// the CPU; with -1 nothing is left, though the quotient may be out of range.
struct Fmod {
  static constexpr TypeSet types = kNumberTypes;
  template <typename T>
  NOTAPE_HD T operator()(T a, T b) const {
    if constexpr (std::is_unsigned_v<T>)
      return b == T(0) ? T(0) : static_cast<T>(a % b);
    else if constexpr (std::is_integral_v<T>)
      return b == T(0) || b == T(-1) ? T(0) : static_cast<T>(a % b);
    else
      return math::fmod(a, b);
  }
};
/// The whole number m with a = m b + fmod(a, b).
struct FmodMultiple {
  template <typename T>
  NOTAPE_HD T operator()(T a, T b) const {
    return math::rint((a - Fmod()(a, b)) / b);
  }
};
/// Whether what is left has another sign than b.
template <typename T>
NOTAPE_HD bool is_on_the_other_side(T rest, T b) {
  return rest != T(0) && (rest < T(0)) != (b < T(0));
}
/// With the sign of b.
struct Remainder {
  static constexpr TypeSet types = kNumberTypes;
  template <typename T>
  NOTAPE_HD T operator()(T a, T b) const {
    const T rest = Fmod()(a, b);
    return is_on_the_other_side(rest, b) ? static_cast<T>(rest + b) : rest;
  }
};
struct RemainderMultiple {
  template <typename T>
  NOTAPE_HD T operator()(T a, T b) const {
    const T multiple = FmodMultiple()(a, b);
    return is_on_the_other_side(Fmod()(a, b), b) ? multiple - T(1) : multiple;
  }
};

struct TruncDivide {
  static constexpr TypeSet types = kNumberTypes;
  template <typename T>
  NOTAPE_HD T operator()(T a, T b) const {
    if constexpr (std::is_integral_v<T>)
      return of(a, b);
    else
      return math::trunc(a / b);
  }
  /// Of integers. The smallest one divided by -1 wraps around to itself.
  template <typename T>
  static NOTAPE_HD T of(T a, T b) {
    if (b == T(0)) return T(0);  // off the CPU, where nobody looked
    if (b == static_cast<T>(-1) && std::is_signed_v<T>)
      return static_cast<T>(-static_cast<Wrapping<T>>(a));
    return static_cast<T>(a / b);
  }
};
/// Of floating numbers from what is left, so that a quotient that rounds up to a whole number is
/// not taken for it.
struct FloorDivide {
  static constexpr TypeSet types = kNumberTypes;
  template <typename T>
  NOTAPE_HD T operator()(T a, T b) const {
    if constexpr (std::is_integral_v<T>) {
      return static_cast<T>(TruncDivide::of(a, b) - T(is_on_the_other_side(Fmod()(a, b), b)));
    } else {
      if (b == T(0)) return a / b;
      const T whole = RemainderMultiple()(a, b);
      return whole == T(0) ? T(0) * (a / b) : whole;  // with the quotient's sign
    }
  }
};
const ElementwiseKernel<Fmod, 2> fmod_kernel("fmod");
const ElementwiseKernel<FmodMultiple, 2> fmod_multiple_kernel("fmod.multiple");
const ElementwiseKernel<Remainder, 2> remainder_kernel("remainder");
const ElementwiseKernel<RemainderMultiple, 2> remainder_multiple_kernel("remainder.multiple");
const ElementwiseKernel<FloorDivide, 2> floor_divide_kernel("floor_divide");
const ElementwiseKernel<TruncDivide, 2> trunc_divide_kernel("div.trunc");

}  // namespace

#ifndef __CUDACC__
namespace {

[[noreturn]] void fail_at_zero(const Operation& op) {
  op.fail<ValueError>("integer division by zero (a ZeroDivisionError of LibTorch)");
}

bool has_zero(const Tensor& tensor) {
  Tensor here = tensor;
  if (is_batched(tensor)) here = with_batch_dims(tensor, levels_of({&tensor}), tensor.dim());
  if (!here.device().is_cpu()) {
    const Tensor copy = allocate(here.sizes(), here.dtype(), kCPU);
    raw_copy(copy, here);
    here = copy;
  }
  here = raw_contiguous(here);
  return visit_computed(here.dtype(), [&]<typename T>() {
    const T* first = here.impl().data_as<T>();
    return std::find(first, first + here.numel(), T(0)) != first + here.numel();
  });
}

/// Throws ValueError if integers would be divided by a zero.
const Tensor& as_divisor(const Operation& op, const Tensor& self, const Tensor& other) {
  check_operands(op, {&self, &other});
  if (!is_floating_point(result_type(self, other)) && has_zero(other)) fail_at_zero(op);
  return other;
}
/// The same; 0-d, and of a type that does not widen self's unless it has a higher category.
Tensor as_divisor(const Operation& op, const Tensor& self, Scalar other) {
  check_operand(op, self);
  const ScalarType type = result_type(self, other);
  if (!is_floating_point(type)) {
    check_fits(op, other, type);
    if (other.to_double() == 0) fail_at_zero(op);
  }
  return full({}, other, TensorOptions(type).device(self.device()));
}

/// A kernel with its derivative, by a tensor or a number.
template <typename Kernel, typename D>
struct WholeDivision {
  const Kernel& kernel;
  D derivative;

  Tensor operator()(const Operation& op, const Tensor& self, const auto& other) const {
    return binary(kernel, derivative, op, self, as_divisor(op, self, other));
  }
  Tensor& in_place(const Operation& op, Tensor& self, const auto& other) const {
    return binary_(kernel, derivative, op, self, as_divisor(op, self, other));
  }
};
template <typename Kernel, typename D>
WholeDivision(const Kernel&, D) -> WholeDivision<Kernel, D>;

constexpr auto kZero = elementwise([](const Tensor& grad) { return zeros_like(grad); });
constexpr auto kOne = elementwise([](const Tensor& grad) { return grad; });

constexpr auto kFmodMultiple = derivative("FmodBackwardBackward0", kZero, kZero);
constexpr WholeDivision kFmod{
    fmod_kernel,
    derivative("FmodBackward0", kOne,
               elementwise([](const Tensor& grad, const Input<0>& self, const Input<1>& other) {
                 return -grad * binary(fmod_multiple_kernel, kFmodMultiple,
                                       {"fmod_backward", At::current()}, self, other);
               }))};
constexpr auto kRemainderMultiple = derivative("RemainderBackwardBackward0", kZero, kZero);
constexpr WholeDivision kRemainder{
    remainder_kernel,
    derivative("RemainderBackward0", kOne,
               elementwise([](const Tensor& grad, const Input<0>& self, const Input<1>& other) {
                 return -grad * binary(remainder_multiple_kernel, kRemainderMultiple,
                                       {"remainder_backward", At::current()}, self, other);
               }))};
constexpr WholeDivision kFloorDivide{floor_divide_kernel, derivative("DivBackward2", kZero, kZero)};
constexpr WholeDivision kTruncDivide{trunc_divide_kernel, derivative("DivBackward2", kZero, kZero)};

enum class Rounding { None, Floor, Trunc };
Rounding rounding_of(const Operation& op, std::optional<std::string_view> mode) {
  if (!mode) return Rounding::None;
  if (*mode == "floor") return Rounding::Floor;
  if (*mode == "trunc") return Rounding::Trunc;
  op.fail<ValueError>(
      "expected rounding_mode to be one of None, 'trunc', or 'floor' but found '{}'", *mode);
}

Tensor rounded(const Operation& op, const Tensor& self, const auto& other,
               std::optional<std::string_view> mode) {
  const Rounding rounding = rounding_of(op, mode);
  if (rounding == Rounding::None) return div(self, other, op.at);
  return rounding == Rounding::Floor ? kFloorDivide(op, self, other)
                                     : kTruncDivide(op, self, other);
}
Tensor& rounded_(const Operation& op, Tensor& self, const auto& other,
                 std::optional<std::string_view> mode) {
  const Rounding rounding = rounding_of(op, mode);
  if (rounding == Rounding::None) return div_(self, other, op.at);
  return rounding == Rounding::Floor ? kFloorDivide.in_place(op, self, other)
                                     : kTruncDivide.in_place(op, self, other);
}

const Domain kBelowOne{.low = 0.3, .high = 0.7}, kDivisors{.low = 0.75, .high = 3};
const RegisterOp fmod_row(binary_spec<Fmod>(
    "fmod", fmod, fmod_,
    {.domain = kBelowOne, .other = kDivisors, .number = fmod, .number_in_place = fmod_}));
const RegisterOp remainder_row(binary_spec<Remainder>(
    "remainder", remainder, remainder_,
    {.domain = kBelowOne, .other = kDivisors, .number = remainder, .number_in_place = remainder_}));
const RegisterOp floor_divide_row(
    binary_spec<FloorDivide>("floor_divide", floor_divide, floor_divide_,
                             {.domain = kBelowOne, .other = kDivisors, .number = floor_divide}));

}  // namespace

Tensor fmod(const Tensor& self, const Tensor& other, At at) {
  return kFmod({"fmod", at}, self, other);
}
Tensor fmod(const Tensor& self, Scalar other, At at) { return kFmod({"fmod", at}, self, other); }
Tensor& fmod_(Tensor& self, const Tensor& other, At at) {
  return kFmod.in_place({"fmod_", at}, self, other);
}
Tensor& fmod_(Tensor& self, Scalar other, At at) {
  return kFmod.in_place({"fmod_", at}, self, other);
}

Tensor remainder(const Tensor& self, const Tensor& other, At at) {
  return kRemainder({"remainder", at}, self, other);
}
Tensor remainder(const Tensor& self, Scalar other, At at) {
  return kRemainder({"remainder", at}, self, other);
}
Tensor remainder(Scalar self, const Tensor& other, At at) {
  const Operation op("remainder", at);
  check_operand(op, other);
  const ScalarType type = result_type(other, self);
  check_fits(op, self, type);
  return remainder(full({}, self, TensorOptions(type).device(other.device())), other, at);
}
Tensor& remainder_(Tensor& self, const Tensor& other, At at) {
  return kRemainder.in_place({"remainder_", at}, self, other);
}
Tensor& remainder_(Tensor& self, Scalar other, At at) {
  return kRemainder.in_place({"remainder_", at}, self, other);
}

Tensor operator%(Operand self, Operand other) {
  return remainder(self.tensor, other.tensor, self.at);
}
Tensor operator%(Operand self, Scalar other) { return remainder(self.tensor, other, self.at); }
Tensor operator%(Scalar self, Operand other) { return remainder(self, other.tensor, other.at); }

Tensor div(const Tensor& self, const Tensor& other, std::optional<std::string_view> rounding_mode,
           At at) {
  return rounded({"div", at}, self, other, rounding_mode);
}
Tensor div(const Tensor& self, Scalar other, std::optional<std::string_view> rounding_mode, At at) {
  return rounded({"div", at}, self, other, rounding_mode);
}
Tensor& div_(Tensor& self, const Tensor& other, std::optional<std::string_view> rounding_mode,
             At at) {
  return rounded_({"div_", at}, self, other, rounding_mode);
}
Tensor& div_(Tensor& self, Scalar other, std::optional<std::string_view> rounding_mode, At at) {
  return rounded_({"div_", at}, self, other, rounding_mode);
}

Tensor floor_divide(const Tensor& self, const Tensor& other, At at) {
  return kFloorDivide({"floor_divide", at}, self, other);
}
Tensor floor_divide(const Tensor& self, Scalar other, At at) {
  return kFloorDivide({"floor_divide", at}, self, other);
}
Tensor& floor_divide_(Tensor& self, const Tensor& other, At at) {
  return kFloorDivide.in_place({"floor_divide_", at}, self, other);
}
Tensor& floor_divide_(Tensor& self, Scalar other, At at) {
  return kFloorDivide.in_place({"floor_divide_", at}, self, other);
}

Tensor ElementwiseMembers::fmod(const Tensor& other, At at) const {
  return notape::fmod(self(), other, at);
}
Tensor ElementwiseMembers::fmod(Scalar other, At at) const {
  return notape::fmod(self(), other, at);
}
Tensor& ElementwiseMembers::fmod_(const Tensor& other, At at) const {
  return notape::fmod_(self(), other, at);
}
Tensor& ElementwiseMembers::fmod_(Scalar other, At at) const {
  return notape::fmod_(self(), other, at);
}
Tensor ElementwiseMembers::remainder(const Tensor& other, At at) const {
  return notape::remainder(self(), other, at);
}
Tensor ElementwiseMembers::remainder(Scalar other, At at) const {
  return notape::remainder(self(), other, at);
}
Tensor& ElementwiseMembers::remainder_(const Tensor& other, At at) const {
  return notape::remainder_(self(), other, at);
}
Tensor& ElementwiseMembers::remainder_(Scalar other, At at) const {
  return notape::remainder_(self(), other, at);
}
Tensor ElementwiseMembers::div(const Tensor& other, std::optional<std::string_view> rounding_mode,
                               At at) const {
  return notape::div(self(), other, rounding_mode, at);
}
Tensor ElementwiseMembers::div(Scalar other, std::optional<std::string_view> rounding_mode,
                               At at) const {
  return notape::div(self(), other, rounding_mode, at);
}
Tensor ElementwiseMembers::floor_divide(const Tensor& other, At at) const {
  return notape::floor_divide(self(), other, at);
}
Tensor ElementwiseMembers::floor_divide(Scalar other, At at) const {
  return notape::floor_divide(self(), other, at);
}
Tensor& ElementwiseMembers::div_(const Tensor& other, std::optional<std::string_view> rounding_mode,
                                 At at) const {
  return notape::div_(self(), other, rounding_mode, at);
}
Tensor& ElementwiseMembers::div_(Scalar other, std::optional<std::string_view> rounding_mode,
                                 At at) const {
  return notape::div_(self(), other, rounding_mode, at);
}
Tensor& ElementwiseMembers::floor_divide_(const Tensor& other, At at) const {
  return notape::floor_divide_(self(), other, at);
}
Tensor& ElementwiseMembers::floor_divide_(Scalar other, At at) const {
  return notape::floor_divide_(self(), other, at);
}
#endif

}  // namespace notape
