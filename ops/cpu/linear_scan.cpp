#include "ops/reduce/scan_kernels.h"

namespace notape {
namespace {

/// c: (outer, size - 1, inner); b, h: (outer, size, inner)
template <typename T>
void run_linear_scan(const T* c, const T* b, T* h, const Slices& s, ScanFrom from) {
  const bool forward = from == ScanFrom::First;
  for (int64_t o = 0; o < s.outer; ++o) {
    const T* coefficients = c + o * (s.size - 1) * s.inner;
    const T* terms = b + o * s.size * s.inner;
    T* results = h + o * s.size * s.inner;
    for (int64_t k = 0; k < s.size; ++k) {
      const int64_t i = forward ? k : s.size - 1 - k;
      const int64_t before = forward ? i - 1 : i + 1;
      const int64_t between = forward ? i - 1 : i;
      for (int64_t n = 0; n < s.inner; ++n)
        results[i * s.inner + n] =
            k == 0 ? terms[i * s.inner + n]
                   : terms[i * s.inner + n] +
                         coefficients[between * s.inner + n] * results[before * s.inner + n];
    }
  }
}

void linear_scan_on_cpu(const Operation&, const Tensor& result, const Tensor& coefficients,
                        const Tensor& terms, const Slices& s, ScanFrom from) {
  visit_floating(terms.dtype(), [&]<typename T>() {
    run_linear_scan(coefficients.impl().data_as<T>(), terms.impl().data_as<T>(),
                    result.impl().data_as<T>(), s, from);
  });
}

}  // namespace

constinit LinearScanKernel linear_scan_kernel(linear_scan_on_cpu);

}  // namespace notape
