#include "trace/latency/samples.h"

#include <cmath>
#include <numeric>

namespace notape::trace {

namespace {

/// Of numbers of which there is at least one.
double sample_quantile(std::vector<double> numbers, std::size_t percent) {
  const std::size_t index = std::min(numbers.size() - 1, numbers.size() * percent / 100);
  const auto place = numbers.begin() + static_cast<std::ptrdiff_t>(index);
  std::nth_element(numbers.begin(), place, numbers.end());
  return *place;
}

}  // namespace

Samples make_samples(std::vector<double> ns) {
  Samples result;
  if (ns.empty()) return result;
  result.minimum = *std::min_element(ns.begin(), ns.end());
  result.median = sample_quantile(ns, 50);
  result.p95 = sample_quantile(ns, 95);
  result.mean = std::accumulate(ns.begin(), ns.end(), 0.0) / static_cast<double>(ns.size());
  std::vector<double> deviations;
  for (const double value : ns) deviations.push_back(std::abs(value - result.median));
  result.mad = sample_quantile(std::move(deviations), 50);
  result.ns = std::move(ns);
  return result;
}

}  // namespace notape::trace
