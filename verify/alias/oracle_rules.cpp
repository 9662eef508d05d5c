// What the rules say about a statement before it runs.
#include <algorithm>
#include <bit>
#include <cmath>

#include "verify/alias/oracle.h"

namespace notape::verify::alias {
namespace {

// Products of values, far from 2^53 whatever is added up; second derivatives are larger.
constexpr double kBudgetBits = 36, kBudgetBitsOfCurves = 22;
constexpr double kLargestReal = 1e3;
constexpr Expectation kSkip{.skip = true};

FailureSet refusal(Tag tag) {
  return bit(tag == Tag::Function ? Failure::FunctionViewWrite : Failure::AmbiguousViewWrite);
}

}  // namespace

bool Oracle::can_store(int storages, int families) const {
  return storages_.size() + static_cast<std::size_t>(storages) < kMaxStorages &&
         families_.size() + static_cast<std::size_t>(families) < kMaxFamilies;
}

double Oracle::bits_of(const Statement& s) const {
  const auto log_of = [&](uint8_t slot) {
    return is_defined(slot) ? std::log2(largest(aliases_[slot])) : 0;
  };
  switch (s.code) {
    case Code::Unary:
    case Code::UnaryWrite: {
      const UnaryOp& op = unary_ops()[s.which];
      return op.grows_by_square ? log_of(s.a) + 1
             : op.takes_number  ? std::log2(std::abs(s.n[0]) + 1)
                                : 0;
    }
    case Code::Binary:
    case Code::BinaryWrite:
      return binary_ops()[s.which].multiplies ? log_of(s.a) + log_of(s.b) : 1;
    case Code::Matmul:
      return log_of(s.a) + log_of(s.b) + 2;
    case Code::Function:
      return function_kinds()[s.which].takes_two() ? log_of(s.a) + log_of(s.b) : 4;
    default:
      return 0;
  }
}

bool Oracle::affordable(const Statement& s) const {
  const bool unary = s.code == Code::Unary || s.code == Code::UnaryWrite;
  if (unary && !std::isfinite(unary_ops()[s.which].slope(1, 1, s.n[0]))) return false;  // x / 0
  if (field_ == Field::Exact)
    return bits_ + bits_of(s) <= (features_.curves() ? kBudgetBitsOfCurves : kBudgetBits);
  const bool exponential = unary && unary_ops()[s.which].real_only;
  return std::exp2(bits_of(s)) <= kLargestReal && (!exponential || largest(aliases_[s.a]) <= 4);
}

int Oracle::sharers(const Alias& a) const {
  return static_cast<int>(std::count_if(aliases_.begin(), aliases_.end(), [&](const Alias& other) {
    return other.defined && other.storage == a.storage;
  }));
}

Expectation Oracle::expect_write(const Statement& s, const Alias& target, const Alias* operand,
                                 bool needs_old) const {
  Expectation result;
  const Family& family = family_of(target);
  if (!s.no_grad) {
    result.must |= stale(target);
    if (operand) result.must |= stale(*operand);
    const bool records = needs(target) || (operand && says(*operand));
    if (target.is_view && target.tag != Tag::Plain && (records || family.needs))
      result.must |= refusal(target.tag);
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

bool Oracle::put_window(const Statement& s, Window& result) const {
  const Window& from = aliases_[s.a].window;
  const Numbers select{0, s.n[0]}, slice{0, s.n[0], s.n[1], 1};
  return s.which == 0 ? view_kinds()[kSelectKind].window(from, select, -1, result)
                      : view_kinds()[kSliceKind].window(from, slice, -1, result);
}

bool Oracle::is_past(const Alias& a, const Window& window) {
  const int low = std::countr_zero(a.mask), high = std::bit_width(a.mask);
  if (a.overlaps_itself() || high - low != a.numel) return true;
  for (int i = 0; i < window.numel(); ++i)
    if (!(a.mask >> window.cell(i) & 1)) return true;
  return false;
}

Expectation Oracle::expect_view(const Statement& s) const {
  const Alias& a = aliases_[s.a];
  const ViewKind& kind = view_kinds()[s.which];
  Window window;
  if (!can_store(1, 1)) return kSkip;
  const bool shows = kind.window(a.window, s.n, s.n[4], window);
  if (kind.reads_strides && storage_of(a).unknown_layout) return kSkip;
  if (kind.call_all) {
    if (!shows || (s.b != kNoSlot && (s.b >= kSlots || s.b == s.out || s.n[4] == s.n[5])))
      return kSkip;
    Window second;
    if (s.b != kNoSlot && !kind.window(a.window, s.n, s.n[5], second)) return kSkip;
  } else if (kind.may_copy) {
    int cells = 1;
    if (s.n[5] < 0 || s.n[5] > kMaxDims) return kSkip;
    for (int d = 0; d < s.n[5]; ++d) cells *= s.n[static_cast<std::size_t>(d)];
    if (a.overlaps_itself() || cells != a.numel) return kSkip;
  } else if (!shows) {
    return kSkip;
  } else if (kind.whole_only) {
    const Family& family = family_of(a);
    for (int i = 0; i < window.numel(); ++i)
      if (window.cell(i) >= storage_of(a).cells) return kSkip;
    if (!family.whole || a.tag != Tag::Plain) return kSkip;
    if (is_past(a, window) && (features_.tangents || has_own_rows(a, As::Operand))) return kSkip;
    if (!s.no_grad && is_past(a, window) && family.needs && family.overlaps_itself)
      return {.must = bit(Failure::MemoryOverlap)};
  } else if (window.rank > 0 && kind.name[0] == 'v' && a.overlaps_itself()) {
    return kSkip;
  }
  return {.must = s.no_grad ? 0 : stale(a)};
}

/// Whether an operand has a tangent that is zero everywhere, only the library knows.
void Oracle::note_missing_jvp(const Alias& a, Expectation& result) const {
  if (!features_.tangents || !may_have_tangent(a)) return;
  bool is_zero = true;
  for (int i = 0; i < a.numel; ++i) is_zero &= tangent(a, i) == 0;
  (is_zero ? result.may : result.must) |= bit(Failure::ForwardNotImplemented);
}

Expectation Oracle::expect_function(const Statement& s) const {
  const FunctionKind& kind = function_kinds()[s.which];
  const Alias& a = aliases_[s.a];
  using Effect = FunctionKind::Effect;
  const bool writes = kind.is_dirty() || kind.effect == Effect::Silent;
  if (kind.outputs > 0 && s.out >= kSlots) return kSkip;
  if (kind.adds_dim && a.window.rank >= kMaxDims) return kSkip;
  if (!can_store(2, 2) || blocks_.size() == kMaxBlocks) return kSkip;
  // Of two first derivatives, its own and the view's, a second one may follow either.
  if (kind.effect == Effect::Declared && features_.second) return kSkip;
  const Alias* b = nullptr;
  if (kind.takes_two()) {
    if (!is_defined(s.b) || !a.window.same_shape(aliases_[s.b].window)) return kSkip;
    b = &aliases_[s.b];
    if (writes && b->storage == a.storage && b->mask & a.mask) return kSkip;
    if (kind.effect == Effect::Two && (s.n[0] < 0 || s.n[0] >= kSlots || s.n[0] == s.out))
      return kSkip;
  }
  Expectation result;
  result.must = s.no_grad ? 0 : stale(a) | (b ? stale(*b) : 0);
  if (!kind.has_jvp) note_missing_jvp(a, result);
  if (!kind.has_jvp && b) note_missing_jvp(*b, result);
  if (writes && a.overlaps_itself()) result.must |= bit(Failure::MemoryOverlap);
  if (!kind.is_dirty() || result.must) return result;
  const FailureSet may = result.may;
  result = expect_write(s, a, nullptr, false);
  result.may |= may;
  if (kind.effect == Effect::Refused || (kind.effect == Effect::DirtyPlus && a.is_view))
    result.must |= bit(Failure::FunctionError);
  result.writes_anyway = true;
  return result;
}

Expectation Oracle::expect_backward(const Statement& s) const {
  const Alias& a = aliases_[s.a];
  Expectation result;
  result.must = stale(a);
  if (!needs(a)) result.must |= bit(Failure::NothingRequiresGrad);
  if (s.b != kNoSlot) {
    if (!is_defined(s.b)) return kSkip;
    result.must |= stale(aliases_[s.b]);
    if (!needs(aliases_[s.b])) result.must |= bit(Failure::NothingRequiresGrad);
  }
  if (freed_) result.may |= bit(Failure::GraphFreed);
  if (features_.tangents && has_error_node_) result.may |= bit(Failure::ForwardNotImplemented);
  if (s.code != Code::GradGrad) return result;
  if (!features_.second || features_.tangents) return kSkip;
  // The second pass meets the hooks once more, on paths that the oracle does not tell apart.
  for (const HookState& hook : hooks_)
    if (hook.scale != 1) return kSkip;
  if (has_error_node_) result.may |= bit(Failure::DerivativeNotImplemented);
  return result;
}

Expectation Oracle::expect_read(const Statement& s) const {
  const Alias& a = aliases_[s.a];
  if (s.out >= kSlots || !can_store(1, 1)) return kSkip;
  Expectation result{.must = s.no_grad ? 0 : stale(a)};
  Window shape;
  switch (s.code) {
    case Code::Unary:
      if (!unary_ops()[s.which].call) return kSkip;
      break;
    case Code::Sum:
      if (s.n[0] >= a.window.rank) return kSkip;
      break;
    case Code::Take:
      if (a.window.rank == 0 || s.n[5] < 1 || s.n[5] > 4) return kSkip;
      if (a.numel / a.window.size[0] * s.n[5] > kMaxCells) return kSkip;
      for (int i = 0; i < s.n[5]; ++i)
        if (s.n[static_cast<std::size_t>(i)] < 0 ||
            s.n[static_cast<std::size_t>(i)] >= a.window.size[0])
          return kSkip;
      break;
    case Code::Binary:
    case Code::Matmul:
    case Code::Cat: {
      if (!is_defined(s.b)) return kSkip;
      const Alias& b = aliases_[s.b];
      if (!s.no_grad) result.must |= stale(b);
      const Window &x = a.window, &y = b.window;
      if (s.code == Code::Binary && (!binary_ops()[s.which].call || !broadcast(x, y, shape)))
        return kSkip;
      if (s.code == Code::Matmul && (x.rank != 2 || y.rank != 2 || x.size[1] != y.size[0] ||
                                     x.size[0] * y.size[1] > kMaxCells))
        return kSkip;
      if (s.code == Code::Cat) {
        if (x.rank == 0 || x.rank != y.rank || a.numel + b.numel > kMaxCells) return kSkip;
        for (int d = 1; d < x.rank; ++d)
          if (x.size[static_cast<std::size_t>(d)] != y.size[static_cast<std::size_t>(d)])
            return kSkip;
      }
      break;
    }
    default:
      break;
  }
  return affordable(s) ? result : kSkip;
}

Expectation Oracle::expect_make(const Statement& s) const {
  int cells = 1;
  if (s.n[5] < 0 || s.n[5] > kMaxDims || s.out >= kSlots || !can_store(1, 1)) return kSkip;
  for (int d = 0; d < s.n[5]; ++d) {
    if (s.n[static_cast<std::size_t>(d)] < 1) return kSkip;
    cells *= s.n[static_cast<std::size_t>(d)];
  }
  if (cells > kMaxCells || (s.code == Code::Leaf && columns_ + cells > kLeafColumns)) return kSkip;
  return {};
}

Expectation Oracle::expect_binary_write(const Statement& s) const {
  if (!is_defined(s.b) || !affordable(s)) return kSkip;
  const Alias &a = aliases_[s.a], &b = aliases_[s.b];
  const BinaryOp& op = binary_ops()[s.which];
  if (!op.call && s.a == s.b) return kSkip;  // x.copy_(x) is no write
  Window shape;
  if (!broadcast(a.window, b.window, shape) || !shape.same_shape(a.window)) return kSkip;
  return expect_write(s, a, &b, op.multiplies);
}

Expectation Oracle::expect_put(const Statement& s) const {
  Window window, shape;
  if (!is_defined(s.b) || s.a == s.b || !put_window(s, window)) return kSkip;
  const Alias &a = aliases_[s.a], &b = aliases_[s.b];
  Alias part = a;
  part.is_view = true;  // of tag Plain if a is a base
  set_window(part, window);
  if (!broadcast(window, b.window, shape) || !shape.same_shape(window)) return kSkip;
  Expectation result = expect_write(s, part, &b, false);
  if (!s.no_grad) result.must |= stale(a);
  return result;
}

Expectation Oracle::expect_put_at(const Statement& s) const {
  const Alias& a = aliases_[s.a];
  if (!is_defined(s.b) || s.a == s.b || a.window.rank == 0) return kSkip;
  if (s.n[5] < 1 || s.n[5] > 4) return kSkip;
  Window values = a.window, shape;
  values.size[0] = s.n[5];
  for (int i = 0; i < s.n[5]; ++i)
    if (s.n[static_cast<std::size_t>(i)] < 0 ||
        s.n[static_cast<std::size_t>(i)] >= a.window.size[0])
      return kSkip;
  const Alias& b = aliases_[s.b];
  if (!broadcast(values, b.window, shape) || !shape.same_shape(values)) return kSkip;
  Expectation result = expect_write(s, a, b.storage == a.storage ? nullptr : &b, false);
  if (!s.no_grad) result.must |= stale(b);
  if (!s.no_grad && says(b) && a.tag != Tag::Plain) result.must |= refusal(a.tag);
  if (!s.no_grad && says(b) && a.is_view && family_of(a).overlaps_itself)
    result.must |= bit(Failure::MemoryOverlap);
  return result;
}

Expectation Oracle::expect_set_data(const Statement& s) const {
  if (!is_defined(s.b) || s.a == s.b || !can_store(0, 1)) return kSkip;
  const Alias &a = aliases_[s.a], &b = aliases_[s.b];
  if (!a.window.same_shape(b.window) || b.overlaps_itself()) return kSkip;
  Expectation result{.must = stale(a)};
  if (features_.tangents && sharers(a) > 1)
    result.must |= bit(Failure::SetDataError);
  else if (features_.tangents && storage_of(a).hidden_sharers)
    result.may |= bit(Failure::SetDataError);
  return result;
}

Expectation Oracle::expect_dual(const Statement& s) const {
  const Alias& a = aliases_[s.a];
  if (!features_.tangents || s.out >= kSlots || may_have_tangent(a) || a.overlaps_itself())
    return kSkip;
  return {.must = s.no_grad ? 0 : stale(a)};
}

Expectation Oracle::expect_raw_write(const Statement& s) const {
  const Alias& a = aliases_[s.a];
  if (s.which > 2 || s.n[0] < 0) return kSkip;
  if (s.which == 2) return {};
  return {.must = a.overlaps_itself() ? bit(Failure::MemoryOverlap) : 0};
}

Expectation Oracle::expect(const Statement& s) const {
  if (s.code == Code::Leaf || s.code == Code::Constant) return expect_make(s);
  if (!is_defined(s.a)) return kSkip;
  const Alias& a = aliases_[s.a];
  switch (s.code) {
    case Code::UnaryWrite: {
      const UnaryOp& op = unary_ops()[s.which];
      if (!op.write || !affordable(s)) return kSkip;
      return expect_write(s, a, nullptr, op.saves == Saves::Input);
    }
    case Code::BinaryWrite:
      return expect_binary_write(s);
    case Code::Put:
      return expect_put(s);
    case Code::PutAt:
      return expect_put_at(s);
    case Code::View:
      return s.out < kSlots ? expect_view(s) : kSkip;
    case Code::Detach:
    case Code::Data:
      return s.out < kSlots && can_store(0, 1) ? Expectation() : kSkip;
    case Code::DetachWrite:
      if (a.is_view) return {.must = bit(Failure::DetachView)};
      return family_of(a).is_leaf || !can_store(0, 1) ? kSkip : Expectation();
    case Code::SetData:
      return expect_set_data(s);
    case Code::Function:
      return affordable(s) ? expect_function(s) : kSkip;
    case Code::Hook:
      return may_hook(a) ? Expectation() : kSkip;
    case Code::Dual:
      return expect_dual(s);
    case Code::RawWrite:
      return expect_raw_write(s);
    case Code::Drop:
      return {};
    case Code::Backward:
    case Code::Grad:
    case Code::GradGrad:
      return expect_backward(s);
    default:
      return expect_read(s);
  }
}

}  // namespace notape::verify::alias
