// Normalisation on the CPU: two passes for the statistics, in double, and one for the result.
#include <cmath>

#include "ops/core/allocate.h"
#include "ops/core/run_wide.h"
#include "ops/cpu/layer_gradient.h"
#include "ops/normalization/normalize.h"
#include "ops/normalization/standardizer.h"
#include "ops/reduce/reduction.h"
#include "ops/reduce/wide_floats.h"

namespace notape {
namespace {

/// One factor per place, or the same at all.
template <typename T>
struct Each {
  const T* values;
  T operator()(int64_t i) const { return values[i]; }
};
template <typename T>
struct Same {
  T value;
  T operator()(int64_t) const { return value; }
};

/// f(first, length, weight(i), bias(i)) for the stretches of a group (channels, entries) in which
/// weights lie side by side or are one. Null stands for ones and zeros.
template <typename T, typename F>
void for_stretches(int64_t channels, int64_t entries, const T* weight, const T* bias, const F& f) {
  if (entries == 1) {
    if (weight && bias) return f(0, channels, Each<T>{weight}, Each<T>{bias});
    if (weight) return f(0, channels, Each<T>{weight}, Same<T>{0});
    if (bias) return f(0, channels, Same<T>{1}, Each<T>{bias});
    return f(0, channels, Same<T>{1}, Same<T>{0});
  }
  for (int64_t c = 0; c < channels; ++c)
    f(c * entries, entries, Same<T>{weight ? weight[c] : T(1)}, Same<T>{bias ? bias[c] : T(0)});
}

template <typename T>
T* data_or_null(const Tensor& tensor) {
  return tensor.defined() ? tensor.impl().data_as<T>() : nullptr;
}
template <typename T>
T* shifted(T* data, int64_t offset) {
  return data ? data + offset : nullptr;
}
/// f(row, group) for each group of each sample.
template <typename T, typename F>
void for_groups(const NormalizeProblem& p, const F& f) {
  const int64_t length = std::max<int64_t>(p.view[2] * p.view[3], 1);
  parallel_for(0, p.view[0] * p.view[1], std::max<int64_t>(kParallelGrain / length, 1),
               [&](int64_t first, int64_t last) {
                 detail::run_wide<T>([&] {
                   for (int64_t row = first; row < last; ++row) f(row, row % p.view[1]);
                 });
               });
}
/// f(first, last) for blocks of channels, over all samples. Blocks do not depend on the threads.
inline constexpr int64_t kNormalizeBlock = 512;
template <typename T, typename F>
void for_blocks(const NormalizeProblem& p, const F& f) {
  const int64_t channels = p.channels();
  const int64_t width = p.view[3] == 1 ? kNormalizeBlock : 1;
  const int64_t work = std::max<int64_t>(width * p.view[0] * p.view[3], 1);
  const int64_t blocks = (channels + width - 1) / width;
  parallel_for(0, blocks, std::max<int64_t>(kParallelGrain / work, 1),
               [&](int64_t first, int64_t last) {
                 detail::run_wide<T>([&] {
                   for (int64_t b = first; b < last; ++b)
                     f(b * width, std::min((b + 1) * width, channels));
                 });
               });
}

/// sums[k - first] += sum(k, start) for each stretch of entries of channels first .. last - 1.
template <typename Sum>
void sum_stretches(const NormalizeProblem& p, int64_t first, int64_t last, double* sums,
                   const Sum& sum) {
  for (int64_t n = 0; n < p.view[0]; ++n)
    for (int64_t k = first; k < last; ++k)
      sums[k - first] += sum(k, (n * p.channels() + k) * p.view[3]);
}
/// f(k)(place) at all places of these channels.
template <typename F>
void at_channels(const NormalizeProblem& p, int64_t first, int64_t last, const F& f) {
  const int64_t channels = p.channels(), entries = p.view[3];
  for (int64_t n = 0; n < p.view[0]; ++n) {
    if (entries == 1) {
      for (int64_t k = first; k < last; ++k) f(k)(n * channels + k);
      continue;
    }
    for (int64_t k = first; k < last; ++k) {
      const int64_t start = (n * channels + k) * entries;
      const auto each = f(k);
      for (int64_t i = 0; i < entries; ++i) each(start + i);
    }
  }
}

/// What at_channels needs of each channel of a block, side by side.
template <typename T>
struct Block {
  T high[kNormalizeBlock] = {}, low[kNormalizeBlock] = {}, r[kNormalizeBlock] = {};
  Block(int64_t first, int64_t last, const double* mean, const double* variance, double eps) {
    for (int64_t k = first; k < last; ++k) {
      const auto standard = Standardizer<T>::of(mean[k], variance[k], eps);
      high[k - first] = standard.high;
      low[k - first] = standard.low;
      r[k - first] = standard.r;
    }
  }
  Standardizer<T> operator[](int64_t k) const { return {high[k], low[k], r[k]}; }
};

/// Of so many entries blocks of T are summed sooner than each entry in double.
constexpr int64_t kLongStretch = 256;
template <typename T>
double sum_of_stretch(const T* x, int64_t n) {
  return n < kLongStretch ? sum_lanes<double>(n, [x](int64_t i) { return x[i]; })
                          : sum_of_row(x, n);
}

template <typename T>
double squares_in_double(const T* x, int64_t n, double mean) {
  return sum_lanes<double>(n, [x, mean](int64_t i) {
    const double deviation = static_cast<double>(x[i]) - mean;
    return deviation * deviation;
  });
}

/// The sum of (x - mean)^2. In float where its squares are not too small or large for that.
template <typename T>
double sum_of_squares(const T* x, int64_t n, double mean) {
  if constexpr (std::is_same_v<T, float>) {
    const auto from_mean = Standardizer<float>::of(mean, 1, 0);
    const double sum = sum_in_blocks<float>(n, [&](int64_t i) {
      const float deviation = from_mean(x[i]);
      return deviation * deviation;
    });
    if (sum >= 0x1p-100 * static_cast<double>(n) && std::isfinite(sum)) return sum;
  }
  return squares_in_double(x, n, mean);
}

template <typename T>
void groups(const T* x, const T* weight, const T* bias, T* result, double* mean, double* variance,
            const NormalizeProblem& p) {
  const int64_t channels = p.view[2], entries = p.view[3], length = channels * entries;
  for_groups<T>(p, [&](int64_t row, int64_t group) {
    const T* from = x + row * length;
    T* to = result + row * length;
    const double middle = sum_of_row(from, length) / static_cast<double>(length);
    const double spread = sum_of_squares(from, length, middle) / static_cast<double>(length);
    mean[row] = middle;
    variance[row] = spread;
    const auto standard = Standardizer<T>::of(middle, spread, p.eps);
    for_stretches(channels, entries, shifted(weight, group * channels),
                  shifted(bias, group * channels),
                  [&](int64_t first, int64_t count, auto w, auto b) {
                    for (int64_t i = 0; i < count; ++i)
                      to[first + i] = standard(from[first + i]) * w(i) + b(i);
                  });
  });
}

/// Mean and variance of channels first .. last - 1.
template <typename T>
void channel_statistics(const NormalizeProblem& p, int64_t first, int64_t last, const T* x,
                        double* mean, double* variance) {
  const double count = static_cast<double>(p.averaged());
  const int64_t entries = p.view[3];
  double sums[kNormalizeBlock] = {}, squares[kNormalizeBlock] = {};
  if (entries == 1)
    at_channels(p, first, last, [&, first](int64_t k) {
      return [=, sum = &sums[k - first]](int64_t at) { *sum += static_cast<double>(x[at]); };
    });
  else
    sum_stretches(p, first, last, sums,
                  [=](int64_t, int64_t start) { return sum_of_stretch(x + start, entries); });
  for (int64_t k = first; k < last; ++k) mean[k] = sums[k - first] / count;
  if (entries == 1)
    at_channels(p, first, last, [&, first](int64_t k) {
      return [=, middle = mean[k], sum = &squares[k - first]](int64_t at) {
        const double deviation = static_cast<double>(x[at]) - middle;
        *sum += deviation * deviation;
      };
    });
  else
    sum_stretches(p, first, last, squares, [=](int64_t k, int64_t start) {
      return entries < kLongStretch ? squares_in_double(x + start, entries, mean[k])
                                    : sum_of_squares(x + start, entries, mean[k]);
    });
  for (int64_t k = first; k < last; ++k) variance[k] = squares[k - first] / count;
}

template <typename T>
void channels(const T* x, const T* weight, const T* bias, T* result, double* mean, double* variance,
              const NormalizeProblem& p) {
  for_blocks<T>(p, [&](int64_t first, int64_t last) {
    channel_statistics(p, first, last, x, mean, variance);
    const Block<T> standard(first, last, mean, variance, p.eps);
    at_channels(p, first, last, [&, first](int64_t k) {
      return [=, standard = standard[k - first], w = weight ? weight[k] : T(1),
              b = bias ? bias[k] : T(0)](int64_t at) { result[at] = standard(x[at]) * w + b; };
    });
  });
}

void move(const Tensor& running, const Tensor& batch, double momentum, double factor) {
  if (!running.defined()) return;
  visit_floating(running.dtype(), [&]<typename T>() {
    T* const values = running.impl().data_as<T>();
    const double* const all = batch.impl().data_as<double>();
    for (int64_t k = 0; k < running.numel(); ++k)
      values[k] =
          static_cast<T>(moved_statistic(static_cast<double>(values[k]), all[k], momentum, factor));
  });
}

void normalize_forward(const Operation&, const Normalized& out, const Tensor& x,
                       const Tensor& weight, const Tensor& bias, const NormalizeProblem& p,
                       const Running& running) {
  visit_floating(x.dtype(), [&]<typename T>() {
    (p.by_channel ? channels<T> : groups<T>)(x.impl().data_as<T>(), data_or_null<T>(weight),
                                             data_or_null<T>(bias), out.result.impl().data_as<T>(),
                                             out.mean.impl().data_as<double>(),
                                             out.variance.impl().data_as<double>(), p);
  });
  move(running.mean, out.mean, running.momentum, 1);
  move(running.variance, out.variance, running.momentum, p.unbiased());
}

/// gradient = r (g w - mean(g w) - x^ mean(g w x^))
template <typename T>
void groups_gradient(const T* g, const T* x, const T* weight, const double* mean,
                     const double* variance, T* result, const NormalizeProblem& p) {
  const int64_t channels = p.view[2], entries = p.view[3], length = channels * entries;
  for_groups<T>(p, [&](int64_t row, int64_t group) {
    const T *from = x + row * length, *grad = g + row * length;
    T* to = result + row * length;
    const auto standard = Standardizer<T>::of(mean[row], variance[row], p.eps);
    const T* weights = shifted(weight, group * channels);
    double sum = 0, product = 0;
    for_stretches<T>(
        channels, entries, weights, nullptr, [&](int64_t first, int64_t count, auto w, auto) {
          sum += sum_in_blocks<T>(count, [&](int64_t i) { return grad[first + i] * w(i); });
          product += sum_in_blocks<T>(
              count, [&](int64_t i) { return grad[first + i] * w(i) * standard(from[first + i]); });
        });
    const T share = static_cast<T>(sum / static_cast<double>(length));
    const T slope = static_cast<T>(product / static_cast<double>(length));
    for_stretches<T>(
        channels, entries, weights, nullptr, [&](int64_t first, int64_t count, auto w, auto) {
          for (int64_t i = 0; i < count; ++i)
            to[first + i] =
                (grad[first + i] * w(i) - share - standard(from[first + i]) * slope) * standard.r;
        });
  });
}

/// sums[k - first] += the sum of g, and products[k - first] that of g x^, over these channels.
template <typename T>
void sum_products(const NormalizeProblem& p, int64_t first, int64_t last, const Block<T>& standard,
                  const T* g, const T* x, double* sums, double* products) {
  const int64_t entries = p.view[3];
  if (entries == 1)  // both in one pass over the rows
    return at_channels(p, first, last, [&, first](int64_t k) {
      return [=, standard = standard[k - first], sum = &sums[k - first],
              product = &products[k - first]](int64_t at) {
        *sum += static_cast<double>(g[at]);
        *product += static_cast<double>(g[at] * standard(x[at]));
      };
    });
  sum_stretches(p, first, last, sums,
                [=](int64_t, int64_t start) { return sum_of_stretch(g + start, entries); });
  sum_stretches(p, first, last, products, [&, first](int64_t k, int64_t start) {
    const auto product = [=, standard = standard[k - first]](int64_t i) {
      return g[start + i] * standard(x[start + i]);
    };
    return entries < kLongStretch ? sum_lanes<double>(entries, product)
                                  : sum_in_blocks<T>(entries, product);
  });
}

/// gradient = r w (g - mean(g) - x^ mean(g x^)), and what each channel's means were made of.
template <typename T>
void channels_gradient(const T* g, const T* x, const T* weight, const double* mean,
                       const double* variance, T* result, T* of_weight, T* of_bias,
                       const NormalizeProblem& p) {
  const double count = static_cast<double>(p.averaged());
  for_blocks<T>(p, [&](int64_t first, int64_t last) {
    double sums[kNormalizeBlock] = {}, products[kNormalizeBlock] = {};
    const Block<T> standard(first, last, mean, variance, p.eps);
    sum_products(p, first, last, standard, g, x, sums, products);
    for (int64_t k = first; of_weight && k < last; ++k)
      of_weight[k] = static_cast<T>(products[k - first]);
    for (int64_t k = first; of_bias && k < last; ++k) of_bias[k] = static_cast<T>(sums[k - first]);
    if (!result) return;
    T share[kNormalizeBlock], slope[kNormalizeBlock], factor[kNormalizeBlock];
    for (int64_t k = 0; k < last - first; ++k) {
      share[k] = static_cast<T>(sums[k] / count);
      slope[k] = static_cast<T>(products[k] / count);
      factor[k] = weight ? standard.r[k] * weight[first + k] : standard.r[k];
    }
    at_channels(p, first, last, [&, first](int64_t channel) {
      const int64_t k = channel - first;
      return [=, standard = standard[k], share = share[k], slope = slope[k], factor = factor[k]](
                 int64_t at) { result[at] = (g[at] - share - standard(x[at]) * slope) * factor; };
    });
  });
}

/// sums[k - first] += the sum of g x^ over channels k of groups with statistics of their own, of
/// one sample.
template <typename T, typename Sum>
void add_sample(const NormalizeProblem& p, int64_t n, int64_t first, int64_t last,
                const double* mean, const double* variance, const T* g, const T* x, Sum* sums) {
  const int64_t entries = p.view[3], start = n * p.channels() * entries;
  for (int64_t k = first; k < last;) {
    const int64_t group = k / p.view[2], end = std::min((group + 1) * p.view[2], last);
    const int64_t row = n * p.view[1] + group;
    const auto standard = Standardizer<T>::of(mean[row], variance[row], p.eps);
    if (entries == 1) {
      for (; k < end; ++k)
        sums[k - first] += static_cast<Sum>(g[start + k] * standard(x[start + k]));
      continue;
    }
    for (; k < end; ++k)
      sums[k - first] += static_cast<Sum>(sum_lanes<double>(entries, [&](int64_t i) {
        const int64_t at = start + k * entries + i;
        return g[at] * standard(x[at]);
      }));
  }
}

/// The same of all samples. Where channels lie side by side a few are added up in T first.
template <typename T>
void sum_over_groups(const NormalizeProblem& p, int64_t first, int64_t last, const double* mean,
                     const double* variance, const T* g, const T* x, double* sums) {
  constexpr int64_t kFew = 8;
  for (int64_t begin = 0; begin < p.view[0]; begin += kFew) {
    const int64_t end = std::min(begin + kFew, p.view[0]);
    if (p.view[3] != 1) {
      for (int64_t n = begin; n < end; ++n)
        add_sample(p, n, first, last, mean, variance, g, x, sums);
      continue;
    }
    T few[kNormalizeBlock] = {};
    detail::run_wide<T>([&] {
      for (int64_t n = begin; n < end; ++n)
        add_sample(p, n, first, last, mean, variance, g, x, few);
    });
    for (int64_t k = 0; k < last - first; ++k) sums[k] += static_cast<double>(few[k]);
  }
}

/// result[k] = the sum of g x^ over channel k, or below that of g.
template <typename T>
void weight_gradient(const T* g, const T* x, const double* mean, const double* variance, T* result,
                     const NormalizeProblem& p) {
  for_blocks<T>(p, [&](int64_t first, int64_t last) {
    double sums[kNormalizeBlock] = {};
    sum_over_groups(p, first, last, mean, variance, g, x, sums);
    for (int64_t k = first; k < last; ++k) result[k] = static_cast<T>(sums[k - first]);
  });
}
void bias_gradient(const Operation& op, const Tensor& result, const Tensor& grad,
                   const NormalizeProblem& p) {
  const Tensor seen = raw_alias(grad, Geometry(p.sizes()).at_offset(grad.storage_offset()));
  const Tensor sums = raw_sum(op, seen, reduced_dims(op, seen, {0, 3}, false));
  raw_copy(result, raw_alias(sums, Geometry(result.sizes())));
}

void normalize_gradient(const Operation& op, const NormalizeGradients& gradients,
                        const Tensor& grad, const Tensor& x, const Tensor& weight,
                        const Tensor& mean, const Tensor& variance, const NormalizeProblem& p) {
  if (layer_gradient(gradients, grad, x, weight, mean, variance, p)) return;
  visit_floating(x.dtype(), [&]<typename T>() {
    const T *g = grad.impl().data_as<T>(), *from = x.impl().data_as<T>();
    const double *middle = mean.impl().data_as<double>(),
                 *spread = variance.impl().data_as<double>();
    T* const of_x = data_or_null<T>(gradients.x);
    T* const of_weight = data_or_null<T>(gradients.weight);
    if (p.by_channel)
      return channels_gradient<T>(g, from, data_or_null<T>(weight), middle, spread, of_x, of_weight,
                                  data_or_null<T>(gradients.bias), p);
    if (of_x) groups_gradient<T>(g, from, data_or_null<T>(weight), middle, spread, of_x, p);
    if (of_weight) weight_gradient<T>(g, from, middle, spread, of_weight, p);
    if (gradients.bias.defined()) bias_gradient(op, gradients.bias, grad, p);
  });
}

}  // namespace

constinit NormalizeKernel normalize_kernel(normalize_forward);
constinit NormalizeGradientKernel normalize_gradient_kernel(normalize_gradient);

}  // namespace notape
