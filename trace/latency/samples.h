// What a figure was in each of several batches.
#pragma once
#include <cstddef>
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

/// a[i] - b[i] of batches that took turns, as far as both go.
std::vector<double> paired_differences(const std::vector<double>& a, const std::vector<double>& b);
/// a[i] / b[i].
std::vector<double> paired_ratios(const std::vector<double>& a, const std::vector<double>& b);

/// The quantile of numbers of which there is at least one.
double sample_quantile(std::vector<double> numbers, std::size_t percent);

}  // namespace notape::trace
