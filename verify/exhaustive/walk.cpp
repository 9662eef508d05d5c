#include "verify/exhaustive/walk.h"

#include <bit>
#include <cmath>

#include "autograd/autograd.h"
#include "autograd/tensor/factories.h"
#include "ops/spec/accuracy.h"
#include "ops/spec/known_by_result.h"
#include "verify/exhaustive/batch.h"
#include "verify/exhaustive/places.h"
#include "verify/numeric/last_place.h"

namespace notape::verify::exhaustive {
namespace {

constexpr double kDoubt = 0.05;         ///< of a last place
constexpr uint64_t kMostSettled = 256;  ///< odd numbers that are looked at in 113 bits
constexpr int kRoughExact = 4096;       ///< of a long walk's batch, where no polynomial fits
constexpr uint64_t kLong = 1 << 22;     ///< numbers of a long walk

/// The largest error of a stretch in last places, with what is unknown of the exact number; zeros
/// of the wrong sign are counted.
double worst_error(const Polynomial& exact, const double* t, const double* got, std::size_t n,
                   const Places& places, uint64_t& zeros) {
  double worst = 0;
  uint64_t flipped = 0;
  for (std::size_t i = 0; i < n; ++i) {
    const double want = exact(t[i]), found = got[i];
    const double error = (std::abs(found - want) + exact.error) * places.per_unit(want);
    worst = error <= worst ? worst : error;  // NaN wins, and stays
    worst = worst != worst ? HUGE_VAL : worst;
    const uint64_t sign = (std::bit_cast<uint64_t>(found) ^ std::bit_cast<uint64_t>(want)) >> 63;
    flipped += sign & static_cast<uint64_t>(found == 0) &
               static_cast<uint64_t>(std::abs(want) > exact.error);
  }
  zeros += flipped;
  return worst;
}

bool all_are(double special, const double* got, std::size_t n) {
  uint64_t others = 0;
  if (std::isnan(special))
    for (std::size_t i = 0; i < n; ++i) others += got[i] == got[i];
  else
    for (std::size_t i = 0; i < n; ++i) others += got[i] != special;
  return others == 0;
}

class Walker {
 public:
  Walker(const OpSpec& spec, const OpCase& one, ScalarType dtype)
      : spec_(spec),
        one_(one),
        dtype_(dtype),
        places_(dtype),
        exact_(one.reference, dtype),
        known_(known_by_result(spec.name)),
        bits_(std::min(element_type(dtype).digits - 1, 16)) {}

  void batch(const Range& range, bool all_ways) {
    n_ = range.count;
    x_.assign(kBatch, 0.5);
    for (std::size_t i = 0; i < n_; ++i) x_[i] = number_of_bits(pattern(range, i), dtype_);
    got_ = through(spec_, one_, x_, dtype_);
    for (std::size_t q = 0; q < kQuantities; ++q) found_.of[q].is_there = !got_.of[q].empty();
    found_.numbers += n_;
    rough_ = 0;
    is_long_ = patterns_of(dtype_) / range.stride > kLong;
    in_float64_ = {};
    judge(range);
    if (all_ways)
      for (std::size_t w = 1; w < kWays; ++w) compare_bits(w);
  }
  Findings found() const { return found_; }

 private:
  static uint64_t pattern(const Range& range, std::size_t i) {
    return range.first + i * range.stride;
  }

  void compare_bits(std::size_t way) {
    const Quantities other = through(spec_, one_, x_, dtype_, way);
    for (std::size_t q = 0; q < kQuantities; ++q)
      for (std::size_t i = 0; !other.of[q].empty() && i < n_; ++i) {
        const double a = got_.of[q][i], b = other.of[q][i];
        if (a == b || (a != a && b != b) || found_.misplaced++ > 0) continue;
        found_.misplaced_at = x_[i];
        found_.misplaced_way = way;
      }
  }

