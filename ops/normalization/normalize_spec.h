// Rows of normalisations: parameters, and the plain formula.
#pragma once
#include "ops/normalization/normalize.h"
#include "ops/spec/plain.h"
#include "ops/spec/row.h"

namespace notape {

/// x, then weight and bias if there are any.
struct DrawnAffine {
  bool weight, bias;

  explicit DrawnAffine(Draw& draw) : weight(draw.boolean()), bias(draw.boolean()) {}
  void add_to(OpCase& one, const std::vector<int64_t>& sizes) const {
    if (weight) one.arguments.push_back({.sizes = sizes});
    if (bias) one.arguments.push_back({.sizes = sizes});
    one.label += weight ? ", weight" : "";
    one.label += bias ? ", bias" : "";
  }
  template <typename Tensors>
  auto weight_of(const Tensors& x) const {
    return weight ? x[1] : typename Tensors::value_type();
  }
  template <typename Tensors>
  auto bias_of(const Tensors& x) const {
    return bias ? x.back() : typename Tensors::value_type();
  }
};

/// Calls f(place, statistic, channel) for all entries of the view, row-major.
template <typename F>
void for_each_normalized(const NormalizeProblem& p, F f) {
  const auto [N, G, C, I] = p.view;
  std::size_t place = 0;
  for (int64_t n = 0; n < N; ++n)
    for (int64_t g = 0; g < G; ++g)
      for (int64_t c = 0; c < C; ++c)
        for (int64_t i = 0; i < I; ++i) {
          const int64_t channel = g * C + c;
          f(place++, static_cast<std::size_t>(p.by_channel ? channel : n * G + g),
            static_cast<std::size_t>(channel));
        }
}

/// Mean and variance of each group.
template <typename T>
std::array<std::vector<T>, 2> plain_statistics(const PlainTensor<T>& x, const NormalizeProblem& p) {
  const DimVector sizes = p.statistic_sizes();
  const auto groups = static_cast<std::size_t>(sizes[0] * sizes[1] * sizes[2]);
  const T count = T(static_cast<double>(p.averaged()));
  std::array<std::vector<T>, 2> result{std::vector<T>(groups, T(0)), std::vector<T>(groups, T(0))};
  auto& [mean, variance] = result;
  for_each_normalized(
      p, [&](std::size_t at, std::size_t s, std::size_t) { mean[s] += x.values[at] / count; });
  for_each_normalized(p, [&](std::size_t at, std::size_t s, std::size_t) {
    variance[s] += (x.values[at] - mean[s]) * (x.values[at] - mean[s]) / count;
  });
  return result;
}

template <typename T>
PlainTensor<T> plain_normalize(const PlainTensor<T>& x, const PlainTensor<T>& weight,
                               const PlainTensor<T>& bias, const NormalizeProblem& p) {
  PlainTensor<T> result(x.sizes);
  const auto statistics = plain_statistics(x, p);
  for_each_normalized(p, [&](std::size_t at, std::size_t s, std::size_t c) {
    T value = (x.values[at] - statistics[0][s]) / math::sqrt(statistics[1][s] + T(p.eps));
    if (!weight.values.empty()) value *= weight.values[c];
    if (!bias.values.empty()) value += bias.values[c];
    result.values[at] = value;
  });
  return result;
}

}  // namespace notape
