#include "verify/alias/oracle.h"

#include <algorithm>
#include <cmath>

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

double Oracle::value(const Alias& a, int i) const {
  return storage_of(a).value[static_cast<std::size_t>(a.cell[static_cast<std::size_t>(i)])];
}

static bool recorded_since(const Family& family, const Alias& a) {
  for (int i = 0; i < a.numel; ++i)
    if (family.recorded[static_cast<std::size_t>(a.cell[static_cast<std::size_t>(i)])] > a.made)
      return true;
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
  return bit(a.tag == Tag::Function ? Failure::FunctionViewWrite : Failure::AmbiguousViewWrite);
}

bool Oracle::has_own_rows(const Alias& a, As as) const {
  if (a.rows == Alias::kOfFamily) return false;
  if (a.tag != Tag::Plain) return true;
  return (as == As::Operand || a.hooked) && !recorded_since(family_of(a), a);
}

Oracle::Cells Oracle::read(const Alias& a, bool with_rows, As as) const {
  Cells cells;
  cells.has_rows = with_rows && a.rows != Alias::kZero && needs(a);
  const CellStorage& storage = storage_of(a);
  const auto& rows =
      cells.has_rows && has_own_rows(a, as) ? blocks_[index_of(a.rows)] : family_of(a).row;
  for (std::size_t i = 0; i < static_cast<std::size_t>(a.numel); ++i) {
    const auto cell = static_cast<std::size_t>(a.cell[i]);
    cells.value[i] = storage.value[cell];
    if (cells.has_rows) cells.row[i] = &rows[cell];
    if (features_.tangents) {
      cells.tangent[i] = cells.along[i] = tangents_[index_of(a.tangents)].of[cell];
    } else if (features_.second) {
      cells.along[i] = 0;
      for (int c = 0; cells.has_rows && c < kLeafColumns; ++c)
        cells.along[i] += direction_value(c) * (*cells.row[i])[static_cast<std::size_t>(c)];
    }
  }
  return cells;
}

double Oracle::tangent(const Alias& a, int i) const {
  const TangentField& field = tangents_[index_of(a.tangents)];
  return field.of[static_cast<std::size_t>(a.cell[static_cast<std::size_t>(i)])];
}

double Oracle::largest(const Alias& a) const {
  double result = 1;
  for (int i = 0; i < a.numel; ++i) result = std::max(result, std::fabs(value(a, i)));
  return result;
}

void Oracle::add(Row& into, const Row& row, double factor, double bend) const {
  for (std::size_t c = 0; c < kColumns; ++c) into[c] += factor * row[c];
  if (!features_.curves()) return;
  for (std::size_t c = 0; c < kColumns; ++c)
    into[kColumns + c] += factor * row[kColumns + c] + bend * row[c];
}

void Oracle::add_gradient(const Alias& a, Row& sum) const {
  const Cells cells = read(a, true);
  if (!cells.has_rows) return;
  for (std::size_t i = 0; i < static_cast<std::size_t>(a.numel); ++i)
    add(sum, *cells.row[i], weight_value(static_cast<int>(i)));
}

bool Oracle::may_hook(const Alias& a) const {
  if (!needs(a) || hooks_.size() == kHooks) return false;
  // What is made of a view cut by no-grad mode is recorded and leads to no leaf: whether a backward
  // passes there depends on how it is asked for.
  const Cells cells = read(a, true);
  bool leads_to_leaf = false;
  for (std::size_t i = 0; cells.has_rows && i < static_cast<std::size_t>(a.numel); ++i)
    for (const auto& slope : *cells.row[i]) leads_to_leaf = leads_to_leaf || slope != 0;
  if (!leads_to_leaf) return false;
  if (a.is_view)
    return !a.used && a.tag == Tag::Plain && !has_own_rows(a, As::Operand) &&
           !a.overlaps_itself() && blocks_.size() < kMaxBlocks;
  return !family_of(a).used &&
         std::none_of(aliases_.begin(), aliases_.end(), [&](const Alias& other) {
           return other.defined && other.is_view && other.family == a.family;
         });
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
    const CellStorage& storage = storages_[static_cast<std::size_t>(saved.storage)];
    if (policy_ == Policy::Paper2017) return storage.any_written > saved.at;
    return was_overwritten(saved, storage.written);
  });
}

bool Oracle::saved_was_overwritten_unseen() const {
  return std::any_of(saves_.begin(), saves_.end(), [&](const Save& saved) {
    const CellStorage& storage = storages_[static_cast<std::size_t>(saved.storage)];
    return was_overwritten(saved, storage.written_unseen);
  });
}

}  // namespace notape::verify::alias
