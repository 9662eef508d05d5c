// What softmax and log_softmax share: both need the maximum and the sum of exponentials of each
// slice along a dimension.
#pragma once
#include "ops/reduce/exponentials.h"
#include "ops/reduce/reduce.h"

namespace notape {

/// What both are told.
struct SliceDim {
  int64_t dim;
};

/// Softmax or, if kLogarithm, its logarithm.
template <bool kLogarithm>
struct SoftmaxKernel {
  /// What is kept of each element until the sum is known, and the result made from it.
  template <typename T>
  static T keep(T difference, T exponential) {
    return kLogarithm ? difference : exponential;
  }
  template <typename T>
  static T factor(const ExponentialSum& sum) {
    const double rest = sum.beside_largest();
    return static_cast<T>(kLogarithm ? std::log1p(rest) : 1 / (1 + rest));
  }
  template <typename T>
  static T finish(T kept, T factor) {
    return kLogarithm ? kept - factor : kept * factor;
  }

  /// self, result: (outer, size), one slice at a time
  template <typename T>
  static void run_rows(const T* self, T* result, const Slices& s) {
    for (int64_t o = 0; o < s.outer; ++o, self += s.size, result += s.size) {
      const ExponentialSum sum = sum_of_exponentials(
          self, s.size, largest(self, s.size), [result](int64_t i, T difference, T exponential) {
            result[i] = keep(difference, exponential);
          });
      const T f = factor<T>(sum);
      for (int64_t i = 0; i < s.size; ++i) result[i] = finish(result[i], f);
    }
  }

  /// self, result: (outer, size, inner), a block of neighbouring slices at a time
  template <typename T>
  static void run_blocks(const T* self, T* result, const Slices& s) {
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
            result[i * step + first + n] = keep(difference, exponential);
            sums[n].add(exponential);
          }
        for (int64_t n = 0; n < width; ++n) factors[n] = factor<T>(sums[n]);
        for (int64_t i = 0; i < s.size; ++i)
          for (int64_t n = 0; n < width; ++n) {
            T& value = result[i * step + first + n];
            value = finish(value, factors[n]);
          }
      }
  }

  /// Throws DtypeError, IndexError, NoKernel.
  static Tensor compute(const Operation& op, const Tensor& self, int64_t dim) {
    check_operands(op, {&self});
    const int64_t place = wrap_dim(dim, self.dim());
    if (is_batched(self))
      return over_batch_along(
          place, self, [&](int64_t behind, const Tensor& all) { return compute(op, all, behind); },
          self);
    require_cpu(op, self);
    require_floating(op, self);
    const Slices s(self.sizes(), place);
    const Tensor source = raw_contiguous(self);
    Tensor result = allocate(self.sizes(), self.dtype(), self.device());
    visit_floating(self.dtype(), [&]<typename T>() {
      (s.inner == 1 ? run_rows<T> : run_blocks<T>)(source.impl().data_as<T>(),
                                                   result.impl().data_as<T>(), s);
    });
    return result;
  }
};

/// What a formula knows of a slice when it finishes an element: the sum of its terms, and those of
/// all elements but the one that has more than half of the probability, if there is one. Beside
/// that one they would be lost, and it has to finish without them.
template <typename T>
struct SliceSums {
  T all, others;
  T mass;  ///< the probability of the others
};

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
Tensor compute_softmax_gradient(const Operation& op, const Tensor& grad, const Tensor& result,
                                int64_t dim) {
  if (any_batched(grad, result))
    return over_batch_along(
        dim, result,
        [&](int64_t behind, const Tensor& all_grads, const Tensor& all) {
          return compute_softmax_gradient<Formula>(op, all_grads, all, behind);
        },
        grad, result);
  require_cpu(op, grad);
  const Tensor g = raw_contiguous(raw_convert(grad, result.dtype())), y = raw_contiguous(result);
  Tensor gradient = allocate(y.sizes(), y.dtype(), y.device());
  visit_floating(y.dtype(), [&]<typename T>() {
    softmax_gradient<Formula>(g.impl().data_as<T>(), y.impl().data_as<T>(),
                              gradient.impl().data_as<T>(), Slices(y.sizes(), dim));
  });
  return gradient;
}

}  // namespace notape
