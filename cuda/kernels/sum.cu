// Sums and means on a GPU: floating values are accumulated in double, in the same order each time.
#include <optional>

#include "cuda/kernels/launch_slices.h"
#include "cuda/kernels/sums.h"
#include "ops/conv/conv2d.h"
#include "ops/reduce/reduction_kernel.h"

namespace notape::cuda {
namespace {

struct Sum {
  double divisor;
  template <typename T>
  using Result = Accumulated<T>;
  template <typename>
  int folds() const {
    return 1;
  }
  template <typename SomeRow>
  __device__ auto operator()(const SomeRow& row) const {
    using Total = Accumulator<typename SomeRow::Element>;
    const Total sum = sum_row<Total>(row, [&row](int64_t i) { return row[i]; });
    if constexpr (std::is_floating_point_v<Total>)
      return sum / divisor;
    else
      return sum;
  }
};

/// Nothing if the tensor has no such shape.
std::optional<Meeting> as_meeting(const Tensor& self, const ReducedDims& dims) {
  if (!self.is_contiguous()) return {};
  Meeting result{1, 1, 1, 1};
  int stage = 0;  // of outer, far, kept and near
  for (std::size_t d = 0; d < self.sizes().size(); ++d) {
    if (self.sizes()[d] == 1) continue;
    if (dims.reduced[d] != (stage % 2 == 1)) ++stage;
    if (stage > 3) return {};
    (stage == 0   ? result.outer
     : stage == 1 ? result.far
     : stage == 2 ? result.kept
                  : result.near) *= self.sizes()[d];
  }
  return result;
}

template <typename Read, typename To>
void launch_meeting(const Read& read, To* result, const Meeting& meeting, double divisor,
                    const Tensor& on) {
  launch_teams(SumOfMeeting<Read, To>(read, result, meeting, divisor), meeting.results(),
               meeting.size(), meeting.size() >= detail::kLongRow, on);
}

template <typename From, typename To>
void sum_meeting(const From* self, To* result, const Meeting& meeting, double divisor,
                 const Tensor& on) {
  if (meeting.near > 1 || meeting.kept == 1 || meeting.far < detail::kLongRow)
    return launch_meeting(FromMemory<From>{self}, result, meeting, divisor, on);
  const auto launch_columns = [&](const auto& sums) {
    detail::launch_by_blocks(sums, meeting.outer * sums.parts * sums.across(), stream_of(on));
  };
  const auto sums = ColumnSums<From, To>::of(self, result, meeting, divisor, detail::kTeamThreads);
  if (sums.parts == 1) return launch_columns(sums);
  using Total = Accumulator<From>;
  const Tensor totals =
      allocate(IntArrayRef({meeting.outer * sums.parts * meeting.kept * int64_t{sizeof(Total)}}),
               kUInt8, on.device());
  auto* const data = reinterpret_cast<Total*>(totals.impl().data());
  launch_columns(
      ColumnSums<From, Total>{self, data, sums.far, sums.kept, 1, sums.parts, sums.width});
  sum_meeting<Total, To>(data, result, {meeting.outer, sums.parts, meeting.kept, 1}, divisor, on);
}

void sum_on_cuda(const Operation&, const Tensor& result, const Tensor& self,
                 const ReducedDims& dims, bool mean) {
  const double divisor = mean ? static_cast<double>(dims.count) : 1;
  const std::optional<Meeting> meeting = as_meeting(self, dims);
  if (meeting && self.numel() > 0)
    return visit_computed(self.dtype(), [&]<typename T>() {
      sum_meeting(self.impl().data_as<const T>(), result.impl().data_as<Accumulated<T>>(), *meeting,
                  divisor, self);
    });
  const Tensor rows = as_rows(self, dims);
  RowsPlan plan{rows.impl().data(), result.impl().data(), result.numel(), dims.count};
  const Tensor kept = let_teams_share(plan, self.device());
  const Sum functor{divisor};
  visit_computed(self.dtype(), [&]<typename T>() {
    detail::launch_reduction<Sum, T>(&plan, &functor, stream_of(self));
  });
}

/// What relu lets through, which is written where it is added.
template <typename T>
struct Passing {
  using Element = std::conditional_t<std::is_same_v<T, double>, double, float>;
  const T *grad, *result;
  T* passed;
  __device__ Element operator()(int64_t i) const {
    const T one = static_cast<Element>(result[i]) <= 0 ? T(0) : grad[i];
    passed[i] = one;
    return static_cast<Element>(one);
  }
};

void rectified_gradient_on_cuda(const Operation&, const Tensor& passed, const Tensor& sums,
                                const Tensor& grad, const Tensor& result) {
  const Meeting meeting{1, grad.size(0), grad.size(1), grad.size(2) * grad.size(3)};
  visit_stored_floating(grad.dtype(), [&]<typename T>() {
    launch_meeting(Passing<T>{grad.impl().data_as<T>(), result.impl().data_as<T>(),
                              passed.impl().data_as<T>()},
                   sums.impl().data_as<T>(), meeting, 1, grad);
  });
}

const Implementation on_cuda(sum_kernel, kCUDA, sum_on_cuda);
const Implementation rectified(rectified_gradient_kernel, kCUDA, rectified_gradient_on_cuda);

}  // namespace
}  // namespace notape::cuda
