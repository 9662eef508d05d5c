// Cells, their derivatives, and who shows them: how all kinds of statements read, make and write.
#include <algorithm>

#include "verify/alias/oracle.h"

namespace notape::verify::alias {

Cells Oracle::read(const Alias& a, bool with_rows, As as) const {
  Cells cells;
  cells.has_rows = with_rows && a.rows != Alias::kZero && needs(a);
  const CellStorage& storage = storage_of(a);
  const auto& rows = cells.has_rows && has_own_rows(a, as) ? blocks_[at(a.rows)] : family_of(a).row;
  for (std::size_t i = 0; i < at(a.numel); ++i) {
    const auto cell = at(a.cell[i]);
    cells.value[i] = storage.value[cell];
    if (cells.has_rows) cells.row[i] = &rows[cell];
    if (features_.tangents) {
      cells.tangent[i] = cells.along[i] = tangents_of(a).of[cell];
    } else if (features_.second) {
      cells.along[i] = 0;
      for (int c = 0; cells.has_rows && c < kLeafColumns; ++c)
        cells.along[i] += direction_value(c) * (*cells.row[i])[at(c)];
    }
  }
  return cells;
}

Element Oracle::element(const Cells& cells, std::size_t i) const {
  Element result;
  result.value = cells.value[i];
  if (features_.tangents) result.tangent = cells.tangent[i];
  if (cells.has_rows) result.row = *cells.row[i];
  return result;
}

void Oracle::add(Row& into, const Row& row, double factor, double bend) const {
  for (std::size_t c = 0; c < kColumns; ++c) into[c] += factor * row[c];
  if (!features_.curves()) return;
  for (std::size_t c = 0; c < kColumns; ++c)
    into[kColumns + c] += factor * row[kColumns + c] + bend * row[c];
}

void Oracle::add_slope(Element& into, const Cells& from, std::size_t i, double slope,
                       double bend) const {
  if (features_.tangents) into.tangent += slope * from.tangent[i];
  if (from.has_rows) add(into.row, *from.row[i], slope, bend);
}

int Oracle::new_storage(int cells) {
  CellStorage& storage = storages_.emplace_back();
  storage.cells = static_cast<int8_t>(cells);
  storage.written.fill(0);
  storage.written_unseen.fill(0);
  return static_cast<int>(storages_.size()) - 1;
}

int Oracle::new_family(int storage) {
  Family& family = families_.emplace_back();
  family.recorded.fill(0);
  family.storage = static_cast<int16_t>(storage);
  return static_cast<int>(families_.size()) - 1;
}

int16_t Oracle::new_tangents() {
  tangents_.emplace_back().of.fill(0);
  return static_cast<int16_t>(tangents_.size() - 1);
}

std::array<Row, kMaxCells>& Oracle::new_block(Alias& a) {
  a.rows = static_cast<int16_t>(blocks_.size());
  return blocks_.emplace_back();
}

void Oracle::set_window(Alias& a, const Window& window) {
  a.window = window;
  a.numel = static_cast<int8_t>(window.numel());
  a.mask = 0;
  for (int i = 0; i < a.numel; ++i) {
    const int cell = window.cell(i);
    a.cell[at(i)] = static_cast<int8_t>(cell);
    a.mask = static_cast<CellMask>(a.mask | 1 << cell);
  }
}

Alias Oracle::make(const Window& window, int storage, int family) {
  Alias a;
  a.defined = true;
  a.storage = static_cast<int16_t>(storage);
  a.family = static_cast<int16_t>(family);
  a.made = next_time();
  a.serial = ++serial_;
  set_window(a, window);
  return a;
}

Alias Oracle::make_fresh(const Window& shape, bool needed, const Alias* from, const Alias* other) {
  const int storage = new_storage(shape.numel());
  for (const Alias* operand : {from, other})
    for (int i = 0; operand && i < operand->numel; ++i)
      if (operand->cell[at(i)] != operand->cell[0] + i || storage_of(*operand).unknown_layout)
        storages_.back().unknown_layout = true;
  Alias a = make(dense_window({shape.size.data(), at(shape.rank)}), storage, new_family(storage));
  a.tangents = new_tangents();
  families_.back().needs = needed;
  return a;
}

Alias Oracle::make_fresh(const Window& shape, bool needed, const Elements& elements,
                         const Alias* from, const Alias* other) {
  const Alias fresh = make_fresh(shape, needed, from, other);
  CellStorage& storage = storage_of(fresh);
  TangentField& tangents = tangents_of(fresh);
  tangents.exists = operand_has_tangent_;
  for (std::size_t i = 0; i < at(fresh.numel); ++i) {
    storage.value[i] = elements[i].value;
    tangents.of[i] = elements[i].tangent;
    if (needed) family_of(fresh).row[i] = elements[i].row;
  }
  return fresh;
}

Alias Oracle::view_of(const Alias& a, const Window& window, bool no_grad) {
  Alias view = make(window, a.storage, a.family);
  view.is_view = true;
  view.tag = std::max(a.tag, no_grad ? Tag::NoGrad : Tag::Plain);
  view.needed = !no_grad && says(a);
  view.rows = no_grad                                        ? Alias::kZero
              : a.rows >= 0 && !has_own_rows(a, As::Operand) ? Alias::kOfFamily
                                                             : a.rows;
  view.tangents = a.tangents;
  family_of(a).used = true;
  return view;
}

Alias Oracle::detached(const Alias& a) {
  return detached(a, a.numel == storage_of(a).cells &&
                         a.window == dense_window({a.window.size.data(), at(a.window.rank)}));
}

Alias Oracle::detached(const Alias& a, bool whole) {
  Alias out = make(a.window, a.storage, new_family(a.storage));
  out.tangents = new_tangents();
  families_.back().whole = whole;
  families_.back().overlaps_itself = a.overlaps_itself();
  return out;
}

void Oracle::set(Slot slot, Alias a) {
  Alias& old = aliases_[slot];
  if (old.defined && !old.is_view) storage_of(old).hidden_sharers = true;
  old = a;
}

void Oracle::ensure_rows(Family& family) {
  if (family.needs) return;
  family.needs = true;
  for (Row& row : family.row) row.fill(0);
}

void Oracle::save(const Alias& a, When when) {
  saves_.push_back({a.storage, a.mask, static_cast<uint16_t>(now_ + static_cast<int>(when))});
}

void Oracle::write(const Alias& target, const Elements& elements, bool records, bool in_graph) {
  CellStorage& storage = storage_of(target);
  Family& family = family_of(target);
  TangentField& tangents = tangents_of(target);
  const auto when = static_cast<uint16_t>(now_ + 1);
  tangents.exists |= operand_has_tangent_;
  if (records) ensure_rows(family);
  for (std::size_t i = 0; i < at(target.numel); ++i) {
    const auto cell = at(target.cell[i]);
    storage.value[cell] = elements[i].value;
    storage.written[cell] = when;
    tangents.of[cell] = elements[i].tangent;
    if (in_graph && family.needs) family.row[cell] = elements[i].row;
    if (records) family.recorded[cell] = when;
  }
  storage.any_written = when;
  if (records) family.used = false;
}

int Oracle::add_leaf(int cells) {
  const int first = columns_;
  leaves_.push_back({static_cast<int8_t>(first), static_cast<int8_t>(cells)});
  columns_ += cells;
  return first;
}

void Oracle::add_hook(const Alias& a, double scale) {
  hooks_.push_back({scale, a.serial, now_, a.family, a.is_view});
}

}  // namespace notape::verify::alias
