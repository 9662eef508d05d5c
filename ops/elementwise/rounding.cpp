// ceil(x), floor(x), trunc(x), round(x): the next whole number upwards, downwards, toward 0, or the
// nearest, of two the even one,  d/dx = 0 everywhere;  frac(x) = x - trunc(x),  d/dx = 1
#include "ops/elementwise/operator.h"
#ifndef __CUDACC__
#include "autograd/tensor/factories.h"
#endif

namespace notape {
namespace {

/// Integers as they are.
template <typename Rounding>
struct Step {
  static constexpr TypeSet types = kNumberTypes;
  template <typename T>
  NOTAPE_HD T operator()(T x) const {
    if constexpr (std::is_integral_v<T>)
      return x;
    else
      return Rounding::of(x);
  }
};

struct Ceil {
  template <typename T>
  static NOTAPE_HD T of(T x) {
    return math::ceil(x);
  }
};
const ElementwiseKernel<Step<Ceil>> ceil_kernel("ceil");

struct Floor {
  template <typename T>
  static NOTAPE_HD T of(T x) {
    return math::floor(x);
  }
};
const ElementwiseKernel<Step<Floor>> floor_kernel("floor");

struct Trunc {
  template <typename T>
  static NOTAPE_HD T of(T x) {
    return math::trunc(x);
  }
};
const ElementwiseKernel<Step<Trunc>> trunc_kernel("trunc");

struct Round {
  template <typename T>
  static NOTAPE_HD T of(T x) {
    return math::rint(x);
  }
};
/// In units of a power of ten, which is exact where it can be, so that 1.25 is between 1.2 and 1.3.
struct RoundToDecimals {
  Number scale;
  bool multiplies;
  template <typename T>
  NOTAPE_HD T operator()(T x) const {
    const T unit = scale.as<T>();
    return multiplies ? math::rint(x * unit) / unit : math::rint(x / unit) * unit;
  }
};
const ElementwiseKernel<Step<Round>> round_kernel("round");
const ElementwiseKernel<RoundToDecimals> decimals_kernel("round.decimals");

struct Frac {
  template <typename T>
  NOTAPE_HD T operator()(T x) const {
    return x - math::trunc(x);
  }
};
const ElementwiseKernel<Frac> frac_kernel("frac");

}  // namespace

#ifndef __CUDACC__
namespace {

constexpr auto kFlat = elementwise([](const Tensor& grad) { return zeros_like(grad); });

/// Jumps at `first` plus whole numbers.
Domain steps(double first) {
  Domain domain{.low = -3.25, .high = 3.25};
  for (int i = -4; i < 4; ++i) domain.kinks.push_back(first + i);
  return domain;
}

constexpr UnaryOperator kCeil(ceil_kernel, "CeilBackward0", kFlat);
const RegisterOp ceil_row(unary_spec<Step<Ceil>>("ceil", ceil, ceil_, steps(0)));

constexpr UnaryOperator kFloor(floor_kernel, "FloorBackward0", kFlat);
const RegisterOp floor_row(unary_spec<Step<Floor>>("floor", floor, floor_, steps(0)));

constexpr UnaryOperator kTrunc(trunc_kernel, "TruncBackward0", kFlat);
const RegisterOp trunc_row(unary_spec<Step<Trunc>>("trunc", trunc, trunc_, steps(0)));

constexpr UnaryOperator kRound(round_kernel, "RoundBackward0", kFlat);
constexpr UnaryOperator kRoundToDecimals(decimals_kernel, "RoundBackward0", kFlat);

void check_real(const Operation& op, const Tensor& self) {
  check_operand(op, self);
  if (!self.is_floating_point())
    op.fail<DtypeError>("with decimals expects floating numbers, got {}", name_of(self.dtype()));
}

RoundToDecimals to_decimals(int64_t decimals) {
  return {number(std::pow(10.0, std::abs(static_cast<double>(decimals)))), decimals > 0};
}

const RegisterOp round_row(unary_spec<Step<Round>>("round", round, round_, steps(0.5)));

constexpr FloatingOperator kFrac(frac_kernel, "FracBackward0",
                                 elementwise([](const Tensor& grad) { return grad; }));

const RegisterOp frac_row(unary_spec<Frac>("frac", frac, frac_, steps(0)));

}  // namespace

Tensor ceil(const Tensor& self, At at) { return kCeil({"ceil", at}, self); }
Tensor& ceil_(Tensor& self, At at) { return kCeil.in_place({"ceil_", at}, self); }

Tensor ElementwiseMembers::ceil(At at) const { return notape::ceil(self(), at); }
Tensor& ElementwiseMembers::ceil_(At at) const { return notape::ceil_(self(), at); }

Tensor floor(const Tensor& self, At at) { return kFloor({"floor", at}, self); }
Tensor& floor_(Tensor& self, At at) { return kFloor.in_place({"floor_", at}, self); }

Tensor ElementwiseMembers::floor(At at) const { return notape::floor(self(), at); }
Tensor& ElementwiseMembers::floor_(At at) const { return notape::floor_(self(), at); }

Tensor trunc(const Tensor& self, At at) { return kTrunc({"trunc", at}, self); }
Tensor& trunc_(Tensor& self, At at) { return kTrunc.in_place({"trunc_", at}, self); }

Tensor ElementwiseMembers::trunc(At at) const { return notape::trunc(self(), at); }
Tensor& ElementwiseMembers::trunc_(At at) const { return notape::trunc_(self(), at); }

Tensor round(const Tensor& self, At at) { return kRound({"round", at}, self); }
Tensor& round_(Tensor& self, At at) { return kRound.in_place({"round_", at}, self); }
Tensor round(const Tensor& self, Integer decimals, At at) {
  const Operation op("round", at);
  check_real(op, self);
  return kRoundToDecimals(op, self, to_decimals(decimals));
}
Tensor& round_(Tensor& self, Integer decimals, At at) {
  const Operation op("round_", at);
  check_real(op, self);
  return kRoundToDecimals.in_place(op, self, to_decimals(decimals));
}

Tensor ElementwiseMembers::round(At at) const { return notape::round(self(), at); }
Tensor& ElementwiseMembers::round_(At at) const { return notape::round_(self(), at); }
Tensor ElementwiseMembers::round(Integer decimals, At at) const {
  return notape::round(self(), decimals, at);
}
Tensor& ElementwiseMembers::round_(Integer decimals, At at) const {
  return notape::round_(self(), decimals, at);
}

Tensor frac(const Tensor& self, At at) { return kFrac({"frac", at}, self); }
Tensor& frac_(Tensor& self, At at) { return kFrac.in_place({"frac_", at}, self); }

Tensor ElementwiseMembers::frac(At at) const { return notape::frac(self(), at); }
Tensor& ElementwiseMembers::frac_(At at) const { return notape::frac_(self(), at); }
#endif

}  // namespace notape
