#include "ops/reduce/softmax.h"

#include <algorithm>

#include "ops/reduce/softmax_formulas.h"

namespace notape {
namespace {

/// self, result: (outer, size), one slice at a time
template <typename Formula, typename T>
void run_rows(const T* self, T* result, const Slices& s) {
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
void run_blocks(const T* self, T* result, const Slices& s) {
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

/// The loops of the gradients, in one pass each: with s = sum(term(g, y)) along the dimension the
/// result is finish(g, y, s), and finish_largest(g, y, sums) where y dominates(y). Shapes: (outer,
/// size, inner).
template <typename Formula, typename T>
void softmax_gradient(const T* g, const T* y, T* result, const Slices& s) {
  constexpr int64_t kBlock = 64;
  /// Of one element, as a place among all.
  const auto finish_largest = [&](int64_t at, const SliceSums<T>& sums) {
    result[at] = Formula::finish_largest(g[at], y[at], sums);
  };
  for (int64_t o = 0; o < s.outer; ++o) {
    const int64_t start = o * s.size * s.inner;
    if (s.inner == 1) {
      const T *grads = g + start, *values = y + start;
      const auto term = [&](int64_t i) {
        return static_cast<double>(Formula::term(grads[i], values[i]));
      };
      int64_t largest = -1;
      for (int64_t i = 0; i < s.size; ++i)
        if (Formula::dominates(values[i])) largest = i;
      if (largest < 0) {
        const auto sum = static_cast<T>(sum_lanes<double>(s.size, term));
        for (int64_t i = 0; i < s.size; ++i)
          result[start + i] = Formula::finish(grads[i], values[i], sum);
        continue;
      }
      const auto but_largest = [&](const auto& load) {
        return sum_lanes<double>(largest, load) +
               sum_lanes<double>(s.size - largest - 1,
                                 [&](int64_t i) { return load(largest + 1 + i); });
      };
      const double others = but_largest(term);
      const double mass = but_largest(
          [&](int64_t i) { return static_cast<double>(Formula::probability(values[i])); });
      const auto sum = static_cast<T>(others + term(largest));
      for (int64_t i = 0; i < s.size; ++i)
        result[start + i] = Formula::finish(grads[i], values[i], sum);
      finish_largest(start + largest, {sum, static_cast<T>(others), static_cast<T>(mass)});
      continue;
    }
    for (int64_t first = 0; first < s.inner; first += kBlock) {
      const int64_t width = std::min(kBlock, s.inner - first);
      double sums[kBlock] = {}, others[kBlock] = {}, masses[kBlock] = {};
      int64_t largest[kBlock];
      std::fill_n(largest, width, int64_t{-1});
      for (int64_t i = 0; i < s.size; ++i)
        for (int64_t n = 0, at = start + i * s.inner + first; n < width; ++n, ++at) {
          const auto term = static_cast<double>(Formula::term(g[at], y[at]));
          const bool dominates = Formula::dominates(y[at]);
          sums[n] += term;
          others[n] += dominates ? 0 : term;
          masses[n] += dominates ? 0 : static_cast<double>(Formula::probability(y[at]));
          largest[n] = dominates ? at : largest[n];
        }
      for (int64_t i = 0; i < s.size; ++i)
        for (int64_t n = 0, at = start + i * s.inner + first; n < width; ++n, ++at)
          result[at] = Formula::finish(g[at], y[at], static_cast<T>(sums[n]));
      for (int64_t n = 0; n < width; ++n)
        if (largest[n] >= 0)
          finish_largest(largest[n], {static_cast<T>(sums[n]), static_cast<T>(others[n]),
                                      static_cast<T>(masses[n])});
    }
  }
}

template <typename Formula>
void softmax(const Operation&, const Tensor& result, const Tensor& self, const Slices& s) {
  visit_floating(self.dtype(), [&]<typename T>() {
    (s.inner == 1 ? run_rows<Formula, T> : run_blocks<Formula, T>)(self.impl().data_as<T>(),
                                                                   result.impl().data_as<T>(), s);
  });
}

template <typename Formula>
void gradient(const Operation&, const Tensor& result, const Tensor& g, const Tensor& y,
              const Slices& s) {
  visit_floating(y.dtype(), [&]<typename T>() {
    softmax_gradient<Formula>(g.impl().data_as<T>(), y.impl().data_as<T>(),
                              result.impl().data_as<T>(), s);
  });
}

}  // namespace

constinit SoftmaxKernel softmax_kernel(softmax<SoftmaxFormula<false>>);
constinit SoftmaxKernel log_softmax_kernel(softmax<SoftmaxFormula<true>>);
constinit SoftmaxGradientKernel softmax_gradient_kernel(gradient<SoftmaxGradient>);
constinit SoftmaxGradientKernel log_softmax_gradient_kernel(gradient<LogSoftmaxGradient>);
constinit SoftmaxGradientKernel log_softmax_tangent_kernel(gradient<LogSoftmaxTangent>);

}  // namespace notape