  void judge(const Range& range) {
    for (std::size_t i = 0; i < n_;) {
      const uint64_t bits = pattern(range, i);
      std::optional<Stretch> stretch;
      uint64_t end = bits + 1;
      for (;; --bits_) {
        const uint64_t size = uint64_t{1} << bits_, low = bits & ~(size - 1);
        if (size / range.stride < 4) break;
        stretch = exact_.along(number_of_bits(low, dtype_), number_of_bits(low + size - 1, dtype_));
        end = low + size;
        if (stretch) break;
        fitted_ = 0;
      }
      if (!stretch) {  // as far as the smallest stretch would go
        ++bits_;
        const uint64_t size = uint64_t{1} << bits_;
        end = (bits & ~(size - 1)) + size;
      }
      const std::size_t behind =
          std::min<uint64_t>(n_, i + (end - bits + range.stride - 1) / range.stride);
      if (stretch)
        judge_along(*stretch, i, behind);
      else
        judge_each(i, behind);
      if (++fitted_ % 8 == 0 || !stretch) bits_ = std::min(bits_ + 1, longest());
      i = behind;
    }
  }
  int longest() const { return std::min(element_type(dtype_).digits - 1, 16); }

  void judge_along(const Stretch& stretch, std::size_t begin, std::size_t end) {
    const std::size_t n = end - begin;
    t_.resize(n);
    for (std::size_t i = 0; i < n; ++i) t_[i] = (x_[begin + i] - stretch.centre) * stretch.scale;
    for (std::size_t q = 0; q < kQuantities; ++q) {
      Finding& finding = found_.of[q];
      if (!finding.is_there) continue;
      const Polynomial& exact = stretch.of[q];
      const double* const got = got_.of[q].data() + begin;
      if (!exact.is_known) {
        finding.unknown += n;
      } else if (exact.is_special()) {
        if (!all_are(exact.terms[0], got, n))
          for (std::size_t i = 0; i < n; ++i)
            if (!all_are(exact.terms[0], got + i, 1)) settle_odd(q, begin + i);
      } else if (worst_error(exact, t_.data(), got, n, places_, finding.zeros) >
                 worth_measuring(finding.judged)) {
        look_closer(q, stretch, begin, n);
      }
    }
  }

  /// The numbers of a stretch that may have a larger error than any before.
  void look_closer(std::size_t q, const Stretch& stretch, std::size_t begin, std::size_t n) {
    const Polynomial &exact = stretch.of[q], first = exact.derivative(),
                     second = first.derivative();
    Finding& finding = found_.of[q];
    for (std::size_t i = 0; i < n; ++i) {
      const double want = exact(t_[i]), got = got_.of[q][begin + i];
      const double place = places_.per_unit(want);
      const double error = (std::abs(got - want) + exact.error) * place;
      if (error <= worth_measuring(finding.judged)) continue;
      if (!(error < HUGE_VAL)) {
        settle_odd(q, begin + i);
        continue;
      }
      const double scale = stretch.scale, x = x_[begin + i];
      const double estimate = judged(q, error, want, first(t_[i]) * scale,
                                     second(t_[i]) * scale * scale, x, stretch.of[kValue](t_[i]));
      if (exact.error * place > kDoubt || estimate > worth_measuring(finding.judged) ||
          error > worth_measuring(finding.worst))
        settle(q, begin + i);
    }
  }

  void judge_each(std::size_t begin, std::size_t end) {
    for (std::size_t i = begin; i < end; ++i) {
      const bool is_exact = !is_long_ || ++rough_ <= kRoughExact || i % 64 == 0;
      for (std::size_t q = 0; q < kQuantities; ++q) {
        Finding& finding = found_.of[q];
        if (!finding.is_there) continue;
        if (is_exact || !agrees_with_float64(q, i)) settle(q, i);
      }
    }
  }

  /// Whether the same operator in float64 gives no reason to look in 113 bits.
  bool agrees_with_float64(std::size_t q, std::size_t i) {
    if (in_float64_.of[0].empty()) in_float64_ = through(spec_, one_, x_, kFloat64);
    const double want = in_float64_.of[q][i], got = got_.of[q][i];
    ++found_.by_float64;
    if (std::isnan(want)) return std::isnan(got);
    return std::abs(got - want) * places_.per_unit(want) <= worth_measuring(found_.of[q].judged);
  }

  /// The error that counts, of one in last places of the exact number y at x, whose derivatives are
  /// `slope` and `bend`.
  double judged(std::size_t q, double error, double y, double slope, double bend, double x,
                double value) const {
    if (q == kValue) return error;
    if (known_)
      error -= accuracy_of(spec_.name).value *
               static_cast<double>(loss_of(*known_, static_cast<int>(q), Wide(value),
                                           last_place(Wide(value), dtype_)) /
                                   last_place(Wide(y), dtype_));
    // Beside a zero its terms are what they are a little further off, as those of a line would be.
    const double terms = std::abs(x * slope);
    if (terms > std::abs(y) && std::abs(y * bend) < slope * slope / 4)
      error *= places_.per_unit(terms) / places_.per_unit(y);
    return std::max(error, 0.0);
  }

