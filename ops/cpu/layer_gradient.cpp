#include "ops/cpu/layer_gradient.h"

#include <algorithm>
#include <atomic>
#include <cmath>

#include "ops/core/allocate.h"
#include "ops/cpu/lanes.h"
#include "ops/normalization/standardizer.h"
#include "ops/parallel.h"

namespace notape {
namespace {

struct LayerRow {
  int64_t length;
  const float *g, *x, *weight;
  float* result;
  Standardizer<float> standard;
  float *of_weight, *of_bias;  // what the row adds to is there
};

template <int Count>
using DoubleLanes [[gnu::vector_size(Count * sizeof(double))]] = double;

/// Sums of a few floats in each lane, added up in double.
template <int Lanes>
struct LayerSum {
  using Half = DoubleLanes<Lanes / 2>;
  Half low{}, high{};

  void add(const FloatLanes<Lanes>& few) {
    constexpr auto half = std::make_integer_sequence<int, Lanes / 2>();
    add_half<0>(low, few, half);
    add_half<Lanes / 2>(high, few, half);
  }
  double total() const {
    double sums[Lanes / 2], sum = 0;
    store(sums, low + high);
    for (double each : sums) sum += each;
    return sum;
  }

 private:
  template <int kFirst, int... k>
  static void add_half(Half& sum, const FloatLanes<Lanes>& few, std::integer_sequence<int, k...>) {
    sum += __builtin_convertvector(__builtin_shufflevector(few, few, (k + kFirst)...), Half);
  }
};

/// gradient = r (g w - mean(g w) - x^ mean(g w x^)). Whether both means are finite.
template <int Lanes>
[[gnu::always_inline]] inline bool layer_row(const LayerRow& row) {
  using Vector = FloatLanes<Lanes>;
  constexpr int64_t kFew = 4;  // vectors whose sum goes to double
  const int64_t n = row.length;
  const auto [high, low, r] = row.standard;
  LayerSum<Lanes> sums, products;
  int64_t i = 0;
  const auto take = [&](int64_t vectors) {
    Vector sum{}, product{};
    for (const int64_t end = i + vectors * Lanes; i < end; i += Lanes) {
      Vector g, x, weight, of_weight, of_bias;
      load(g, row.g + i);
      load(x, row.x + i);
      load(weight, row.weight + i);
      load(of_weight, row.of_weight + i);
      load(of_bias, row.of_bias + i);
      const Vector standard = ((x - high) - low) * r, weighted = g * weight;
      sum += weighted;
      product += weighted * standard;
      store(row.of_weight + i, of_weight + g * standard);
      store(row.of_bias + i, of_bias + g);
    }
    sums.add(sum);
    products.add(product);
  };
  while (i + kFew * Lanes <= n) take(kFew);
  while (i + Lanes <= n) take(1);
  double sum = sums.total(), product = products.total();
  for (; i < n; ++i) {
    const float standard = row.standard(row.x[i]), weighted = row.g[i] * row.weight[i];
    sum += static_cast<double>(weighted);
    product += static_cast<double>(weighted * standard);
    row.of_weight[i] += row.g[i] * standard;
    row.of_bias[i] += row.g[i];
  }
  const auto share = static_cast<float>(sum / static_cast<double>(n));
  const auto slope = static_cast<float>(product / static_cast<double>(n));
#ifndef __clang__  // which looks at run time whether they overlap
#pragma GCC ivdep
#endif
  for (int64_t k = 0; k < n; ++k)
    row.result[k] =
        (row.g[k] * row.weight[k] - share - row.standard(row.x[k]) * slope) * row.standard.r;
  return std::isfinite(sum) && std::isfinite(product);
}

/// What rows [first, last) add to the gradients of weight and bias (2, length): the sums of a few
/// rows in float, those of all in double. Without `result` the gradient of x is not kept.
bool layer_rows(LayerRow row, int64_t first, int64_t last, const double* mean,
                const double* variance, double eps, double* sums) {
  constexpr int64_t kFewRows = 8;
  const int64_t n = row.length;
  const Tensor few = allocate(IntArrayRef({3, n}), kFloat32, kCPU);
  row.of_weight = few.impl().data_as<float>();
  row.of_bias = row.of_weight + n;
  const bool keeps = row.result != nullptr;
  if (!keeps) row.result = row.of_bias + n;
  bool are_finite = true;
  std::fill_n(sums, 2 * n, 0.0);
  with_lanes([&]<int Lanes>() {
    for (int64_t begin = first; begin < last; begin += kFewRows) {
      std::fill_n(row.of_weight, 2 * n, 0.0f);
      for (int64_t k = begin; k < std::min(begin + kFewRows, last); ++k) {
        LayerRow here = row;
        here.g += k * n;
        here.x += k * n;
        if (keeps) here.result += k * n;
        here.standard = Standardizer<float>::of(mean[k], variance[k], eps);
        are_finite &= layer_row<Lanes>(here);
      }
      for (int64_t k = 0; k < 2 * n; ++k) sums[k] += static_cast<double>(row.of_weight[k]);
    }
  });
  return are_finite;
}

}  // namespace

bool layer_gradient(const NormalizeGradients& gradients, const Tensor& grad, const Tensor& x,
                    const Tensor& weight, const Tensor& mean, const Tensor& variance,
                    const NormalizeProblem& p) {
  const bool are_rows = !p.by_channel && p.view[1] == 1 && p.view[3] == 1 && x.numel() > 0;
  if (!are_rows || x.dtype() != kFloat32 || !weight.defined()) return false;
  constexpr int64_t kMostPieces = 16;
  const int64_t rows = p.view[0], n = p.view[2];
  const int64_t piece = std::max((rows + kMostPieces - 1) / kMostPieces, kParallelGrain / n + 1);
  const int64_t pieces = (rows + piece - 1) / piece;
  const Tensor sums = allocate(IntArrayRef({pieces, 2, n}), kFloat64, kCPU);
  double* const all = sums.impl().data_as<double>();
  const LayerRow row{
      .length = n,
      .g = grad.impl().data_as<float>(),
      .x = x.impl().data_as<float>(),
      .weight = weight.impl().data_as<float>(),
      .result = gradients.x.defined() ? gradients.x.impl().data_as<float>() : nullptr,
      .standard = {},
      .of_weight = nullptr,
      .of_bias = nullptr};
  std::atomic<bool> are_finite{true};
  parallel_for(0, pieces, 1, [&](int64_t first, int64_t last) {
    for (int64_t i = first; i < last; ++i)
      if (!layer_rows(row, i * piece, std::min((i + 1) * piece, rows),
                      mean.impl().data_as<double>(), variance.impl().data_as<double>(), p.eps,
                      all + i * 2 * n))
        are_finite.store(false, std::memory_order_relaxed);
  });
  for (int64_t i = 1; i < pieces; ++i)
    for (int64_t k = 0; k < 2 * n; ++k) all[k] += all[i * 2 * n + k];
  bool fit = are_finite;
  const auto keep = [&](const Tensor& gradient, const double* from) {
    for (int64_t k = 0; k < n; ++k) fit &= std::isfinite(from[k]);
    if (!gradient.defined()) return;
    float* const to = gradient.impl().data_as<float>();
    for (int64_t k = 0; k < n; ++k) to[k] = static_cast<float>(from[k]);
  };
  keep(gradients.weight, all);
  keep(gradients.bias, all + n);
  return fit;
}

}  // namespace notape
