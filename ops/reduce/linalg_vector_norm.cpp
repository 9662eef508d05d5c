// linalg_vector_norm(x, p) = sum(|x|^p)^(1/p); d/dx = sign(x) (|x| / norm)^(p - 1), which stays in
// range where powers do not. inf, -inf and 0 are limits: the largest and smallest magnitude, whose
// gradient ties share, and how many are not 0.
#include "ops/reduce/operator.h"
#ifndef __CUDACC__
#include "autograd/tensor/factories.h"
#include "ops/arithmetic.h"
#include "ops/comparison.h"
#include "ops/core/composite.h"
#include "ops/reduce.h"
#include "ops/selection.h"
#include "ops/shape.h"
#include "ops/shape/view_op.h"
#endif

namespace notape {
namespace {

struct VectorNorm {
  double order;

  /// The squares of floats stay in range.
  template <typename T>
  int folds() const {
    return order == 0 || order == 1 || std::isinf(order) || (order == 2 && std::is_same_v<T, float>)
               ? 1
               : kMostFolds;
  }

  template <typename SomeRow>
  NOTAPE_HD double operator()(const SomeRow& row) const {
    constexpr double kInfinity = std::numeric_limits<double>::infinity();
    const auto magnitude = [&row](int64_t i) { return math::abs(static_cast<double>(row[i])); };
    if (order == 0)
      return sum_row<double>(row, [&row](int64_t i) { return row[i] != 0 ? 1.0 : 0.0; });
    if (order == 1) return sum_row<double>(row, magnitude);
    if (order == kInfinity) return row.fold(0.0, magnitude, math::max<double>);
    if (order == -kInfinity) return row.fold(kInfinity, magnitude, math::min<double>);
    const double sum = sum_of_powers(row, 1);
    if (std::is_same_v<typename SomeRow::Element, float> && order == 2) return root(sum);
    if (!(sum < 0x1p-960 || sum > 0x1p1000)) return root(sum);  // NaN is one, too
    const double scale = order > 0 ? row.fold(0.0, magnitude, math::max<double>)
                                   : row.fold(kInfinity, magnitude, math::min<double>);
    return scale > 0 && scale < kInfinity ? scale * root(sum_of_powers(row, scale)) : root(sum);
  }

