// Sums and means on a GPU: floating values are accumulated in double, in the same order each time.
#include <optional>

#include "autograd/tensor/device_interface.h"
#include "ops/reduce/reduction.h"
#include "ops/reduce/reduction_kernel.h"

namespace notape::cuda {
namespace {

struct Sum {
  double divisor;
  template <typename T>
  using Result = Accumulated<T>;
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

/// What meets in one result, of a row-major tensor seen as (outer, far, kept, near): `far` runs of
/// `near` neighbours.
struct Meeting {
  int64_t far, kept, near;

  __device__ int64_t start(int64_t result) const {
    return (result / kept * far * kept + result % kept) * near;
  }
  __device__ int64_t place(int64_t i) const {
    if (far == 1) return i;
    return near == 1 ? i * kept : i / near * kept * near + i % near;
  }
};

/// Nothing if the tensor has no such shape.
std::optional<Meeting> as_meeting(const Tensor& self, const ReducedDims& dims) {
  if (!self.is_contiguous()) return {};
  Meeting result{1, 1, 1};
  int stage = 0;  // of outer, far, kept and near
  for (std::size_t d = 0; d < self.sizes().size(); ++d) {
    if (self.sizes()[d] == 1) continue;
    if (dims.reduced[d] != (stage % 2 == 1)) ++stage;
    if (stage > 3) return {};
    if (stage > 0)
      (stage == 1 ? result.far : stage == 2 ? result.kept : result.near) *= self.sizes()[d];
  }
  return result;
}

template <typename T>
struct SumOfMeeting {
  using Total = Accumulator<T>;
  const T* self;
  Accumulated<T>* result;
  Meeting meeting;
  double divisor;

  template <typename Team>
  __device__ void operator()(int64_t i, const Team& team) const {
    const SharedRow<T, Team> row(self + meeting.start(i), meeting.far * meeting.near, 1, team);
    const Total sum = sum_row<Total>(row, [&](int64_t k) { return row[meeting.place(k)]; });
    if (team.rank() != 0) return;
    if constexpr (std::is_floating_point_v<Total>)
      result[i] = static_cast<Accumulated<T>>(sum / divisor);
    else
      result[i] = static_cast<Accumulated<T>>(sum);
  }
};

void sum_on_cuda(const Operation&, const Tensor& result, const Tensor& self,
                 const ReducedDims& dims, bool mean) {
  const Device device = self.device();
  void* const stream = device_interface(device).current_stream(device.index);
  const double divisor = mean ? static_cast<double>(dims.count) : 1;
  const std::optional<Meeting> meeting = as_meeting(self, dims);
  const bool by_blocks = dims.count >= detail::kLongRow;
  if (meeting && self.numel() > 0) {
    // Neighbouring threads of neighbouring results read neighbours, if there are enough of both.
    const bool is_wide = meeting->near == 1 && meeting->kept >= detail::kTeamThreads;
    return visit_computed(self.dtype(), [&]<typename T>() {
      detail::launch_each(
          SumOfMeeting<T>{self.impl().data_as<T>(), result.impl().data_as<Accumulated<T>>(),
                          *meeting, divisor},
          result.numel(), by_blocks && !is_wide, stream);
    });
  }
  const Tensor rows = as_rows(self, dims);
  const RowsPlan plan{rows.impl().data(), result.impl().data(), result.numel(), dims.count};
  const Sum functor{divisor};
  visit_computed(self.dtype(),
                 [&]<typename T>() { detail::launch_reduction<Sum, T>(&plan, &functor, stream); });
}

const Implementation on_cuda(sum_kernel, kCUDA, sum_on_cuda);

}  // namespace
}  // namespace notape::cuda
