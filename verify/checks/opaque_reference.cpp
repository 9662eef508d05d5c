#include "verify/checks/opaque_reference.h"

#include <algorithm>
#include <cmath>

#include "autograd/modes/grad_mode.h"
#include "verify/numeric/tolerance.h"

namespace notape::verify {

namespace {

using Lists = std::vector<Numbers>;

/// The operator's result in float64, without recording.
Tensor run_plainly(const Subject& subject, const Lists& x) {
  const NoGradGuard no_grad;
  variable_list inputs;
  for (std::size_t a = 0; a < x.size(); ++a) {
    const DrawnArgument& drawn = subject.drawn.arguments[a];
    inputs.push_back(
        make_tensor(x[a], drawn.argument.sizes, drawn.dtype(kFloat64), subject.device));
  }
  return subject.drawn.op.call(inputs);
}

}  // namespace

WideTensor opaque_reference(const Subject& subject, const WideList& x) {
  Lists values;
  for (const WideTensor& tensor : x)
    values.emplace_back(tensor.values.begin(), tensor.values.end());
  const Tensor output = run_plainly(subject, values);
  WideTensor result(output.sizes().vec());
  const Numbers numbers = numbers_of(output);
  result.values.assign(numbers.begin(), numbers.end());
  return result;
}

std::optional<Outcome> refusal_of_float64(const Subject& subject) {
  if (subject.dtype != kFloat32) return {};
  try {
    opaque_reference(subject, subject.wide());
    return {};
  } catch (const DtypeError&) {
    return Outcome::of(
        Verdict::Unresolved,
        "it takes no float64, whose values are differenced: hand the float32 tensors "
        "it captures over as inputs",
        "");
  }
}

Lists point_along(const DrawnCase& drawn, const Direction& u, double t) {
  Lists x;
  for (const DrawnArgument& one : drawn.arguments) x.push_back(one.values);
  // t u is a power of two or zero, and so exact; the sum is rounded once.
  for (std::size_t a = 0; a < u.parts.size(); ++a)
    for (std::size_t i = 0; i < u.parts[a].size(); ++i) x[a][i] += t * u.parts[a][i];
  return x;
}

void ExactSum::add(const Numbers& v, const Numbers& y) {
  for (std::size_t i = 0; i < v.size(); ++i) {
    const long double term = static_cast<long double>(v[i]) * static_cast<long double>(y[i]);
    value += term;
    squares += term * term;
  }
}

namespace {

/// `sum_at`, NaN where it throws. What rounding x + t u to float64 costs scatters values, and so is
/// part of the measured noise.
DoublePath guarded_path(const std::function<ExactSum(double t)>& sum_at, double terms) {
  const auto at = [sum_at](double t) {
    try {
      return Wide(sum_at(t).value);
    } catch (const std::exception&) {
      return Wide(std::nan(""));  // it refuses points outside its domain
    }
  };
  return {.at = at, .terms = terms, .opaque = true};
}

/// The root of the sum of squares of v_i y_i, over the results that have moved at the first step of
/// a ladder; over all if none has.
double moving_terms(const Numbers& v, const Numbers& here, const Numbers& moved) {
  double all = 0, moving = 0;
  for (std::size_t i = 0; i < here.size(); ++i) {
    const double square = v[i] * here[i] * v[i] * here[i];
    all += square;
    if (i >= moved.size() || !(moved[i] == here[i])) moving += square;
  }
  return std::sqrt(moving > 0 ? moving : all);
}

}  // namespace

DoublePath path_of(const std::function<ExactSum(double t)>& sum_at) {
  return guarded_path(sum_at, sum_at(0).root());
}

DoublePath opaque_path(const Subject& subject, const Direction& u, const Numbers& v) {
  const auto values_at = [&subject, &u](double t) {
    return numbers_of(run_plainly(subject, point_along(subject.drawn, u, t)));
  };
  Numbers moved;
  try {
    moved = values_at(0x1p-4);
  } catch (const std::exception&) {  // outside the domain
  }
  const Numbers here = values_at(0);
  // Results that u does not move add nothing, however large.
  const auto sum_at = [=, &v](double t) {
    Numbers y = values_at(t);
    for (std::size_t i = 0; i < y.size(); ++i) y[i] -= here.at(i);
    ExactSum sum;
    sum.add(v, y);
    return sum;
  };
  return guarded_path(sum_at, moving_terms(v, here, moved));
}

Ladder opaque_ladder(const Subject& subject, const Direction& u, const Numbers& v) {
  return climb(opaque_path(subject, u, v));
}

Numbers scaled(Numbers steps, double share) {
  for (double& step : steps) step *= share;
  return steps;
}

Direction scaled(Direction u, double share) {
  for (Numbers& part : u.parts) part = scaled(std::move(part), share);
  return u;
}

bool is_confirmed(const std::function<Ladder(double share)>& ladder) {
  constexpr double kShare = 0.75;
  const Slope one = ladder(1).slope, other = ladder(kShare).slope;
  return one.finite == other.finite && magnitude(one.value - other.value / Wide(kShare)) <=
                                           Wide(kLadderFactor) * (one.error + other.error);
}

Slope numeric_slope(const Subject& subject, const Direction& u, Steps steps) {
  return subject.is_opaque() ? opaque_ladder(subject, u, subject.incoming()).slope
                             : slope(subject.path(u), steps);
}

Numbers unlike_numbers(const Subject& subject) {
  constexpr uint32_t kStream = 1 << 24;
  Numbers v;
  for (std::size_t i = 0; i < subject.incoming().size(); ++i)
    v.push_back(1 + keyed_bits(subject.drawn.key, kStream, i) * 0x1p-32);
  return v;
}

std::vector<Lane> singular_entries(const Subject& subject,
                                   const std::function<Ladder(const Direction& u)>& ladder) {
  constexpr std::size_t kMostEntries = 512;
  std::vector<Lane> result;
  std::size_t looked_at = 0;
  for (std::size_t a : subject.real_arguments())
    for (std::size_t i = 0; i < subject.drawn.arguments[a].values.size(); ++i) {
      if (++looked_at > kMostEntries) return result;
      const Ladder alone = ladder(one_hot(subject.drawn, a, i));
      if (!is_smooth(look(alone.samples, 0))) result.push_back({a, i});
    }
  return result;
}

bool is_singular(const Subject& subject) {
  const Numbers v = unlike_numbers(subject);
  const auto ladder = [&](const Direction& u) { return opaque_ladder(subject, u, v); };
  return !singular_entries(subject, ladder).empty();
}

Direction without(Direction u, const std::vector<Lane>& entries) {
  for (const Lane& one : entries)
    if (!u.parts[one.argument].empty()) u.parts[one.argument][one.entry] = 0;
  return u;
}

bool is_still(const Direction& u) {
  return std::all_of(u.parts.begin(), u.parts.end(), [](const Numbers& part) {
    return std::all_of(part.begin(), part.end(), [](double step) { return step == 0; });
  });
}

}  // namespace notape::verify