 private:
  template <typename SomeRow>
  NOTAPE_HD double sum_of_powers(const SomeRow& row, double scale) const {
    if (order == 2)
      return sum_row<double>(row, [&row, scale](int64_t i) {
        const double x = static_cast<double>(row[i]) / scale;
        return x * x;
      });
    return sum_row<double>(row, [&row, scale, p = order](int64_t i) {
      return math::pow(math::abs(static_cast<double>(row[i])) / scale, p);
    });
  }
  NOTAPE_HD double root(double sum) const {
    return order == 2 ? math::sqrt(sum) : math::pow(sum, 1 / order);
  }
};
const ReductionKernel<VectorNorm> linalg_vector_norm_kernel("linalg_vector_norm");

}  // namespace

#ifndef __CUDACC__
namespace {

struct NormOver {
  Sizes dim;
  bool keepdim;
  double order;
};

/// d norm / d self
Tensor slope(const Tensor& self, const Tensor& result, const NormOver& p) {
  const double order = p.order;
  if (order == 0) return zeros_like(self);
  if (order == 1) return sign(self);
  const Tensor norm = restore_dims(result, self.sizes(), p.dim, p.keepdim);
  if (std::isinf(order)) {
    const Tensor tied = eq(abs(self), norm) + ne(self, self);
    return where(tied, sign(self) / sum(tied, p.dim, true), 0);
  }
  const Tensor share = masked_fill(self / norm, eq(norm, 0), 0);
  if (order == 2) return share;
  const Tensor slope = sign(self) * pow(abs(share), order - 1);
  return order < 1 ? masked_fill(slope, eq(share, 0), 0) : slope;
}

constexpr auto kLinalgVectorNormDerivative = derivative(
    "LinalgVectorNormBackward0",
    rule(
        [](const Tensor& grad, const Input<0>& self, const Output& result, const NormOver& p) {
          return restore_dims(grad, self.sizes(), p.dim, p.keepdim) * slope(self, result, p);
        },
        [](const Tensor& tangent, const Input<0>& self, const Output& result, const NormOver& p) {
          return sum(tangent * slope(self, result, p), p.dim, p.keepdim);
        }));

template <typename T>
T plain_norm(const std::vector<T>& group, double order) {
  std::vector<T> magnitudes;
  for (const T& value : group) magnitudes.push_back(math::abs(value));
  if (std::isinf(order)) {
    T best = magnitudes[0];
    for (const T& value : magnitudes)
      if (order > 0 ? best < value : value < best) best = value;
    return best;
  }
  T sum = 0;
  for (const T& value : magnitudes)
    sum += order == 0 ? T(value == T(0) ? 0 : 1) : order == 1 ? value : math::pow(value, T(order));
  if (order == 0 || order == 1 || group.empty()) return sum;
  return math::pow(sum, T(1) / T(order));
}

OpCase draw_linalg_vector_norm(Draw& draw) {
  constexpr double kInfinity = std::numeric_limits<double>::infinity();
  const double orders[] = {2, 1, 3, 1.5, 0.5, kInfinity, -kInfinity, -1, 0, 4};
  const double order = orders[draw.integer(0, 9)];
  OpCase one = reduction_case(
      draw, {.call =
                 [order](const Tensor& x, const DrawnReduction& how) {
                   return linalg_vector_norm(x, order, how.dim, how.keepdim);
                 },
             .of_group = [order]<typename T>(
                             const std::vector<T>& group) { return plain_norm(group, order); },
             .over = ReductionCase::Over::AllOrSeveralDims,
             .smallest = order < 0 || order == kInfinity ? 1 : 0,
             .distinct = std::isinf(order)});
  one.label += format_message(", p={}", {order});
  // Magnitudes tie where numbers of two signs do not.
  if (std::isinf(order))
    one.arguments[0].domain =
        draw.boolean() ? Domain{.low = 0.5, .high = 3} : Domain{.low = -3, .high = -0.5};
  else
    one.arguments[0].domain = {.kinks = {0}, .kink_distance = 0.25};
  return one;
}

const RegisterOp linalg_vector_norm_row(op_row("linalg_vector_norm", "reduce",
                                               draw_linalg_vector_norm, Trait::Reduces));

void check_dtype(const Operation& op, const Tensor& self, std::optional<ScalarType> dtype) {
  if (!self.is_floating_point())
    op.fail<DtypeError>("Expected a floating point tensor as input. Got {}",
                        type_name_of(self.dtype()));
  if (!dtype) return;
  if (!is_floating_point(*dtype))
    op.fail<DtypeError>("dtype should be floating point, but got {}", type_name_of(*dtype));
  if (promote_types(self.dtype(), *dtype) != *dtype)
    op.fail<DtypeError>(
        "the dtype of the input ({}) should be convertible without narrowing to the specified "
        "dtype ({})",
        type_name_of(self.dtype()), type_name_of(*dtype));
}

}  // namespace

Tensor linalg_vector_norm(const Tensor& self, Scalar ord, IntArrayRef dim, bool keepdim,
                          std::optional<ScalarType> dtype, At at) {
  const Operation op("linalg_vector_norm", at);
  check_operands(op, {&self});
  check_dtype(op, self, dtype);
  if (dtype && *dtype != self.dtype())
    return linalg_vector_norm(to(self, *dtype, at), ord, dim, keepdim, {}, at);
  const ReducedDims dims = reduced_dims(op, self, dim, keepdim);
  double order = ord.to_double();
  if (dims.count == 0 && (order < 0 || std::isinf(order)))
    op.fail<ShapeError>(
        "cannot compute the {} norm on an empty tensor because the operation does not have an "
        "identity; the input has size {}",
        order, to_string(self.sizes()));
  if (dims.count == 1 && order != 0) order = 1;  // |x| for any
  return record(kLinalgVectorNormDerivative, op,
                reduce(op, linalg_vector_norm_kernel, {order}, self, dims),
                NormOver{{dim.vec()}, keepdim, order}, self);
}
#endif

}  // namespace notape
