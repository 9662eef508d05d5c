#include "verify/alias/oracle.h"

#include <algorithm>

#include "verify/alias/statement.h"

namespace notape::verify::alias {

// Rows are referred to while families are added: their memory must stay where it is.
Oracle::Oracle(Field field, Policy policy) : field_(field), policy_(policy) {
  storages_.reserve(kMaxStorages);
  families_.reserve(kMaxFamilies);
  blocks_.reserve(kMaxBlocks);
}

void Oracle::reset(Features features) {
  features_ = features;
  aliases_.fill(Alias());
  storages_.clear();
  families_.clear();
  blocks_.clear();
  tangents_.clear();
  leaves_.clear();
  hooks_.clear();
  saves_.clear();
  columns_ = 0;
  now_ = 4;
  serial_ = 0;
  bits_ = 0;
  freed_ = has_error_node_ = operand_has_tangent_ = false;
}

Expectation Oracle::expect(const Statement& s) const {
  return std::visit(
      [&](const auto& kind) -> Expectation {
        if constexpr (requires { kind.a; })
          if (!is_defined(kind.a)) return kSkip;
        return kind.expect(*this, s.no_grad);
      },
      s.what);
}

void Oracle::apply(const Statement& s) {
  operand_has_tangent_ = false;
  std::visit(
      [&]<typename K>(const K& kind) {
        for (const Slot slot : s.operands()) {
          if (!is_defined(slot)) continue;
          operand_has_tangent_ |= may_have_tangent(aliases_[slot]);
          if constexpr (!requires { K::kIsNoUse; }) aliases_[slot].used = true;
        }
        kind.apply(*this, s.no_grad);
      },
      s.what);
  now_ = static_cast<uint16_t>(now_ + 4);
}

void Oracle::apply_refused(const Call& call) {
  call.apply_refused(*this);
  now_ = static_cast<uint16_t>(now_ + 4);
}

static bool recorded_since(const Family& family, const Alias& a) {
  for (int i = 0; i < a.numel; ++i)
    if (family.recorded[at(a.cell[at(i)])] > a.made) return true;
  return false;
}

bool Oracle::needs(const Alias& a) const {
  const Family& family = family_of(a);
  if (!a.is_view) return family.needs;
  return a.needed || (family.needs && recorded_since(family, a));
}

bool Oracle::says(const Alias& a) const {
  return needs(a) || (a.is_view && a.tag == Tag::NoGrad && family_of(a).needs);
}

FailureSet Oracle::stale(const Alias& a) const {
  if (!a.is_view || a.tag == Tag::Plain || !recorded_since(family_of(a), a)) return 0;
  return refusal(a.tag);
}

bool Oracle::has_own_rows(const Alias& a, As as) const {
  if (a.rows == Alias::kOfFamily) return false;
  if (a.tag != Tag::Plain) return true;
  return (as == As::Operand || a.hooked) && !recorded_since(family_of(a), a);
}

void Oracle::add_gradient(const Alias& a, Row& sum) const {
  const Cells cells = read(a, true);
  if (!cells.has_rows) return;
  for (int i = 0; i < a.numel; ++i) add(sum, *cells.row[at(i)], weight_value(i));
}

int Oracle::slot_of_hook(const HookState& hook) const {
  for (int slot = 0; slot < kSlots; ++slot) {
    const Alias& a = alias(slot);
    if (!a.defined || a.serial != hook.serial || a.family != hook.family) continue;
    const Family& family = family_of(a);
    if (hook.of_view) return recorded_since(family, a) ? -1 : slot;
    for (uint16_t when : family.recorded)
      if (when > hook.at) return -1;
    return slot;
  }
  return -1;
}

bool Oracle::was_overwritten(const Save& saved,
                             const std::array<uint16_t, kMaxCells>& written) const {
  for (std::size_t c = 0; c < kMaxCells; ++c)
    if (saved.mask >> c & 1 && written[c] > saved.at) return true;
  return false;
}

bool Oracle::saved_was_overwritten() const {
  if (policy_ == Policy::CowSave) return false;  // there is a copy
  return std::any_of(saves_.begin(), saves_.end(), [&](const Save& saved) {
    const CellStorage& storage = storages_[at(saved.storage)];
    if (policy_ == Policy::Paper2017) return storage.any_written > saved.at;
    return was_overwritten(saved, storage.written);
  });
}

bool Oracle::saved_was_overwritten_unseen() const {
  return std::any_of(saves_.begin(), saves_.end(), [&](const Save& saved) {
    return was_overwritten(saved, storages_[at(saved.storage)].written_unseen);
  });
}

}  // namespace notape::verify::alias
