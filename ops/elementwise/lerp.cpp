// lerp(a, b, w) = a + w (b - a),  d/da = 1 - w,  d/db = w,  d/dw = b - a
#include "ops/elementwise/operator.h"

#ifndef __CUDACC__
#include "ops/arithmetic.h"
#include "ops/core/composite.h"
#include "ops/core/overwrite.h"
#include "ops/shape.h"
#endif

namespace notape {
namespace {

struct Lerp {
  template <typename T>
  NOTAPE_HD T operator()(T a, T b, T weight) const {  // exact at both ends
    return weight < T(0.5) ? a + weight * (b - a) : b - (b - a) * (T(1) - weight);
  }
};
struct LerpNumber {
  Number weight;
  bool factors_are_finite() const { return weight.is_finite(); }
  template <typename T>
  NOTAPE_HD T operator()(T a, T b) const {
    return Lerp()(a, b, weight.as<T>());
  }
};
const ElementwiseKernel<Lerp, 3> lerp_kernel("lerp");
const ElementwiseKernel<LerpNumber, 2> lerp_number_kernel("lerp.number");

}  // namespace

#ifndef __CUDACC__
namespace {

constexpr auto kLerp =
    derivative(
        "LerpBackward1",
        elementwise([](const Tensor& grad, const Input<2>& weight) { return grad * (1 - weight); }),
        elementwise([](const Tensor& grad, const Input<2>& weight) { return grad * weight; }),
        elementwise([](const Tensor& grad, const Input<0>& start, const Input<1>& end) {
          return grad * (end - start);
        }))
        .with_arguments<"start", "end", "weight">();
constexpr auto kLerpNumber =
    derivative(
        "LerpBackward0", elementwise([](const Tensor& grad, const LerpNumber& f) {
          return grad * (1 - f.weight.real);
        }),
        elementwise([](const Tensor& grad, const LerpNumber& f) { return grad * f.weight.real; }))
        .with_arguments<"start", "end">();

/// Unlike other operators this one does not promote, as in LibTorch, but for a weight that is one
/// number.
void check_type(const Operation& op, const Tensor& start, const Tensor& other, const char* name) {
  check_operands(op, {&start, &other});
  if (!start.is_floating_point())
    op.fail<DtypeError>("not implemented for '{}'", type_name_of(start.dtype()));
  if (other.dtype() != start.dtype())
    op.fail<DtypeError>("expected dtype {} for `{}` but got dtype {}", name_of(start.dtype()), name,
                        name_of(other.dtype()));
}

bool promotes(const Operation& op, const Tensor& start, const Tensor& end, const Tensor& weight) {
  check_operands(op, {&start, &end, &weight});
  return weight.dim() == 0 && weight.dtype() != start.dtype() && end.dtype() == start.dtype();
}
Tensor promoted_lerp(const Operation& op, const Tensor& start, const Tensor& end,
                     const Tensor& weight) {
  const ScalarType type = result_type(start.dim() > 0 ? start : end, weight);
  if (!is_floating_point(type)) op.fail<DtypeError>("not implemented for '{}'", type_name_of(type));
  const Composite composite({&start, &end, &weight});
  return ternary(lerp_kernel, kLerp, op, to(start, type, op.at), to(end, type, op.at),
                 to(weight, type, op.at));
}

OpCase draw_lerp(Draw& draw) {
  const auto full = draw.shape(0, 4);
  const bool in_place = draw.boolean(), tensor = draw.boolean();
  const double weight = draw.real(-1, 2);
  OpCase one;
  one.arguments = {{.sizes = in_place ? full : draw.broadcast_of(full)},
                   {.sizes = draw.broadcast_of(full)}};
  if (tensor) {
    one.arguments.push_back({.sizes = draw.broadcast_of(full), .domain = {.low = -1, .high = 2}});
    one.call = [](const variable_list& x) { return lerp(x[0], x[1], x[2]); };
    if (in_place) one.call_in_place = [](variable_list& x) { lerp_(x[0], x[1], x[2]); };
  } else {
    one.label = format_message("weight={}", {weight});
    one.call = [=](const variable_list& x) { return lerp(x[0], x[1], weight); };
    if (in_place) one.call_in_place = [=](variable_list& x) { lerp_(x[0], x[1], weight); };
  }
  one.reference = [=]<typename T>(const PlainList<T>& x) {
    PlainTensor<T> w{std::vector<int64_t>{}};
    w.values[0] = T(weight);
    return plain_map([](T a, T b, T c) { return a + c * (b - a); }, x[0], x[1], tensor ? x[2] : w);
  };
  one.reference.is_elementwise = true;
  return one;
}

const RegisterOp lerp_row({.name = "lerp", .family = "elementwise", .draw = draw_lerp});

}  // namespace

Tensor lerp(const Tensor& start, const Tensor& end, const Tensor& weight, At at) {
  const Operation op("lerp", at);
  if (promotes(op, start, end, weight)) return promoted_lerp(op, start, end, weight);
  check_type(op, start, end, "end");
  check_type(op, start, weight, "weight");
  return ternary(lerp_kernel, kLerp, op, start, end, weight);
}
Tensor lerp(const Tensor& start, const Tensor& end, Scalar weight, At at) {
  const Operation op("lerp", at);
  check_type(op, start, end, "end");
  check_fits(op, weight, start.dtype());
  const LerpNumber f{number(weight)};
  return binary(lerp_number_kernel, kLerpNumber, op, start, end, f, f);
}
Tensor& lerp_(Tensor& start, const Tensor& end, const Tensor& weight, At at) {
  const Operation op("lerp_", at);
  if (promotes(op, start, end, weight)) {
    const Tensor result = promoted_lerp(op, clone(start, at), end, weight);
    check_result_fits(op, start, result.dtype(), {&result});
    return overwrite(op, start, result);
  }
  check_type(op, start, end, "end");
  check_type(op, start, weight, "weight");
  return ternary_(lerp_kernel, kLerp, op, start, end, weight);
}
Tensor& lerp_(Tensor& start, const Tensor& end, Scalar weight, At at) {
  const Operation op("lerp_", at);
  check_type(op, start, end, "end");
  check_fits(op, weight, start.dtype());
  const LerpNumber f{number(weight)};
  return binary_(lerp_number_kernel, kLerpNumber, op, start, end, f, f);
}

Tensor ElementwiseMembers::lerp(const Tensor& end, const Tensor& weight, At at) const {
  return notape::lerp(self(), end, weight, at);
}
Tensor ElementwiseMembers::lerp(const Tensor& end, Scalar weight, At at) const {
  return notape::lerp(self(), end, weight, at);
}
Tensor& ElementwiseMembers::lerp_(const Tensor& end, const Tensor& weight, At at) const {
  return notape::lerp_(self(), end, weight, at);
}
Tensor& ElementwiseMembers::lerp_(const Tensor& end, Scalar weight, At at) const {
  return notape::lerp_(self(), end, weight, at);
}
#endif

}  // namespace notape
