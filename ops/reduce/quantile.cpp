// quantile(x, q): at place q (n - 1) among the n entries in order, between two of them
// interpolated. Its derivative is that of sort, index_select and lerp. A slice with NaN gives NaN.
#include <algorithm>
#include <array>

#include "autograd/tensor/factories.h"
#include "ops/arithmetic.h"
#include "ops/comparison.h"
#include "ops/core/composite.h"
#include "ops/core/one_device.h"
#include "ops/core/wrap_dim.h"
#include "ops/index.h"
#include "ops/reduce.h"
#include "ops/rounding.h"
#include "ops/selection.h"
#include "ops/shape.h"

namespace notape {
namespace {

void check_quantile(const Operation& op, const Tensor& self, const Tensor& q,
                    std::string_view interpolation) {
  constexpr std::array kKnown = {"linear", "lower", "higher", "midpoint", "nearest"};
  check_operands(op, {&self, &q});
  check_on_one_device(op, {&self, &q});
  if (self.dtype() != kFloat32 && self.dtype() != kFloat64)
    op.fail<DtypeError>("input tensor must be either float or double dtype, got {}",
                        name_of(self.dtype()));
  if (q.dtype() != self.dtype() && q.dtype() != kFloat64)
    op.fail<DtypeError>("q must be of the input's dtype or float64, got {}", name_of(q.dtype()));
  if (self.numel() == 0) op.fail<ShapeError>("input tensor must be non-empty");
  if (q.dim() > 1)
    op.fail<ShapeError>("q must be a scalar or 1D tensor, got shape {}", to_string(q.sizes()));
  if (std::find(kKnown.begin(), kKnown.end(), interpolation) == kKnown.end())
    op.fail<ValueError>(
        "interpolation must be one of linear, lower, higher, midpoint or nearest, but got {}",
        interpolation);
  if (q.device() == kCPU && !all(logical_and(q >= 0, q <= 1)).item<bool>())
    op.fail<ValueError>("q must be in the range [0, 1]");
}

/// Between the entries of `sorted` along its first dimension, at `ranks` from 0 to its size less 1.
Tensor interpolated(const Tensor& sorted, const Tensor& ranks, std::string_view interpolation) {
  const auto at = [&](const Tensor& places) { return index_select(sorted, 0, to(places, kInt64)); };
  if (interpolation == "lower") return at(floor(ranks));
  if (interpolation == "higher") return at(ceil(ranks));
  if (interpolation == "nearest") return at(round(ranks));
  const Tensor below = at(floor(ranks)), above = at(ceil(ranks));
  Tensor weight = interpolation == "linear" ? ranks - floor(ranks) : full_like(ranks, 0.5);
  std::vector<int64_t> sizes(static_cast<std::size_t>(sorted.dim()), 1);
  sizes[0] = ranks.numel();
  weight = reshape(to(weight, sorted.dtype()), sizes);
  // Between two infinite entries that are equal, lerp subtracts one from the other.
  return where(logical_and(isinf(below), eq(below, above)), below, lerp(below, above, weight));
}

}  // namespace

Tensor quantile(const Tensor& self, const Tensor& q, std::optional<Integer> dim, bool keepdim,
                std::string_view interpolation, At at) {
  const Operation op("quantile", at);
  check_quantile(op, self, q, interpolation);
  const int64_t along = dim ? wrap_dim(op, *dim, self.dim()) : 0;
  const Composite composite({&self, &q});
  const Tensor slices =
      dim && self.dim() > 0 ? movedim(self, {along}, {0}) : reshape(self, {self.numel()});
  const Tensor sorted = std::get<0>(sort(slices, 0));
  const int64_t last = sorted.size(0) - 1;
  const Tensor ranks = reshape(to(q, kFloat64), {q.numel()}) * last;
  const Tensor largest = narrow(sorted, 0, last, 1);  // NaN, if there is one
  Tensor result = where(isnan(largest), largest, interpolated(sorted, ranks, interpolation));
  if (keepdim) {
    std::vector<int64_t> sizes = self.sizes().vec();
    for (std::size_t d = 0; d < sizes.size(); ++d)
      if (!dim || d == static_cast<std::size_t>(along)) sizes[d] = 1;
    sizes.insert(sizes.begin(), q.numel());
    result = reshape(result, sizes);
  }
  return q.dim() == 0 ? squeeze(result, 0) : result;
}
Tensor quantile(const Tensor& self, double q, std::optional<Integer> dim, bool keepdim,
                std::string_view interpolation, At at) {
  const Operation op("quantile", at);
  check_operand(op, self);
  return quantile(self, full({}, q, TensorOptions(kFloat64).device(self.device())), dim, keepdim,
                  interpolation, at);
}

Tensor ReduceMembers::quantile(const Tensor& q, std::optional<Integer> dim, bool keepdim,
                               std::string_view interpolation, At at) const {
  return notape::quantile(self(), q, dim, keepdim, interpolation, at);
}
Tensor ReduceMembers::quantile(double q, std::optional<Integer> dim, bool keepdim,
                               std::string_view interpolation, At at) const {
  return notape::quantile(self(), q, dim, keepdim, interpolation, at);
}

}  // namespace notape
