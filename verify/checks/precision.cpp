#include "verify/checks/precision.h"

#include <algorithm>
#include <cmath>

#include "autograd/modes/grad_mode.h"
#include "verify/numeric/thresholds.h"
#include "verify/numeric/tolerance.h"

namespace notape::verify {
namespace {

/// jitter() without a numeric leg fine enough to see it: from how far the subject's own
/// number moves over the points of noise_point(), some 2^37 units in the last place apart.
double opaque_jitter(const Subject& subject, const Measurement& measure) {
  const EnableGradGuard recording;
  double most = 0;
  const Wide here =
      measure.native(subject, noise_point(subject.drawn, subject.incoming(), kFloat64, 0));
  for (std::size_t k = 1; k < kNoiseSamples; ++k) {
    const NoisePoint point = noise_point(subject.drawn, subject.incoming(), kFloat64, k);
    most = std::max(most, static_cast<double>(magnitude(measure.native(subject, point) - here)));
  }
  return 0x1p-37 * most;
}

/// How far the true number moves when inputs and incoming gradient do by a unit in the last place.
double jitter(const Subject& subject, const Measurement& measure) {
  if (!measure.numeric) return opaque_jitter(subject, measure);
  constexpr uint32_t kStream = 1 << 23;
  const Wide here = measure.numeric(subject.wide(), subject.incoming());
  double most = 0;
  for (int round = 0; round < kJitterRounds; ++round) {
    Numbers v = subject.incoming();
    for (std::size_t i = 0; i < v.size(); ++i)
      v[i] *= 1 + (keyed_bits(subject.drawn.key, kStream, i) >> round & 1 ? 0x1p-52 : -0x1p-52);
    const WideList x = jittered(subject.drawn, epsilon_of(kFloat64), round);
    most = std::max(most, static_cast<double>(magnitude(measure.numeric(x, v) - here)));
  }
  return most;
}

/// The largest difference between the two dtypes over the points; infinite if float32 has no say.
double float32_error(const Subject& subject, const Measurement& measure) {
  const EnableGradGuard recording;
  double most = 0;
  try {
    const Subject twin(subject.spec, subject.drawn, kFloat32, subject.device);
    for (std::size_t k = 0; k < kNoiseSamples; ++k) {
      const NoisePoint point =
          rounded(noise_point(subject.drawn, subject.incoming(), kFloat64, k), kFloat32);
      const auto error =
          static_cast<double>(measure.native(twin, point) - measure.native(subject, point));
      if (!std::isfinite(error)) return HUGE_VAL;
      most = std::max(most, std::abs(error));
    }
  } catch (const std::exception&) {
    return HUGE_VAL;  // an operator of one dtype
  }
  return most;
}

/// The k-th point, but `share` times as far away.
NoisePoint nearer_point(const Subject& subject, std::size_t k, double share) {
  NoisePoint point = noise_point(subject.drawn, subject.incoming(), subject.dtype, k);
  const auto come_nearer = [&](Numbers& values, const Numbers& here) {
    for (std::size_t i = 0; i < values.size(); ++i)
      if (std::isfinite(here[i])) values[i] = here[i] + share * (values[i] - here[i]);
  };
  for (std::size_t a = 0; a < point.values.size(); ++a)
    come_nearer(point.values[a], subject.drawn.arguments[a].values);
  come_nearer(point.incoming, subject.incoming());
  return point;
}

/// The number at the points, less what it is at the point itself.
Numbers samples_nearby(const Subject& subject, const Measurement& measure, double share) {
  const EnableGradGuard recording;
  Numbers samples;
  const Wide here = measure.native(subject, nearer_point(subject, 0, share));
  for (std::size_t k = 0; k < kNoiseSamples; ++k)
    samples.push_back(static_cast<double>(
        k == 0 ? Wide(0) : measure.native(subject, nearer_point(subject, k, share)) - here));
  return samples;
}

/// A number that is another one at the point itself than all around it, where it hardly scatters,
/// jumps there: that is no noise, which points so near that a smooth number hardly moves on the way
/// would show, too. (Points that are very near meet what a formula loses beside its own special
/// value; those that are not so near do not.)
double noise_around(const Subject& subject, const Measurement& measure, double noise) {
  const bool single = subject.dtype != kFloat64;
  double nearer = HUGE_VAL;  // how far the number moves on the way to nearer points
  for (const double share :
       {single ? 0x1p-9 : 0x1p-30, single ? 0x1p-5 : 0x1p-20, single ? 0x1p-2 : 0x1p-10}) {
    const Numbers samples = samples_nearby(subject, measure, share);
    if (!std::all_of(samples.begin(), samples.end(), [](double one) { return std::isfinite(one); }))
      return noise;
    const auto [least, most] = std::minmax_element(samples.begin() + 1, samples.end());
    const double scatter = *most - *least, jump = std::max(*least, -*most);
    // (A stair that begins further away is no jump.)
    if (jump > kNoiseAtJump * scatter && jump <= 2 * nearer) return std::min(noise, scatter);
    nearer = std::min(nearer, std::max(*most, -*least));
  }
  return noise;
}

}  // namespace

double foretold_noise(const Subject& subject, const Measurement& measure) {
  if (subject.dtype == kFloat64) return 0;
  const EnableGradGuard recording;
  double samples[kNoiseSamples], noise = 0;
  try {
    const Subject twin(subject.spec, subject.drawn, kFloat64, subject.device);
    Wide first = 0;
    for (std::size_t k = 0; k < kNoiseSamples; ++k) {
      const NoisePoint point = noise_point(subject.drawn, subject.incoming(), kFloat64, k);
      const Wide value = measure.native(twin, point);
      if (k == 0) first = value;
      samples[k] = static_cast<double>(value - first);
    }
    noise = noise_around(twin, measure, subject.noise_fit()(samples));
  } catch (const std::exception&) {
    return 0;  // an operator of one dtype
  }
  return epsilon_of(subject.dtype) / epsilon_of(kFloat64) * noise;
}

double noise_nearby(const Subject& subject, const Measurement& measure, double share) {
  return noise_around(subject, measure,
                      subject.noise_fit()(samples_nearby(subject, measure, share)));
}

double excused_noise(const Subject& subject, const Measurement& measure, double noise,
                     double scale) {
  // Noise below the gate hides nothing.
  if (kNoiseFactor * noise <= power_gate(subject.dtype) * scale) return noise;
  noise = noise_around(subject, measure, noise);
  // That far above 2^-24 is cancellation in float32, too.
  const bool dubious =
      kNoiseFactor * noise > power_gate(kFloat64) * scale && noise < 0x1p-16 * scale;
  if (subject.dtype != kFloat64 || !dubious) return noise;
  if (noise <= 64 * jitter(subject, measure)) return noise;
  // Where all is e^-400, float32 has no numbers to be off with.
  if (kFloat32Ratio * noise < smallest_of(kFloat32)) return noise;
  // A formula that cancels so much in float64 loses nearly all digits in float32. There, errors
  // small beside the result and absurdly small beside the predicted ones are no good luck at 16
  // points. (2^16 is a margin for operators that add up float32 numbers in float64.)
  const double error = float32_error(subject, measure);
  const bool cancels = error > 0x1p-12 * scale || error > 0x1p-16 * kFloat32Ratio * noise;
  return cancels ? noise : std::min(noise, 64 / kFloat32Ratio * error);
}

}  // namespace notape::verify
