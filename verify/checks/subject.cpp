#include "verify/checks/subject.h"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <utility>

#include "autograd/autograd.h"
#include "verify/checks/opaque_reference.h"
#include "verify/generate/values.h"
#include "verify/numeric/rounding_modes.h"
#include "verify/numeric/tolerance.h"
#include "verify/plugin/declared_call.h"
#include "verify/plugin/foreign_case.h"

namespace notape::verify {
namespace {

/// +-1, or +-[0.5, 1.5) exact in every dtype's mantissa. Where only few cases come, as of functions
/// of users', never +-1: a rule that rounds to float32 would not show. In bfloat16, which carries
/// types of 8 bits, too, theirs are numbers of all of these.
Numbers make_incoming(uint32_t key, std::size_t count, ScalarType dtype, bool few_cases) {
  constexpr uint32_t kStream = 1 << 20;
  const bool plain = !few_cases && keyed_bits(key, kStream, 0) & 1;
  Numbers result(count);
  for (std::size_t i = 0; i < count; ++i) {
    const uint32_t bits = keyed_bits(key, kStream, i + 1);
    double size = plain ? 1 : 0.5 + (bits >> 1) * 0x1p-31;
    size = round_to(size, dtype);
    if (const double unit = size < 1 ? 8 : 4; few_cases && dtype == kBFloat16)
      size = std::round(size * unit) / unit;
    result[i] = bits & 1 ? size : -size;
  }
  return result;
}

/// Whether it is a number of float32. What a rule has rounded to that last is no noise of float64:
/// in other modes it does not underflow, for instance.
bool is_single(double number) { return static_cast<double>(static_cast<float>(number)) == number; }

template <typename Entries>
Numbers noise_per_entry(const NoiseFit& fit, const std::vector<Run>& runs, const Entries& entries) {
  const Numbers& first = entries(runs[0]);
  Numbers result(first.size());
  for (std::size_t i = 0; i < first.size(); ++i) {
    double samples[kNoiseSamples];
    for (std::size_t k = 0; k < kNoiseSamples; ++k) samples[k] = entries(runs[k])[i];
    result[i] = fit(samples);
  }
  return result;
}

/// Of a gradient in which all terms cancel, a few roundings of the incoming one are left, or
/// luckily none: as of x / |x|. Where no rounding mode shows them, numbers of no sign of their own
/// do.
void add_what_cancels(const Subject& subject, const std::vector<Run>& runs, std::size_t argument,
                      Numbers& noise) {
  if (!subject.is_opaque() || modes_reach(subject.device)) return;
  double largest = 0;
  for (const double one : subject.incoming())
    if (std::isfinite(one)) largest = std::max(largest, std::abs(one));
  const double unit = epsilon_of(subject.dtype) * largest;
  for (std::size_t i = 0; i < noise.size(); ++i) {
    double least = HUGE_VAL, most = -HUGE_VAL;
    for (const Run& run : runs) {
      least = std::min(least, run.gradients[argument][i]);
      most = std::max(most, run.gradients[argument][i]);
    }
    if (least <= 0 && most >= 0 && std::max(-least, most) <= kNoiseFactor * unit)
      noise[i] = std::max(noise[i], unit);
  }
}

}  // namespace

Subject::Subject(const OpSpec& operator_spec, const DrawnCase& drawn_case, ScalarType type,
                 Device where)
    : spec(operator_spec), drawn(drawn_case), dtype(type), device(where), noise_fit_(drawn.key) {
  for (std::size_t a = 0; a < drawn.arguments.size(); ++a)
    if (drawn.arguments[a].is_real()) real_.push_back(a);
  wide_ = wide_values(drawn);
  const NoGradGuard no_grad;
  const Tensor output = drawn.op.call(inputs(0));
  output_sizes_ = output.sizes().vec();
  floating_output_ = output.is_floating_point();
  incoming_ = make_incoming(drawn.key, static_cast<std::size_t>(output.numel()), dtype,
                            /*few_cases=*/is_opaque());
  repeat_along(incoming_, output_sizes_, expanded_dim(drawn.incoming, output_sizes_));
}

variable_list Subject::active_of(const variable_list& inputs) const {
  variable_list active;
  for (std::size_t a : real_) active.push_back(inputs[a]);
  return active;
}

int64_t Subject::real_entries() const {
  int64_t count = 0;
  for (std::size_t a : real_) count += static_cast<int64_t>(drawn.arguments[a].values.size());
  return count;
}

bool Subject::is_differentiable() const {
  return spec.order > 0 && floating_output_ && !real_.empty();
}

bool Subject::is_elementwise() const { return std::strcmp(spec.family, "elementwise") == 0; }

variable_list Subject::inputs(ArgumentMask active, Placement placement,
                              const std::vector<Numbers>* values) const {
  variable_list result;
  for (std::size_t a = 0; a < drawn.arguments.size(); ++a) {
    const DrawnArgument& one = drawn.arguments[a];
    const Layout layout = placement == Placement::AsDrawn ? one.layout : Layout{};
    result.push_back(make_tensor(values ? (*values)[a] : one.values, one.argument.sizes,
                                 one.dtype(dtype), device, layout));
    if (one.is_real() && (active >> a & 1)) result.back().requires_grad_(true);
  }
  return result;
}

variable_list Subject::inputs(const std::vector<Layout>& layouts,
                              const std::vector<Numbers>& values) const {
  variable_list result;
  for (std::size_t a = 0; a < layouts.size(); ++a) {
    const DrawnArgument& one = drawn.arguments[a];
    result.push_back(
        make_tensor(values[a], one.argument.sizes, one.dtype(dtype), device, layouts[a]));
    if (one.is_real()) result.back().requires_grad_(true);
  }
  return result;
}

Tensor Subject::incoming_tensor(Placement placement) const {
  return make_tensor(incoming_, output_sizes_, dtype, device,
                     placement == Placement::AsDrawn ? drawn.incoming : Layout{});
}

Tensor Subject::output_tensor(const Numbers& values) const {
  return make_tensor(values, output_sizes_, dtype, device);
}

Run Subject::run_of(const Tensor& output, const variable_list& gradients) const {
  const std::size_t count = drawn.arguments.size();
  Run run{output.sizes().vec(), numbers_of(output), std::vector<Numbers>(count),
          std::vector<bool>(count, false)};
  for (std::size_t i = 0; i < gradients.size(); ++i) {
    if (!gradients[i].defined()) continue;
    run.defined[real_[i]] = true;
    run.gradients[real_[i]] = numbers_of(gradients[i]);
  }
  return run;
}

Run Subject::run(const variable_list& inputs, const Tensor& incoming) const {
  const Tensor output = drawn.op.call(inputs);
  variable_list wanted, gradients(real_.size());
  std::vector<std::size_t> which;
  for (std::size_t i = 0; i < real_.size(); ++i) {
    if (!inputs[real_[i]].requires_grad()) continue;
    wanted.push_back(inputs[real_[i]]);
    which.push_back(i);
  }
  if (wanted.empty() || !output.requires_grad()) return run_of(output, {});
  const auto found = autograd::grad({output}, wanted, {incoming}, false, false, true);
  for (std::size_t i = 0; i < which.size(); ++i) gradients[which[i]] = found[i];
  return run_of(output, gradients);
}

const Run& Subject::base() const {
  const EnableGradGuard recording;
  if (!base_) base_ = run(inputs(), incoming_tensor());
  return *base_;
}

const std::vector<Run>& Subject::noise_runs() const {
  if (noise_runs_.empty()) {
    std::vector<Run> runs = {base()};  // all or none: a later one may throw
    for (std::size_t k = 1; k < kNoiseSamples; ++k) {
      const NoisePoint point = noise_point(drawn, incoming_, dtype, k);
      runs.push_back(run(inputs(kAllArguments, Placement::Contiguous, &point.values),
                         output_tensor(point.incoming)));
    }
    noise_runs_ = std::move(runs);
  }
  return noise_runs_;
}

double Subject::projected_noise(const Direction& u) const {
  // Differences of nearly equal sums: 64 bits show them, and are much faster than 113.
  const auto sum = [&](const Run& run) {
    long double result = 0;
    for (std::size_t a = 0; a < u.parts.size(); ++a)
      for (std::size_t i = 0; i < std::min(u.parts[a].size(), run.gradients[a].size()); ++i)
        if (u.parts[a][i] != 0)
          result += static_cast<long double>(u.parts[a][i]) * run.gradients[a][i];
    return result;
  };
  const long double here = sum(base());
  double samples[kNoiseSamples];
  for (std::size_t k = 0; k < kNoiseSamples; ++k)
    samples[k] = static_cast<double>(sum(noise_runs()[k]) - here);
  return noise_fit_(samples);
}

Numbers Subject::output_noise() const {
  return noise_per_entry(noise_fit_, noise_runs(),
                         [](const Run& run) -> const Numbers& { return run.output; });
}

Numbers Subject::gradient_noise(std::size_t argument) const {
  Numbers noise = noise_per_entry(noise_fit_, noise_runs(), [=](const Run& run) -> const Numbers& {
    return run.gradients[argument];
  });
  const Numbers& rounding = gradient_rounding(argument);
  for (std::size_t i = 0; i < std::min(noise.size(), rounding.size()); ++i)
    noise[i] = std::max(noise[i], kRoundingShare * rounding[i]);
  add_what_cancels(*this, noise_runs(), argument, noise);
  return noise;
}

const Numbers& Subject::gradient_rounding(std::size_t argument) const {
  if (!roundings_.empty()) return roundings_[argument];
  roundings_.resize(drawn.arguments.size());
  if (!is_opaque() || !modes_reach(device)) return roundings_[argument];
  const auto all_of = [](const Run& run) {
    Numbers all;
    for (const Numbers& one : run.gradients) all.insert(all.end(), one.begin(), one.end());
    return all;
  };
  const EnableGradGuard recording;
  const Numbers nearest = all_of(base());
  const Numbers spread =
      spread_over_modes([&] { return all_of(run(inputs(), incoming_tensor())); }, nearest);
  double largest = 1;
  for (const Numbers* numbers : {&nearest, &incoming_})
    for (double number : *numbers)
      if (std::isfinite(number)) largest = std::max(largest, std::abs(number));
  std::size_t next = 0;
  for (std::size_t a = 0; a < roundings_.size() && !spread.empty(); ++a)
    for (std::size_t i = 0; i < base().gradients[a].size(); ++i, ++next) {
      const bool is_wild = !(spread[next] <= kWild * epsilon_of(dtype) * largest);
      const bool is_of_float32 =
          dtype == kFloat64 && is_single(nearest[next]) && is_single(spread[next]);
      roundings_[a].push_back(is_wild || is_of_float32 ? 0 : spread[next]);
    }
  return roundings_[argument];
}

int64_t Subject::atomic_terms() const {
  if (const auto* call = drawn.op.call.target<DeclaredCall>()) return call->atomic_terms;
  const ForeignCase* one = foreign_case_of(drawn);
  return one ? one->declaration->atomic_terms() : 0;
}

double Subject::atomic_radius(double result) const {
  const auto terms = static_cast<double>(atomic_terms());
  if (terms == 0 || !std::isfinite(result)) return 0;
  const double wander = 4 * std::sqrt(terms) * largest_term();
  return terms * epsilon_of(dtype) * (std::abs(result) + wander) + smallest_of(dtype);
}

/// By how much numbers move when a single entry of an argument is another one of its range: a term
/// is no larger, for most of them.
double Subject::largest_term() const {
  if (largest_term_) return *largest_term_;
  constexpr uint32_t kStream = (1 << 25) + 7, kTries = 16;
  const EnableGradGuard recording;
  const Run here = run(inputs(), incoming_tensor());
  double most = 0;
  const auto compare = [&](const Numbers& a, const Numbers& b) {
    for (std::size_t i = 0; i < std::min(a.size(), b.size()); ++i)
      if (const double apart = std::abs(a[i] - b[i]); std::isfinite(apart))
        most = std::max(most, apart);
  };
  std::vector<Numbers> values;
  for (const DrawnArgument& one : drawn.arguments) values.push_back(one.values);
  for (const std::size_t a : real_)
    for (uint32_t k = 0; k < kTries && !values[a].empty(); ++k) {
      const Domain& domain = drawn.arguments[a].argument.domain;
      const double share = keyed_bits(drawn.key, kStream, 2 * k + 1) * 0x1p-32;
      double& entry = values[a][keyed_bits(drawn.key, kStream, 2 * k) % values[a].size()];
      const double before =
          std::exchange(entry, round_to(domain.low + share * (domain.high - domain.low), dtype));
      const Run there =
          run(inputs(kAllArguments, Placement::Contiguous, &values), incoming_tensor());
      entry = before;
      compare(here.output, there.output);
      for (const std::size_t other : real_) compare(here.gradients[other], there.gradients[other]);
    }
  return *(largest_term_ = most);
}

WideTensor Subject::reference(const WideList& x) const {
  return is_opaque() ? opaque_reference(*this, x) : drawn.op.reference(x);
}

Wide Subject::allowance(const Direction& u, Wide derivative) const {
  if (drawn.op.atol == 0 && drawn.op.rtol == 0) return 0;
  Wide sum = 0;
  for (const Numbers& part : u.parts)
    for (double entry : part) sum += magnitude(Wide(entry));
  return Wide(drawn.op.atol) * sum + Wide(drawn.op.rtol) * magnitude(derivative);
}

Wide Subject::likely_size(const Direction& u, Wide derivative) const {
  if (drawn.op.rtol == 0) return 0;
  const Sample terms = weighted_sum(u, base().gradients);
  double root = 0;
  for (std::size_t a = 0; a < u.parts.size(); ++a)
    for (std::size_t i = 0; i < std::min(u.parts[a].size(), base().gradients[a].size()); ++i)
      root = std::hypot(root, u.parts[a][i] * base().gradients[a][i]);
  return std::min(terms.magnitude, magnitude(derivative) + Wide(kAlikeScatter * root));
}

double Subject::power_gate() const {
  if (drawn.op.atol > 0 || drawn.op.rtol > 0) return HUGE_VAL;  // its user wants no better
  const double gate = verify::power_gate(dtype);
  return is_opaque() ? std::max(gate, kOpaquePowerGate) : gate;
}

double Subject::quick_power_gate() const {
  return std::min(power_gate(), std::max(verify::power_gate(dtype), kQuickPowerGate));
}

Path Subject::path(const Direction& u, const WideList& from, const Numbers& v) const {
  return [this, &u, &from, &v](Wide t) {
    WideList x = from;
    move(x, u, t);
    return weighted_result(v, reference(x), x);
  };
}

}  // namespace notape::verify
