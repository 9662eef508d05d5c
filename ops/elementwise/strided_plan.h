// StridedPlan: what a GPU needs of an ElementwisePlan, in 32 bits. A plan that is too large for
// that is taken in parts.
#pragma once
#include "ops/core/divisor.h"
#include "ops/elementwise/plan.h"

namespace notape {

template <int kOperands>
class StridedPlan {
 public:
  static constexpr int kMaxDims = 12;

  /// Whether numbers of elements and distances in bytes are below 2^31.
  static bool holds(const ElementwisePlan& plan) {
    if (plan.ndim > kMaxDims || plan.numel > Divisor::kLargest) return false;
    for (int k = 0; k < kOperands; ++k) {
      int64_t reach = 0;
      for (int d = 0; d < plan.ndim; ++d) {
        const int64_t stride = plan.strides[d][k] < 0 ? -plan.strides[d][k] : plan.strides[d][k];
        if (plan.sizes[d] > 1 && stride > (Divisor::kLargest - reach) / (plan.sizes[d] - 1))
          return false;
        reach += (plan.sizes[d] - 1) * stride;
      }
    }
    return true;
  }

  /// Of one that it holds, and which is not empty.
  explicit StridedPlan(const ElementwisePlan& plan)
      : ndim_(plan.ndim), numel_(static_cast<uint32_t>(plan.numel)) {
    for (int k = 0; k < kOperands; ++k) data_[k] = plan.data[k];
    for (int d = 0; d < ndim_; ++d) {
      sizes_[d] = Divisor(plan.sizes[d]);
      for (int k = 0; k < kOperands; ++k) strides_[d][k] = static_cast<int32_t>(plan.strides[d][k]);
    }
  }

  NOTAPE_HD uint32_t numel() const { return numel_; }
  /// Where the operands have element `index`, the fastest dimension first.
  NOTAPE_HD void locate(uint32_t index, char* (&places)[kOperands]) const {
    int32_t offsets[kOperands] = {};
    for (int d = 0; d < ndim_; ++d) {
      const uint32_t next = d + 1 < ndim_ ? sizes_[d].quotient(index) : 0;
      const auto at = static_cast<int32_t>(index - next * sizes_[d].value());
      for (int k = 0; k < kOperands; ++k) offsets[k] += at * strides_[d][k];
      index = next;
    }
    for (int k = 0; k < kOperands; ++k) places[k] = data_[k] + offsets[k];
  }

 private:
  int ndim_;
  uint32_t numel_;
  char* data_[kOperands];
  Divisor sizes_[kMaxDims];
  int32_t strides_[kMaxDims][kOperands];
};

/// The dimension along which the operands reach furthest.
template <int kOperands>
int longest_dimension(const ElementwisePlan& plan) {
  int longest = 0;
  int64_t furthest = 0;
  for (int d = 0; d < plan.ndim; ++d)
    for (int k = 0; k < kOperands; ++k) {
      const int64_t stride = plan.strides[d][k] < 0 ? -plan.strides[d][k] : plan.strides[d][k];
      if ((plan.sizes[d] - 1) * stride <= furthest) continue;
      furthest = (plan.sizes[d] - 1) * stride;
      longest = d;
    }
  return longest;
}

/// visit(part) for parts that together are the plan, each of which a StridedPlan holds: one, unless
/// an operand is very large or has very many dimensions. Elements of the output are distinct.
template <int kOperands, typename Visit>
void visit_in_32_bits(const ElementwisePlan& plan, const Visit& visit) {
  if (StridedPlan<kOperands>::holds(plan)) return visit(plan);
  const bool has_many = plan.ndim > StridedPlan<kOperands>::kMaxDims;
  const int d = has_many ? plan.ndim - 1 : longest_dimension<kOperands>(plan);
  const int64_t half = plan.sizes[d] / 2;
  ElementwisePlan part = plan;
  for (const int64_t size : {half, plan.sizes[d] - half}) {
    part.sizes[d] = size;
    part.numel = plan.numel / plan.sizes[d] * size;
    part.ndim = has_many && size == 1 ? d : plan.ndim;
    if (size > 0) visit_in_32_bits<kOperands>(part, visit);
    for (int k = 0; k < kOperands; ++k) part.data[k] += half * plan.strides[d][k];
  }
}

}  // namespace notape
