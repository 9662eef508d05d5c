#include "ops/reduce/softmax.h"

#include <algorithm>

#include "ops/core/run_wide.h"
#include "ops/parallel.h"
#include "ops/reduce/softmax_formulas.h"

namespace notape {
namespace {

/// self, result: (outer, size), one slice at a time
template <typename Formula, typename T>
void run_softmax_rows(const T* self, T* result, const Slices& s) {
  for (int64_t o = 0; o < s.outer; ++o, self += s.size, result += s.size) {
    const Row<T> row(self, s.size);
    const ExponentialSum sum =
        sum_of_exponentials(row, largest(row), [result](int64_t i, T difference, T exponential) {
          result[i] = Formula::keep(difference, exponential);
        });
    const T f = Formula::template factor<T>(sum);
    for (int64_t i = 0; i < s.size; ++i) result[i] = Formula::finish(result[i], f);
  }
}

/// self, result: (outer, size, inner), a block of neighbouring slices at a time
template <typename Formula, typename T>
void run_softmax_blocks(const T* self, T* result, const Slices& s) {
  constexpr int64_t kBlock = 64;
  const int64_t step = s.inner;
  for (int64_t o = 0; o < s.outer; ++o, self += s.size * step, result += s.size * step)
    for (int64_t first = 0; first < step; first += kBlock) {
      const int64_t width = std::min(kBlock, step - first);
      T maxima[kBlock], factors[kBlock];
      ExponentialSum sums[kBlock];
      std::fill_n(maxima, width, -std::numeric_limits<T>::infinity());
      for (int64_t i = 0; i < s.size; ++i)
        for (int64_t n = 0; n < width; ++n) {
          const T value = self[i * step + first + n];
          maxima[n] = value > maxima[n] ? value : maxima[n];
        }
      for (int64_t i = 0; i < s.size; ++i)
        for (int64_t n = 0; n < width; ++n) {
          const T difference = self[i * step + first + n] - maxima[n];
          const T exponential = exp_below_zero(difference);
          result[i * step + first + n] = Formula::keep(difference, exponential);
          sums[n].add(exponential);
        }
      for (int64_t n = 0; n < width; ++n) factors[n] = Formula::template factor<T>(sums[n]);
      for (int64_t i = 0; i < s.size; ++i)
        for (int64_t n = 0; n < width; ++n) {
          T& value = result[i * step + first + n];
          value = Formula::finish(value, factors[n]);
        }
    }
}

/// The gradients: with s = sum(term(g, y)) along the dimension the result is finish(g, y, s), and
/// finish_largest(g, y, sums) where y dominates(y). Of one row:
template <typename Formula, typename T>
void row_gradient(const T* g, const T* y, T* result, int64_t n) {
  const auto term = [g, y](int64_t i) { return Formula::term(g[i], y[i]); };
  const auto finish = [&](T sum) {
    for (int64_t i = 0; i < n; ++i) result[i] = Formula::finish(g[i], y[i], sum);
  };
  if (!Formula::dominates(largest(Row<T>(y, n))))
    return finish(static_cast<T>(sum_in_blocks<T>(n, term)));
  int64_t largest = n - 1;
  while (!Formula::dominates(y[largest])) --largest;
  const auto but_largest = [largest, n](const auto& load) {
    return sum_in_blocks<T>(largest, load) +
           sum_in_blocks<T>(n - largest - 1, [&](int64_t i) { return load(largest + 1 + i); });
  };
  const double others = but_largest(term);
  const double mass = but_largest([y](int64_t i) { return Formula::probability(y[i]); });
  const T sum = static_cast<T>(others + static_cast<double>(term(largest)));
  finish(sum);
  result[largest] = Formula::finish_largest(
      g[largest], y[largest], SliceSums<T>{sum, static_cast<T>(others), static_cast<T>(mass)});
}

/// Of slices side by side, a block at a time: (size, inner).
template <typename Formula, typename T>
void column_gradients(const T* g, const T* y, T* result, const Slices& s) {
  constexpr int64_t kBlock = 64;
  for (int64_t first = 0; first < s.inner; first += kBlock) {
    const int64_t width = std::min(kBlock, s.inner - first);
    double sums[kBlock] = {}, others[kBlock] = {}, masses[kBlock] = {};
    int64_t largest[kBlock];
    std::fill_n(largest, width, int64_t{-1});
    for (int64_t i = 0; i < s.size; ++i)
      for (int64_t n = 0, at = i * s.inner + first; n < width; ++n, ++at) {
        const auto term = static_cast<double>(Formula::term(g[at], y[at]));
        const bool dominates = Formula::dominates(y[at]);
        sums[n] += term;
        others[n] += dominates ? 0 : term;
        masses[n] += dominates ? 0 : static_cast<double>(Formula::probability(y[at]));
        largest[n] = dominates ? at : largest[n];
      }
    for (int64_t i = 0; i < s.size; ++i)
      for (int64_t n = 0, at = i * s.inner + first; n < width; ++n, ++at)
        result[at] = Formula::finish(g[at], y[at], static_cast<T>(sums[n]));
    for (int64_t n = 0; n < width; ++n)
      if (const int64_t at = largest[n]; at >= 0)
        result[at] =
            Formula::finish_largest(g[at], y[at],
                                    SliceSums<T>{static_cast<T>(sums[n]), static_cast<T>(others[n]),
                                                 static_cast<T>(masses[n])});
  }
}

/// g, y, result: (outer, size, inner)
template <typename Formula, typename T>
void gradients(const T* g, const T* y, T* result, const Slices& s) {
  const int64_t size = s.size * s.inner;
  for (int64_t o = 0; o < s.outer; ++o, g += size, y += size, result += size)
    if (s.inner == 1)
      row_gradient<Formula>(g, y, result, size);
    else
      column_gradients<Formula>(g, y, result, s);
}

/// f(some of the slices, the place where they begin), by several threads: exponentials are slow.
template <typename F>
void by_parts(const Slices& s, const F& f) {
  const int64_t size = s.size * s.inner;
  const int64_t grain = std::max<int64_t>(1, kParallelGrain / 8 / std::max<int64_t>(1, size));
  parallel_for(0, s.outer, grain, [&](int64_t first, int64_t last) {
    Slices part = s;
    part.outer = last - first;
    f(part, first * size);
  });
}

template <typename Formula>
void softmax(const Operation&, const Tensor& result, const Tensor& self, const Slices& s) {
  visit_floating(self.dtype(), [&]<typename T>() {
    const T* from = self.impl().data_as<T>();
    T* to = result.impl().data_as<T>();
    by_parts(s, [&](const Slices& part, int64_t start) {
      detail::run_wide<T>([&] {
        if (s.inner == 1)
          run_softmax_rows<Formula>(from + start, to + start, part);
        else
          run_softmax_blocks<Formula>(from + start, to + start, part);
      });
    });
  });
}

template <typename Formula>
void softmax_gradient(const Operation&, const Tensor& result, const Tensor& g, const Tensor& y,
                      const Slices& s) {
  visit_floating(y.dtype(), [&]<typename T>() {
    const T *grads = g.impl().data_as<T>(), *values = y.impl().data_as<T>();
    T* to = result.impl().data_as<T>();
    by_parts(s, [&](const Slices& part, int64_t start) {
      detail::run_wide<T>(
          [&] { gradients<Formula>(grads + start, values + start, to + start, part); });
    });
  });
}

}  // namespace

constinit SoftmaxKernel softmax_kernel(softmax<SoftmaxFormula<false>>);
constinit SoftmaxKernel log_softmax_kernel(softmax<SoftmaxFormula<true>>);
constinit SoftmaxGradientKernel softmax_gradient_kernel(softmax_gradient<SoftmaxGradient>);
constinit SoftmaxGradientKernel log_softmax_gradient_kernel(softmax_gradient<LogSoftmaxGradient>);
constinit SoftmaxGradientKernel log_softmax_tangent_kernel(softmax_gradient<LogSoftmaxTangent>);

}  // namespace notape
