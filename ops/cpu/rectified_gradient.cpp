// What relu lets through of a gradient, and its sums over all but the channels, on the CPU: image
// by image, while they are in the cache.
#include "ops/conv/conv2d.h"
#include "ops/parallel.h"
#include "ops/reduce/row.h"

namespace notape {
namespace {

void rectified_gradient(const Operation&, const Tensor& passed, const Tensor& sums,
                        const Tensor& grad, const Tensor& result) {
  const int64_t samples = grad.size(0), channels = grad.size(1),
                entries = grad.size(2) * grad.size(3);
  visit_stored_floating(grad.dtype(), [&]<typename T>() {
    const auto *const g = grad.impl().data_as<T>(), *const y = result.impl().data_as<T>();
    T* const to = passed.impl().data_as<T>();
    const auto work = std::max<int64_t>(1, samples * entries);
    parallel_for(0, channels, std::max<int64_t>(1, kParallelGrain / work),
                 [&](int64_t c, int64_t end) {
                   for (; c < end; ++c) {
                     double sum = 0;
                     for (int64_t n = 0; n < samples; ++n) {
                       const int64_t first = (n * channels + c) * entries;
                       for (int64_t i = first; i < first + entries; ++i)
                         to[i] = y[i] <= T(0) ? T(0) : g[i];
                       sum += sum_lanes<double>(entries, [&](int64_t i) { return to[first + i]; });
                     }
                     sums.impl().data_as<T>()[c] = static_cast<T>(sum);
                   }
                 });
  });
}

}  // namespace

constinit RectifiedGradientKernel rectified_gradient_kernel(rectified_gradient);

}  // namespace notape
