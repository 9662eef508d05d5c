// The CPU loops of a reduction. Included by reduction_kernel.h.
#pragma once
#include "ops/core/kernel_by_name.h"

namespace notape {

/// Reduces the rows from `first` to `last`.
using ReductionLoop = void (*)(const RowsPlan& plan, int64_t first, int64_t last,
                               const void* functor);

/// What all reductions have in common.
class ReductionSlots : public KernelByName {
 public:
  using KernelByName::KernelByName;

  /// Null if the functor does not exist for the type.
  ReductionLoop cpu(ScalarType type) const { return cpu_[static_cast<int>(type)]; }
  ScalarType result(ScalarType type) const { return results_[static_cast<int>(type)]; }

 protected:
  ReductionLoop cpu_[kScalarTypes] = {};
  ScalarType results_[kScalarTypes] = {};
};

namespace detail {

template <typename F, typename T>
void reduction_loop(const RowsPlan& plan, int64_t first, int64_t last, const void* functor) {
  const F& f = *static_cast<const F*>(functor);
  const auto* row = static_cast<const Stored<T>*>(plan.rows) + first * plan.size;
  auto* const results = static_cast<Reduced<F, T>*>(plan.results);
  for (int64_t i = first; i < last; ++i, row += plan.size)
    results[i] = static_cast<Reduced<F, T>>(f(Row<Stored<T>>(row, plan.size)));
}

}  // namespace detail

template <typename F>
class ReductionKernel final : public ReductionSlots {
 public:
  explicit ReductionKernel(const char* name) : ReductionSlots(name, detail::types_of<F>()) {
    detail::for_types_of<F>([this]<typename T, int kSlot>() {
      cpu_[kSlot] = detail::reduction_loop<F, T>;
      results_[kSlot] = scalar_type_of<detail::Reduced<F, T>>;
    });
  }
};

}  // namespace notape
