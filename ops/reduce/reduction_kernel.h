// ReductionKernel<F>: a functor that makes one value of a row of elements, as a kernel for every
// element type and device. Compiled twice, as elementwise kernels are (ops/elementwise/kernel.h).
//
//   struct LargestMagnitude {
//     static constexpr TypeSet types = kNumberTypes;  // else float32 and float64
//     template <typename T>
//     using Result = T;                               // as it is without this line
//     template <typename SomeRow>
//     NOTAPE_HD auto operator()(const SomeRow& row) const {
//       using T = typename SomeRow::Element;
//       return row.fold(T(0), [&](int64_t i) { return math::abs(row[i]); }, math::max<T>);
//     }
//   };
//   const ReductionKernel<LargestMagnitude> value_kernel("largest_magnitude");
//
// A row is a Row on the CPU (row.h), one thread's, and on a GPU a SharedRow (team.h), whose threads
// all run the functor and fold together.
#pragma once
#include "ops/core/type_set.h"
#include "ops/reduce/accumulator.h"
#include "ops/reduce/row.h"

namespace notape {

/// Rows, one after the other, and a place for each result.
struct RowsPlan {
  const void* rows;
  void* results;
  int64_t count, size;
  int teams = 1;         ///< of a GPU at each row (several_teams.h)
  void* kept = nullptr;  ///< memory for what several keep of kMostFolds
};
/// Of functors of rows:  template <typename T> int folds() const  says how often one folds.
inline constexpr int kMostFolds = 3;

namespace detail {

template <typename F, typename T>
constexpr auto reduced_type() {
  if constexpr (requires { typename F::template Result<T>; })
    return typename F::template Result<T>();
  else
    return T();
}
/// What F makes of elements of type T.
template <typename F, typename T>
using Reduced = decltype(reduced_type<F, T>());

}  // namespace detail
}  // namespace notape

#ifdef __CUDACC__
#include "ops/reduce/reduction_kernel_cuda.h"
#else
#include "ops/reduce/reduction_kernel_cpu.h"
#endif
