// The CUDA side of a reduction: a block for each long row, several for a very long one, a thread
// for each short one. Included by reduction_kernel.h when nvcc compiles an operator's file, and by
// kernels of cuda/.
#pragma once
#include "ops/core/register_cuda.h"
#include "ops/reduce/team_cuda.h"

namespace notape {
namespace detail {

template <typename F, typename T>
struct ReduceRow {
  F f;
  RowsPlan plan;
  template <typename Team>
  __device__ void operator()(int64_t i, const Team& team) const {
    const auto* row = static_cast<const Stored<T>*>(plan.rows) + i * plan.size;
    const auto value = f(SharedRow<Stored<T>, Team>(row, plan.size, 1, team));
    if (team.rank() == 0)
      static_cast<Reduced<F, T>*>(plan.results)[i] = static_cast<Reduced<F, T>>(value);
  }
};

template <typename F, typename T>
void launch_reduction(const void* plan, const void* functor, void* stream) {
  const auto& rows = *static_cast<const RowsPlan*>(plan);
  const ReduceRow<F, T> work{*static_cast<const F*>(functor), rows};
  if (rows.teams == 1) return launch_each(work, rows.count, rows.size >= kLongRow, stream);
  const Passes passes{rows.teams, work.f.template folds<Stored<T>>(),
                      static_cast<char*>(rows.kept)};
  launch_by_several(work, rows.count, passes, stream);
}

}  // namespace detail

template <typename F>
class ReductionKernel {
 public:
  explicit ReductionKernel(const char* name) {
    detail::for_types_of<F>([name]<typename T, int kSlot>() {
      register_cuda_kernel(name, kSlot, detail::launch_reduction<F, T>);
    });
  }
};

}  // namespace notape
