#include "ops/reduce/running.h"

#include "ops/reduce/running_slices.h"

namespace notape {
namespace {

template <typename Work>
void for_each_slice(const Work& work) {
  const Slices& s = work.slices;
  const int64_t grain = std::max<int64_t>(1, kParallelGrain / std::max<int64_t>(s.size, 1));
  parallel_for(0, s.count(), grain, [&](int64_t first, int64_t last) {
    for (int64_t slice = first; slice < last; ++slice) work(slice, LoneThread());
  });
}

void cumprod_on_cpu(const Operation&, const Tensor& result, const Tensor& self, const Slices& s) {
  visit_computed(self.dtype(), [&]<typename T>() {
    for_each_slice(
        RunningProduct<T>{self.impl().data_as<T>(), result.impl().data_as<Accumulated<T>>(), s});
  });
}

void logcumsumexp_on_cpu(const Operation& op, const Tensor& result, const Tensor& self,
                         const Slices& s) {
  if (!self.is_floating_point()) no_kernel(op, self.dtype(), self.device());
  visit_floating(self.dtype(), [&]<typename T>() {
    for_each_slice(RunningLogSum<T>{self.impl().data_as<T>(), result.impl().data_as<T>(), s});
  });
}

void running_extreme_on_cpu(const Operation&, const Tensor& values, const Tensor& indices,
                            const Tensor& self, const Slices& s, Extreme which) {
  visit_computed(self.dtype(), [&]<typename T>() {
    visit_order(which == Extreme::Largest, [&]<typename Order>() {
      for_each_slice(RunningExtreme<Order, T>{self.impl().data_as<T>(), values.impl().data_as<T>(),
                                              indices.impl().data_as<int64_t>(), s});
    });
  });
}

}  // namespace

constinit RunningKernel cumprod_kernel(cumprod_on_cpu);
constinit RunningKernel logcumsumexp_kernel(logcumsumexp_on_cpu);
constinit RunningExtremeKernel running_extreme_kernel(running_extreme_on_cpu);

}  // namespace notape
