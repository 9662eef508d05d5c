// What a figure was in each of several batches.
#pragma once
#include <algorithm>
#include <cstddef>
#include <utility>
#include <vector>

namespace notape::trace {

/// ns per operation, one number per batch. Quantiles are always one of the numbers, that at index
/// min(n - 1, floor(n * percent / 100)) of the sorted ones.
struct Samples {
  std::vector<double> ns;  ///< in the order of the batches
  double minimum = 0;
  double median = 0;
  double p95 = 0;
  double mean = 0;
  double mad = 0;  ///< median absolute deviation from the median

  bool empty() const { return ns.empty(); }
};

/// Without numbers all figures are 0.
Samples make_samples(std::vector<double> ns);

/// f(a[i], b[i]) of batches that took turns, as far as both go.
template <typename F>
Samples paired(const Samples& a, const Samples& b, F f) {
  std::vector<double> ns;
  for (std::size_t i = 0; i < std::min(a.ns.size(), b.ns.size()); ++i)
    ns.push_back(f(a.ns[i], b.ns[i]));
  return make_samples(std::move(ns));
}

}  // namespace notape::trace
