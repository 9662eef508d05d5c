#include <algorithm>

#include "ops/parallel.h"
#include "ops/reduce/accumulator.h"
#include "ops/reduce/scan_kernels.h"

namespace notape {
namespace {

/// input, result: (outer, size), one slice at a time
template <typename T>
void run_cumsum_rows(const T* input, Accumulated<T>* result, const Slices& s, ScanFrom from) {
  using Sum = Accumulator<T>;
  const int64_t start = from == ScanFrom::First ? 0 : s.size - 1,
                step = from == ScanFrom::First ? 1 : -1;
  for (int64_t o = 0; o < s.outer; ++o, input += s.size, result += s.size) {
    Sum sum = 0;
    for (int64_t k = 0, i = start; k < s.size; ++k, i += step)
      result[i] = static_cast<Accumulated<T>>(sum += static_cast<Sum>(input[i]));
  }
}

/// input, result: (outer, size, inner), a block of neighbouring slices at a time
template <typename T>
void run_cumsum_blocks(const T* input, Accumulated<T>* result, const Slices& s, ScanFrom from) {
  using Sum = Accumulator<T>;
  constexpr int64_t kBlock = 64;
  for (int64_t o = 0; o < s.outer; ++o)
    for (int64_t first = 0; first < s.inner; first += kBlock) {
      Sum sums[kBlock] = {};
      const int64_t width = std::min(kBlock, s.inner - first);
      for (int64_t k = 0; k < s.size; ++k) {
        const int64_t i = from == ScanFrom::First ? k : s.size - 1 - k;
        const int64_t start = (o * s.size + i) * s.inner + first;
        for (int64_t n = 0; n < width; ++n) {
          sums[n] += static_cast<Sum>(input[start + n]);
          result[start + n] = static_cast<Accumulated<T>>(sums[n]);
        }
      }
    }
}

void cumsum_on_cpu(const Operation&, const Tensor& result, const Tensor& self, const Slices& s,
                   ScanFrom from) {
  const int64_t slice = std::max<int64_t>(1, s.size * s.inner);
  visit_computed(self.dtype(), [&]<typename T>() {
    const T* input = self.impl().data_as<T>();
    auto* sums = result.impl().data_as<Accumulated<T>>();
    const int64_t grain = std::max<int64_t>(1, kParallelGrain / slice);
    parallel_for(0, s.outer, grain, [&](int64_t first, int64_t last) {
      Slices part = s;
      part.outer = last - first;
      (s.inner == 1 ? run_cumsum_rows<T> : run_cumsum_blocks<T>)(input + first * slice,
                                                                 sums + first * slice, part, from);
    });
  });
}

}  // namespace

constinit CumsumKernel cumsum_kernel(cumsum_on_cpu);

}  // namespace notape
