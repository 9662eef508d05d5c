#include "verify/checks/twin_noise.h"

#include <algorithm>
#include <cmath>

#include "verify/numeric/thresholds.h"
#include "verify/numeric/tolerance.h"

namespace notape::verify {
namespace {

/// The standard deviation of what is no quintic in each error.
Numbers scatter_of(const Subject& subject, const ErrorsAt& errors) {
  std::vector<Numbers> samples;
  for (std::size_t k = 0; k < kNoiseSamples; ++k)
    samples.push_back(errors(
        subject,
        rounded(noise_point(subject.drawn, subject.incoming(), subject.dtype, k), subject.dtype)));
  Numbers scatter;
  for (std::size_t i = 0; i < samples[0].size(); ++i) {
    double own[kNoiseSamples];
    for (std::size_t k = 0; k < kNoiseSamples; ++k) own[k] = samples[k][i];
    const double one = subject.noise_fit()(own);
    scatter.push_back(std::isfinite(one) ? one : 0);
  }
  return scatter;
}

}  // namespace

WideList wide_at(const Subject& subject, const NoisePoint& point) {
  DrawnCase moved = subject.drawn;
  for (std::size_t a = 0; a < moved.arguments.size(); ++a)
    moved.arguments[a].values = point.values[a];
  return wide_values(moved);
}

Numbers excused_scatter(const Subject& subject, const ErrorsAt& errors) {
  Numbers scatter = scatter_of(subject, errors);
  const ScalarType other = subject.dtype != kFloat64 ? kFloat64 : kFloat32;
  const double ratio = epsilon_of(subject.dtype) / epsilon_of(other);
  Numbers predicted(scatter.size(), 0);
  try {
    const Subject twin(subject.spec, subject.drawn, other, subject.device);
    predicted = scatter_of(twin, errors);
  } catch (const std::exception&) {
    return predicted;  // an operator of one dtype has no excuse
  }
  for (std::size_t i = 0; i < scatter.size(); ++i)
    scatter[i] = std::min(scatter[i], kAlikeScatter * ratio * predicted[i]);
  return scatter;
}

}  // namespace notape::verify
