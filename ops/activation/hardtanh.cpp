// hardtanh(x) = clamp(x, min_val, max_val); in place it keeps its result, as LibTorch does
#include "ops/activation/activation.h"
#include "ops/elementwise/clamp.h"

namespace notape {
namespace {

/// The bounds as numbers of self's type.
struct Bounds {
  Scalar low, high;
};
Bounds bounds(const Operation& op, const Tensor& self, Scalar min_val, Scalar max_val) {
  check_operand(op, self);
  if (self.dtype() == kBool) op.fail<DtypeError>("Bool inputs not supported for hardtanh");
  for (const Scalar bound : {min_val, max_val}) check_fits(op, bound, self.dtype());
  if (self.is_floating_point()) return {min_val, max_val};
  return {min_val.to<int64_t>(), max_val.to<int64_t>()};
}

struct PlainHardtanh {
  double low, high;
  template <typename T>
  T operator()(T x) const {
    return x < T(low) ? T(low) : x > T(high) ? T(high) : x;
  }
};

OpCase draw_hardtanh(Draw& draw) {
  const double low = draw.real(-2, 0), high = draw.real(0.25, 2.25);
  return activation_case(
      draw, format_message("min_val={}, max_val={}", {low, high}),
      {.low = -3, .high = 3, .kinks = {low, high}},
      [=](const Tensor& x) { return hardtanh(x, low, high); },
      [=](Tensor& x) { hardtanh_(x, low, high); }, PlainHardtanh{low, high});
}

const RegisterOp hardtanh_row(op_row("hardtanh", "elementwise", draw_hardtanh, Trait::Clamps));

}  // namespace

Tensor hardtanh(const Tensor& self, Scalar min_val, Scalar max_val, At at) {
  const auto [low, high] = bounds({"hardtanh", at}, self, min_val, max_val);
  return clamp(self, low, high, at);
}
Tensor& hardtanh_(Tensor& self, Scalar min_val, Scalar max_val, At at) {
  const Operation op("hardtanh_", at);
  const auto [low, high] = bounds(op, self, min_val, max_val);
  return clamp_keeping_result_(op, self, low, high);
}

}  // namespace notape
