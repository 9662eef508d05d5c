// What the rules say about reading and writing in general.
#include <algorithm>
#include <bit>
#include <cmath>

#include "verify/alias/oracle.h"

namespace notape::verify::alias {
namespace {

// Products of values, far from 2^53 whatever is added up; second derivatives are larger.
constexpr double kBudgetBits = 36, kBudgetBitsOfCurves = 22;
constexpr double kLargestReal = 1e3;

}  // namespace

bool Oracle::can_store(int storages, int families) const {
  return storages_.size() + at(storages) < kMaxStorages &&
         families_.size() + at(families) < kMaxFamilies;
}

double Oracle::largest(const Alias& a) const {
  double result = 1;
  for (int i = 0; i < a.numel; ++i) result = std::max(result, std::fabs(value(a, i)));
  return result;
}

double Oracle::bits_of_product(Slot a, Slot b) const {
  return std::log2(largest(aliases_[a])) + std::log2(largest(aliases_[b]));
}

bool Oracle::affordable(double bits) const {
  if (field_ == Field::Real) return std::exp2(bits) <= kLargestReal;
  return bits_ + bits <= (features_.curves() ? kBudgetBitsOfCurves : kBudgetBits);
}

int Oracle::sharers(const Alias& a) const {
  return static_cast<int>(std::count_if(aliases_.begin(), aliases_.end(), [&](const Alias& other) {
    return other.defined && other.storage == a.storage;
  }));
}

Expectation Oracle::expect_read(Slot out, Slot a, bool no_grad) const {
  if (out >= kSlots || !can_store(1, 1)) return kSkip;
  return {.must = no_grad ? 0 : stale(aliases_[a])};
}

Expectation Oracle::expect_read(Slot out, Slot a, Slot b, bool no_grad) const {
  Expectation result = expect_read(out, a, no_grad);
  if (!is_defined(b)) return kSkip;
  if (!no_grad) result.must |= stale(aliases_[b]);
  return result;
}

Expectation Oracle::expect_write(const Alias& target, const Alias* operand, bool needs_old,
                                 bool no_grad) const {
  Expectation result;
  const Family& family = family_of(target);
  if (!no_grad) {
    result.must |= stale(target);
    if (operand) result.must |= stale(*operand);
    const bool records = needs(target) || (operand && says(*operand));
    if (target.is_view && (records || family.needs)) result.must |= refusal(target.tag);
    if (family.is_leaf) result.must |= bit(Failure::LeafInPlace);
    if (records && family.overlaps_itself && target.is_view)
      result.must |= bit(Failure::MemoryOverlap);
    if (policy_ == Policy::Paper2017) {
      if (sharers(target) > 1)
        result.must |= bit(Failure::AliasedInPlace);
      else if (storage_of(target).hidden_sharers)
        result.may |= bit(Failure::AliasedInPlace);
      if (needs_old) result.may |= bit(Failure::OverwrittenInput);
    }
  }
  if (target.overlaps_itself()) result.must |= bit(Failure::MemoryOverlap);
  if (operand && operand->storage == target.storage && operand->mask & target.mask) {
    const bool same = std::equal(target.cell.begin(), target.cell.begin() + target.numel,
                                 operand->cell.begin()) &&
                      target.numel == operand->numel;
    if (!same || !target.window.same_shape(operand->window))
      (same ? result.may : result.must) |= bit(Failure::MemoryOverlap);
  }
  return result;
}

bool Oracle::is_past(const Alias& a, const Window& window) {
  const int low = std::countr_zero(a.mask), high = std::bit_width(a.mask);
  if (a.overlaps_itself() || high - low != a.numel) return true;
  for (int i = 0; i < window.numel(); ++i)
    if (!(a.mask >> window.cell(i) & 1)) return true;
  return false;
}

void Oracle::note_missing_jvp(const Alias& a, Expectation& result) const {
  if (!features_.tangents || !may_have_tangent(a)) return;
  bool is_zero = true;
  for (int i = 0; i < a.numel; ++i) is_zero &= tangent(a, i) == 0;
  (is_zero ? result.may : result.must) |= bit(Failure::ForwardNotImplemented);
}

}  // namespace notape::verify::alias
