#include "verify/exhaustive/exact.h"

#include <algorithm>
#include <cmath>

#include "verify/numeric/last_place.h"

namespace notape::verify::exhaustive {
namespace {

constexpr std::size_t kNodes = Polynomial::kTerms;

const WideTerms& nodes() {
  static const WideTerms result = [] {
    WideTerms cosines{};
    for (std::size_t i = 0; i < kNodes; ++i)
      cosines[i] = std::cos(M_PI * static_cast<double>(i) / (kNodes - 1));
    return cosines;
  }();
  return result;
}

/// The terms of the polynomial of `count` points: from divided differences, so that equal values
/// give nothing but zeros after the first term.
WideTerms interpolated(const WideTerms& at, const WideTerms& values, std::size_t count) {
  WideTerms newton = values, terms{};
  for (std::size_t order = 1; order < count; ++order)
    for (std::size_t k = count - 1; k >= order; --k)
      newton[k] = (newton[k] - newton[k - 1]) / (at[k] - at[k - order]);
  for (std::size_t i = count; i-- > 0;) {
    for (std::size_t k = count; k-- > 1;) terms[k] = terms[k - 1] - at[i] * terms[k];
    terms[0] = newton[i] - at[i] * terms[0];
  }
  return terms;
}

Wide sum_at(const WideTerms& terms, Wide t) {
  Wide sum = 0;
  for (std::size_t i = kNodes; i-- > 0;) sum = sum * t + terms[i];
  return sum;
}

/// Beside the ends and in the middle, where the error of a polynomial through the nodes is largest.
constexpr double kBetween[] = {-0.97, -0.22, 0.62, 0.9};

Polynomial constant_polynomial(double value, bool is_known = true) {
  Polynomial result;
  result.terms[0] = value;
  result.is_known = is_known;
  return result;
}

}  // namespace

Polynomial Polynomial::derivative() const {
  Polynomial result;
  for (std::size_t i = 1; i < terms.size(); ++i)
    result.terms[i - 1] = static_cast<double>(i) * terms[i];
  return result;
}

ExactReference::ExactReference(const Reference& reference, ScalarType dtype)
    : reference_(reference),
      dtype_(dtype),
      smallest_(std::ldexp(0.02, element_type(dtype).lowest_exponent)) {
  above_ = below_ = symmetric();
  if (!above_.is_known) {
    above_ = one_sided(1);
    below_ = one_sided(-1);
  }
}

std::vector<WideDual> ExactReference::evaluate(const std::vector<Wide>& x) const {
  DualList arguments(1, DualTensor({static_cast<int64_t>(x.size())}));
  for (std::size_t i = 0; i < x.size(); ++i) arguments[0].values[i] = WideDual(x[i], Wide(1));
  return reference_(arguments).values;
}

namespace {

constexpr double kNear = 0x1p-22;  ///< from node to node

/// Whether the terms give the slope between their nodes.
bool fits(const WideTerms& terms, const std::vector<Wide>& at, const std::vector<WideDual>& exact) {
  Wide size = 0;
  for (const WideDual& one : exact) size = std::max(size, magnitude(one.slope));
  for (std::size_t i = 0; i < at.size(); ++i)
    if (!(magnitude(sum_at(terms, at[i]) - exact[i].slope) <= Wide(0x1p-90) * size)) return false;
  return true;
}

/// Terms that are nothing but rounding are none.
void clean(WideTerms& terms) {
  Wide power = 1;
  for (Wide& term : terms) {
    if (magnitude(term) * power < Wide(0x1p-96) * magnitude(terms[0])) term = 0;
    power *= kNear;
  }
}

}  // namespace

ExactReference::NearZero ExactReference::symmetric() const {
  // Even and odd parts apart, so that one that is nothing is exactly that.
  std::vector<Wide> x;
  for (int k = -3; k <= 3; ++k) x.push_back(Wide(k) * kNear);
  const auto slopes = evaluate(x);
  WideTerms squares{}, even{}, odd{};
  for (int k = 0; k <= 3; ++k) {
    const Wide plus = slopes[static_cast<std::size_t>(3 + k)].slope,
               minus = slopes[static_cast<std::size_t>(3 - k)].slope;
    const auto i = static_cast<std::size_t>(k);
    squares[i] = Wide(k * k) * kNear * kNear;
    even[i] = (plus + minus) / 2;
    odd[i] = k == 0 ? Wide(0) : (plus - minus) / (2 * k * Wide(kNear));
  }
  const WideTerms of_even = interpolated(squares, even, 4);
  std::rotate(squares.begin(), squares.begin() + 1, squares.end());
  std::rotate(odd.begin(), odd.begin() + 1, odd.end());
  const WideTerms of_odd = interpolated(squares, odd, 3);
  NearZero result;
  for (std::size_t i = 0; i < kNodes; ++i) result.slope[i] = i % 2 ? of_odd[i / 2] : of_even[i / 2];
  std::vector<Wide> between;
  for (const double t : kBetween) between.push_back(Wide(t) * 3 * kNear);
  result.is_known = fits(result.slope, between, evaluate(between));
  clean(result.slope);
  return result;
}

ExactReference::NearZero ExactReference::one_sided(int sign) const {
  std::vector<Wide> x, between;
  WideTerms at{}, values{};
  for (int k = 1; k <= Polynomial::kTerms; ++k) x.push_back(Wide(sign * k) * kNear);
  const auto slopes = evaluate(x);
  std::copy(x.begin(), x.end(), at.begin());
  std::transform(slopes.begin(), slopes.end(), values.begin(),
                 [](const WideDual& one) { return one.slope; });
  NearZero result;
  result.slope = interpolated(at, values, kNodes);
  for (const double t : kBetween) between.push_back(Wide(sign * (1 + t)) * Wide(3.5 * kNear));
  result.is_known = fits(result.slope, between, evaluate(between));
  clean(result.slope);
  return result;
}

Wide ExactReference::NearZero::derivative(int order, Wide x) const {
  WideTerms terms = slope;
  for (int step = 1; step < order; ++step) {
    for (std::size_t i = 1; i < kNodes; ++i) terms[i - 1] = static_cast<int>(i) * terms[i];
    terms[kNodes - 1] = 0;
  }
  return sum_at(terms, x);
}

const ExactReference::NearZero* ExactReference::near_zero(double x) const {
  const NearZero& near = x < 0 ? below_ : above_;
  return std::abs(x) <= kNear && near.is_known ? &near : nullptr;
}

Exact ExactReference::at(double x) const {
  Exact result;
  result.derivatives.fill(Wide(NAN));
  Wide distance = 0;
  WideDual here;
  {
    const math::BranchTrace trace;
    here = evaluate({Wide(x)})[0];
    distance = trace.distance();
  }
  result.value = here.value;
  if (distance == 0 || std::isnan(x)) return result;
  auto& d = result.derivatives;
  d[0] = here.slope;
  if (!std::isfinite(x) || !is_finite(here.slope)) return result;
  if (const NearZero* near = near_zero(x)) {
    for (int order = 2; order <= 4; ++order)
      d[static_cast<std::size_t>(order - 1)] = near->derivative(order, Wide(x));
    return result;
  }
  if (x == 0) return result;
  // Steps for what varies with x's size, and for what oscillates: the best, or one that is good.
  Wide least_error = HUGE_VAL;
  const Wide relative = magnitude(Wide(x)) * Wide(0x1p-18);
  for (const Wide widest : {Wide(0x1p-20), Wide(0x1p-28), Wide(0x1p-12), relative}) {
    if (least_error < Wide(0x1p-30)) break;
    const Wide h = std::min(widest, distance / 4);
    const auto s = evaluate({Wide(x) - 2 * h, Wide(x) - h, Wide(x) + h, Wide(x) + 2 * h});
    const Wide a = s[0].slope, b = s[1].slope, c = s[2].slope, e = s[3].slope, o = here.slope;
    const Wide second = (8 * (c - b) - (e - a)) / (12 * h), coarse = (c - b) / (2 * h);
    const Wide rounding = Wide(0x1p-108) * (magnitude(o) + magnitude(Wide(x) * second)) / h;
    const Wide size = magnitude(second) + smallest_;
    const Wide error = magnitude(second - coarse) / size;
    if (!(rounding < Wide(0x1p-34) * size && error < least_error)) continue;
    // Many periods may be within a long step: then what is between is elsewhere.
    const std::vector<Wide> parts = {Wide(0.37) * h, Wide(-0.61) * h, Wide(-0.23) * h,
                                     Wide(0.83) * h};
    std::vector<Wide> at;
    for (const Wide part : parts) at.push_back(Wide(x) + part);
    const auto between = evaluate(at);
    bool is_straight = true;
    for (std::size_t i = 0; i < parts.size(); ++i)
      is_straight &= magnitude(between[i].slope - o - parts[i] * second) <=
                     Wide(0x1p-6) * magnitude(parts[i]) * size;
    if (!is_straight) continue;
    least_error = error;
    d[1] = error < Wide(0x1p-12) ? second : Wide(NAN);
    d[2] = (16 * (b + c) - a - e - 30 * o) / (12 * h * h);
    d[3] = (e - 2 * c + 2 * b - a) / (2 * h * h * h);
  }
  return result;
}

std::optional<Polynomial> ExactReference::rounded(const WideTerms& terms, Wide error,
                                                  Wide smallest) const {
  Polynomial result;
  double sizes = 0;
  for (std::size_t i = 0; i < terms.size(); ++i) {
    result.terms[i] = static_cast<double>(terms[i]);
    sizes += std::abs(result.terms[i]);
  }
  result.error = 4 * static_cast<double>(error) + 0x1p-50 * sizes;
  const double places =
      std::ldexp(static_cast<double>(smallest), -element_type(dtype_).digits) / 50;
  if (!(result.error <= std::max(places, smallest_))) return {};
  return result;
}

std::optional<Polynomial> ExactReference::fitted(const std::vector<Wide>& exact, WideTerms& terms,
                                                 Wide& error) const {
  const Wide largest = largest_of(dtype_);
  std::size_t nan = 0, up = 0, down = 0;
  Wide smallest = HUGE_VAL;
  for (const Wide y : exact) {
    nan += y != y;
    up += y > largest;
    down += y < -largest;
    smallest = std::min(smallest, magnitude(y));
  }
  const std::size_t all = exact.size();
  if (nan == all) return constant_polynomial(NAN);
  if (up == all) return constant_polynomial(HUGE_VAL);
  if (down == all) return constant_polynomial(-HUGE_VAL);
  if (nan + up + down > 0) return {};
  WideTerms values{};
  std::copy_n(exact.begin(), kNodes, values.begin());
  terms = interpolated(nodes(), values, kNodes);
  error = 0;
  for (std::size_t i = kNodes; i < all; ++i)
    error = std::max(error, magnitude(sum_at(terms, kBetween[i - kNodes]) - exact[i]));
  return rounded(terms, error, smallest);
}

std::optional<Stretch> ExactReference::along(double low, double high) const {
  const Wide centre = (Wide(low) + high) / 2, half = (Wide(high) - low) / 2;
  std::vector<Wide> x, values, slopes;
  for (const Wide t : nodes()) x.push_back(centre + t * half);
  for (const double t : kBetween) x.push_back(centre + t * half);
  for (const WideDual& one : evaluate(x)) {
    values.push_back(one.value);
    slopes.push_back(one.slope);
  }
  Stretch result{static_cast<double>(centre), static_cast<double>(1 / half), {}};
  WideTerms terms{}, second{};
  Wide error = 0;
  const auto value = fitted(values, terms, error);
  if (!value) return {};
  result.of[kValue] = *value;
  result.of[kSecond] = constant_polynomial(NAN, false);
  if (std::isnan(value->terms[0])) {  // outside its domain the slope is none either
    result.of[kSlope] = constant_polynomial(NAN, !std::isnan(low));
    return result;
  }
  const auto slope = fitted(slopes, terms, error);
  if (!slope) return {};
  result.of[kSlope] = *slope;
  result.of[kSlope].is_known = !std::isnan(slope->terms[0]);
  if (slope->is_special()) return result;
  Wide second_error = 49 * (error + Wide(0x1p-108) * magnitude(terms[0])) / half;  // Markov's
  if (terms[1] == 0 && terms[2] == 0) second_error = 0;
  if (const NearZero* near = near_zero(low < 0 ? std::min(low, high) : std::max(low, high))) {
    for (int i = 0; i < 4; ++i) {  // Taylor's around the centre
      Wide term = near->derivative(2 + i, centre);
      for (int k = 1; k <= i; ++k) term *= half / k;
      second[static_cast<std::size_t>(i)] = term;
    }
    second_error = Wide(0x1p-50) * magnitude(second[0]);
  } else {
    for (std::size_t i = 1; i < kNodes; ++i) second[i - 1] = static_cast<int>(i) * terms[i] / half;
  }
  Wide smallest = HUGE_VAL, greatest = 0;
  for (double t = -1; t <= 1; t += 0.25) {
    const Wide y = magnitude(sum_at(second, t));
    smallest = std::min(smallest, y);
    greatest = std::max(greatest, y);
  }
  if (smallest > largest_of(dtype_)) {
    result.of[kSecond] = constant_polynomial(second[0] > 0 ? HUGE_VAL : -HUGE_VAL);
    return result;
  }
  const auto bend =
      greatest > largest_of(dtype_) ? std::nullopt : rounded(second, second_error, smallest);
  if (!bend) return {};
  result.of[kSecond] = *bend;
  return result;
}

}  // namespace notape::verify::exhaustive