  void settle_odd(std::size_t q, std::size_t i) {
    Finding& finding = found_.of[q];
    if (finding.odd < kMostSettled)
      settle(q, i);
    else
      ++finding.odd;
  }

  /// In 113 bits.
  void settle(std::size_t q, std::size_t i) {
    const double x = x_[i], got = got_.of[q][i];
    if (settled_at_ != i || settled_x_ != x) {
      settled_ = exact_.at(x);
      settled_at_ = i;
      settled_x_ = x;
      ++found_.exact;
    }
    Finding& finding = found_.of[q];
    Wide want = settled_.of(q);
    if (q != kValue && settled_.value != settled_.value) {
      // The slope is not a number where the value is none, as outside the domain.
      want = Wide(NAN);
      if (q == kSecond || !std::isfinite(x)) return void(++finding.unknown);
    } else if (q != kValue && want != want) {
      return void(++finding.unknown);
    }
    const Worst here{last_places_between(want, got, dtype_), x, got, static_cast<double>(want)};
    if (q == kSlope && want != want && std::isinf(got)) return;  // a pole: no finite number either
    // At an end of the domain the slope is the limit from inside, which -0 does not tell.
    if (q != kValue && x == 0 && std::isinf(got) && magnitude(want) == Wide(HUGE_VAL)) return;
    if (magnitude(want) == Wide(HUGE_VAL) ? here.got != here.exact : std::isinf(here.places)) {
      if (finding.odd++ == 0) finding.odd_first = here;
      return;
    }
    if (!is_finite(want)) return;
    if (here.places > finding.worst.places) finding.worst = here;
    const auto part = [&](std::size_t k) {
      return k < 5 ? static_cast<double>(settled_.of(k)) : 0.0;
    };
    Worst counted = here;
    counted.places = judged(q, here.places, here.exact, part(q + 1), part(q + 2), x, part(kValue));
    if (counted.places > finding.judged.places) finding.judged = counted;
  }

  const OpSpec& spec_;
  const OpCase& one_;
  const ScalarType dtype_;
  const Places places_;
  const ExactReference exact_;
  const KnownByResult* const known_;
  int bits_;  ///< of a number's place in its stretch
  int fitted_ = 0, rough_ = 0;
  bool is_long_ = false;
  std::size_t n_ = 0;
  std::vector<double> x_, t_;
  Quantities got_, in_float64_;
  Exact settled_;
  std::size_t settled_at_ = ~std::size_t{0};
  double settled_x_ = 0;
  Findings found_;
};

void take_worse(Worst& to, const Worst& from) {
  if (from.places > to.places) to = from;
}

}  // namespace

void Findings::add(const Findings& other) {
  numbers += other.numbers;
  exact += other.exact;
  by_float64 += other.by_float64;
  if (misplaced == 0) {
    misplaced_at = other.misplaced_at;
    misplaced_way = other.misplaced_way;
  }
  misplaced += other.misplaced;
  for (std::size_t q = 0; q < of.size(); ++q) {
    Finding& to = of[q];
    const Finding& from = other.of[q];
    to.is_there = to.is_there || from.is_there;
    take_worse(to.worst, from.worst);
    take_worse(to.judged, from.judged);
    if (to.odd == 0) to.odd_first = from.odd_first;
    to.odd += from.odd;
    to.unknown += from.unknown;
    to.zeros += from.zeros;
  }
}

Findings walk(const OpSpec& spec, const OpCase& one, ScalarType dtype, const Range& range) {
  constexpr uint64_t kEvery = 8;  // batches that go every way
  Walker walker(spec, one, dtype);
  for (uint64_t done = 0, number = 0; done < range.count; done += kBatch, ++number)
    walker.batch({range.first + done * range.stride, range.stride,
                  std::min<uint64_t>(kBatch, range.count - done)},
                 number % kEvery == 0);
  return walker.found();
}

}  // namespace notape::verify::exhaustive
