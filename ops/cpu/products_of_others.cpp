#include <algorithm>
#include <vector>

#include "ops/reduce/scan_kernels.h"

namespace notape {
namespace {

/// x, result: (outer, size), one slice at a time
template <typename T>
void multiply_rows(const T* x, T* result, const Slices& s) {
  std::vector<double> products(static_cast<std::size_t>(s.size));
  for (int64_t o = 0; o < s.outer; ++o, x += s.size, result += s.size) {
    double before = 1, after = 1;
    double* product = products.data();
    for (int64_t i = 0; i < s.size; before *= static_cast<double>(x[i++])) product[i] = before;
    for (int64_t i = s.size; i-- > 0; after *= static_cast<double>(x[i]))
      result[i] = static_cast<T>(product[i] * after);
  }
}

/// x, result: (outer, size, inner), a block of neighbouring slices at a time
template <typename T>
void multiply_blocks(const T* x, T* result, const Slices& s) {
  constexpr int64_t kBlock = 64;
  std::vector<double> products(static_cast<std::size_t>(s.size * kBlock));  // (size, kBlock)
  for (int64_t o = 0; o < s.outer; ++o, x += s.size * s.inner, result += s.size * s.inner)
    for (int64_t first = 0; first < s.inner; first += kBlock) {
      const int64_t width = std::min(kBlock, s.inner - first);
      double before[kBlock], after[kBlock];
      std::fill_n(before, kBlock, 1.0);
      std::fill_n(after, kBlock, 1.0);
      double* product = products.data();
      for (int64_t i = 0; i < s.size; ++i, product += kBlock)
        for (int64_t n = 0; n < width; ++n) {
          product[n] = before[n];
          before[n] *= static_cast<double>(x[i * s.inner + first + n]);
        }
      for (int64_t i = s.size; i-- > 0;) {
        product -= kBlock;
        for (int64_t n = 0; n < width; ++n) {
          const int64_t at = i * s.inner + first + n;
          result[at] = static_cast<T>(product[n] * after[n]);
          after[n] *= static_cast<double>(x[at]);
        }
      }
    }
}

void products_on_cpu(const Operation&, const Tensor& result, const Tensor& self, const Slices& s) {
  visit_floating(self.dtype(), [&]<typename T>() {
    (s.inner == 1 ? multiply_rows<T> : multiply_blocks<T>)(self.impl().data_as<T>(),
                                                           result.impl().data_as<T>(), s);
  });
}

}  // namespace

constinit ProductsOfOthersKernel products_of_others_kernel(products_on_cpu);

}  // namespace notape
