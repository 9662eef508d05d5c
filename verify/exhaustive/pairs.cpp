// A walk over pairs of numbers of 16 bits.
#include <cmath>
#include <cstring>
#include <optional>

#include "autograd/autograd.h"
#include "autograd/tensor/factories.h"
#include "ops/spec/op_spec.h"
#include "verify/exhaustive/batch.h"
#include "verify/exhaustive/places.h"
#include "verify/numeric/last_place.h"

namespace notape::verify::exhaustive {
namespace {

constexpr uint64_t kManyPairs = 1 << 22, kPairsBetween = 64;

Tensor tensor_of(const std::vector<double>& numbers, ScalarType dtype) {
  const Tensor all = empty({static_cast<int64_t>(numbers.size())}, kFloat64);
  std::memcpy(all.mutable_data_ptr<double>(), numbers.data(), numbers.size() * sizeof(double));
  return all.to(dtype).detach().requires_grad_(true);
}

/// The value and the slopes by either argument.
Quantities through_pairs(const OpCase& one, const std::vector<double>& a,
                         const std::vector<double>& b, ScalarType dtype) {
  const EnableGradGuard recording;
  const Tensor first = tensor_of(a, dtype), second = tensor_of(b, dtype);
  const Tensor value = one.call({first, second});
  std::vector<Tensor> all = {value};
  if (value.requires_grad())
    for (const Tensor& slope :
         autograd::grad({value}, {first, second}, {ones_like(value)}, {}, false, true))
      all.push_back(slope.defined() ? slope : zeros_like(first));
  Quantities result;
  for (std::size_t q = 0; q < all.size(); ++q) {
    const Tensor entries = all[q].detach().to(kFloat64).contiguous();
    const double* const data = entries.const_data_ptr<double>();
    result.of[q].assign(data, data + a.size());
  }
  return result;
}

/// The reference in 113 bits, and its slopes: none on kinks.
struct ExactPair {
  Wide value = 0;
  std::array<std::optional<Wide>, 2> slopes = {};
};
ExactPair exact_pair(const Reference& reference, double a, double b) {
  ExactPair result;
  for (std::size_t varies = 0; varies < 2; ++varies) {
    DualList arguments(2, DualTensor({1}));
    arguments[0].values[0] = math::WideDual(Wide(a), Wide(varies == 0));
    arguments[1].values[0] = math::WideDual(Wide(b), Wide(varies == 1));
    const math::BranchTrace trace;
    const math::WideDual here = reference(arguments).values[0];
    result.value = here.value;
    if (std::isfinite(a) && std::isfinite(b) && trace.distance() != 0 && is_finite(here.value) &&
        is_finite(here.slope))
      result.slopes[varies] = here.slope;
  }
  return result;
}

class PairWalker {
 public:
  PairWalker(const OpCase& one, ScalarType dtype)
      : one_(one), dtype_(dtype), places_(dtype), largest_(largest_of(dtype)) {}

  void batch(const Range& range, bool is_long) {
    a_.resize(range.count);
    b_.resize(range.count);
    for (std::size_t i = 0; i < range.count; ++i) {
      const uint64_t bits = range.first + i * range.stride;
      a_[i] = number_of_bits(bits >> 16, dtype_);
      b_[i] = number_of_bits(bits & 0xffff, dtype_);
    }
    const Quantities got = through_pairs(one_, a_, b_, dtype_);
    Quantities beside;
    if (is_long) beside = through_pairs(one_, a_, b_, kFloat64);
    found.numbers += range.count;
    for (std::size_t i = 0; i < range.count; ++i) {
      std::optional<ExactPair> exact;
      for (std::size_t q = 0; q < kQuantities && !got.of[q].empty(); ++q) {
        Finding& finding = found.of[q];
        finding.is_there = true;
        if (is_long && i % kPairsBetween != 0 && agrees(finding, got.of[q][i], beside.of[q][i]))
          continue;
        if (!exact) {
          exact = exact_pair(one_.reference, a_[i], b_[i]);
          ++found.exact;
        }
        settle(q, *exact, i, got.of[q][i]);
      }
    }
  }
  Findings found;

 private:
  bool agrees(const Finding& finding, double got, double want) {
    ++found.by_float64;
    if (std::isnan(want)) return std::isnan(got);
    if (std::isinf(got)) return std::abs(want) > 1.001 * largest_ && (got > 0) == (want > 0);
    return std::abs(got - want) * places_.per_unit(want) <= worth_measuring(finding.judged);
  }

  void settle(std::size_t q, const ExactPair& exact, std::size_t i, double got) {
    Finding& finding = found.of[q];
    if (q > 0 && !exact.slopes[q - 1]) return void(++finding.unknown);
    const Wide want = q == 0 ? exact.value : *exact.slopes[q - 1];
    const Worst here{last_places_between(want, got, dtype_), a_[i], got, static_cast<double>(want),
                     b_[i]};
    if (is_finite(want)          ? std::isinf(here.places)
        : std::isnan(here.exact) ? !std::isnan(got)
                                 : got != here.exact) {
      if (finding.odd++ == 0) finding.odd_first = here;
      return;
    }
    if (!is_finite(want)) return;
    finding.zeros += got == 0 && want != 0 && std::signbit(got) != std::signbit(here.exact);
    if (here.places > finding.worst.places) finding.judged = finding.worst = here;
  }

  const OpCase& one_;
  const ScalarType dtype_;
  const Places places_;
  const double largest_;
  std::vector<double> a_, b_;
};

}  // namespace

Findings walk_pairs(const OpSpec&, const OpCase& one, ScalarType dtype, const Range& range) {
  PairWalker walker(one, dtype);
  const bool is_long = (uint64_t{1} << 32) / range.stride > kManyPairs;
  for (uint64_t done = 0; done < range.count; done += kBatch)
    walker.batch({range.first + done * range.stride, range.stride,
                  std::min<uint64_t>(kBatch, range.count - done)},
                 is_long);
  return walker.found;
}

}  // namespace notape::verify::exhaustive
