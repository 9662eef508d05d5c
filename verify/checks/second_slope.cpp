#include "verify/checks/second_slope.h"

#include "autograd/autograd.h"
#include "verify/checks/exact_slope.h"

namespace notape::verify {
namespace {

/// What is linear in the incoming gradient, for v + t q.
template <typename F>
Sample with_moving(const SecondProbe& probe, Wide t, const Numbers& v, F of_incoming) {
  Sample sum = of_incoming(v);
  if (probe.q.empty()) return sum;
  const Sample more = of_incoming(probe.q);
  return sum += {t * more.value, magnitude(t) * more.magnitude};
}

/// The exact slope along w as a function of t, <v + t q, J(x + t u) w>, so that only one derivative
/// is left to steps. None if it is not sure.
std::optional<Slope> slope_of_exact(const Subject& subject, const SecondProbe& probe, bool quick,
                                    const WideList& from, const Numbers& v) {
  const auto here = exact_slope(subject, probe.w, from, v);
  if (!here || !here->is_sure()) return {};
  return slope(
      [&](Wide t) {
        WideList x = from;
        move(x, probe.u, t);
        return with_moving(probe, t, v, [&](const Numbers& incoming) {
          return exact_slope(subject, probe.w, x, incoming)->value;
        });
      },
      uncrossing(subject, probe.u, quick ? kQuick : kThorough));
}

/// Zeros for an argument that has no part in u.
Numbers part_of(const Subject& subject, const Direction& u, std::size_t argument) {
  return u.parts[argument].empty() ? Numbers(subject.drawn.arguments[argument].values.size())
                                   : u.parts[argument];
}

}  // namespace

SecondRun second_run(const Subject& subject, const SecondProbe& probe, const NoisePoint* point) {
  const variable_list inputs =
      subject.inputs(kAllArguments, Placement::Contiguous, point ? &point->values : nullptr);
  const Tensor incoming =
      subject.output_tensor(point ? point->incoming : subject.incoming()).requires_grad_(true);
  const Tensor output = subject.drawn.op.call(inputs);
  variable_list leaves = subject.active_of(inputs);
  Direction along;
  SecondRun result;
  result.entries.resize(inputs.size());
  if (!output.requires_grad()) return result;
  const auto first = autograd::grad({output}, leaves, {incoming}, true, true, true);
  variable_list roots, weights;
  for (std::size_t i = 0; i < first.size(); ++i) {
    if (!first[i].defined() || !first[i].requires_grad()) continue;
    const std::size_t a = subject.real_arguments()[i];
    roots.push_back(first[i]);
    weights.push_back(make_tensor(part_of(subject, probe.w, a),
                                  subject.drawn.arguments[a].argument.sizes, subject.dtype,
                                  subject.device));
  }
  result.attached = !roots.empty();
  if (roots.empty()) return result;
  leaves.push_back(incoming);
  const auto second = autograd::grad(roots, leaves, weights, false, false, true);
  std::vector<Numbers> gradients;
  for (std::size_t i = 0; i < second.size(); ++i) {
    gradients.push_back(second[i].defined() ? numbers_of(second[i]) : Numbers());
    if (i + 1 < second.size()) result.entries[subject.real_arguments()[i]] = gradients.back();
    along.parts.push_back(i + 1 < second.size() ? probe.u.parts[subject.real_arguments()[i]]
                                                : probe.q);
  }
  result.slope = weighted_sum(along, gradients);
  return result;
}

DoublePath gradient_path(const Subject& wide, const SecondProbe& probe, const Numbers& v) {
  const auto at = [&wide, probe, v](double t) -> Evaluation {
    Numbers incoming = v;
    for (std::size_t i = 0; i < probe.q.size(); ++i) incoming[i] += t * probe.q[i];
    return [&wide, values = point_along(wide.drawn, probe.u, t), incoming] {
      const EnableGradGuard recording;
      const Run run = wide.run(wide.inputs(kAllArguments, Placement::Contiguous, &values),
                               wide.output_tensor(incoming));
      Numbers all;
      for (std::size_t a : wide.real_arguments()) {
        const Numbers none(run.defined[a] ? 0 : wide.drawn.arguments[a].values.size());
        all.insert(all.end(), run.gradients[a].begin(), run.gradients[a].end());
        all.insert(all.end(), none.begin(), none.end());
      }
      return all;
    };
  };
  Numbers weights;
  for (std::size_t a : wide.real_arguments()) {
    const Numbers part = part_of(wide, probe.w, a);
    weights.insert(weights.end(), part.begin(), part.end());
  }
  return path_of(at, std::move(weights), wide.device);
}

Slope second_slope(const Subject& subject, const SecondProbe& probe, Steps steps,
                   const WideList& from, const Numbers& v) {
  if (const auto exact = slope_of_exact(subject, probe, steps.first == kQuickMixed.first, from, v))
    return *exact;
  return mixed_slope(
      [&](Wide s, Wide t) {
        WideList x = from;
        move(x, probe.w, s);
        move(x, probe.u, t);
        const WideTensor y = subject.reference(x);
        return with_moving(
            probe, t, v, [&](const Numbers& incoming) { return weighted_result(incoming, y, x); });
      },
      steps);
}

Measurement second_measurement(const Subject& here, const SecondProbe& probe) {
  return {.native =
              [&probe](const Subject& subject, const NoisePoint& point) {
                return second_run(subject, probe, &point).slope.value;
              },
          .numeric =
              [&](const WideList& x, const Numbers& v) {
                return second_slope(here, probe, kQuickMixed, x, v).value;
              }};
}

std::optional<SecondProbe> within_own_size(const Subject& subject, const SecondProbe& probe) {
  const auto w = within_own_size(subject.drawn, probe.w),
             u = within_own_size(subject.drawn, probe.u);
  if (!w && !u) return {};
  return SecondProbe{w.value_or(probe.w), u.value_or(probe.u), probe.q};
}

SecondProbe with_own_steps(const Subject& subject, const SecondProbe& probe) {
  const auto own = [&](const Direction& u, uint32_t stream) {
    Direction result = make_direction(subject.drawn, Scaling::Entry, stream);
    for (std::size_t a = 0; a < u.parts.size(); ++a)
      for (std::size_t i = 0; i < u.parts[a].size(); ++i)
        if (u.parts[a][i] == 0) result.parts[a][i] = 0;
    return result;
  };
  return {own(probe.w, 16), own(probe.u, 17), probe.q};
}

}  // namespace notape::verify
