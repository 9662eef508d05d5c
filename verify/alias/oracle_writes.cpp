// What indexed assignment, raw writes, detaching, set_data, dual numbers and hooks do to cells,
// derivatives and aliases.
#include <span>

#include "verify/alias/oracle.h"

namespace notape::verify::alias {
namespace {

std::size_t at(int i) { return static_cast<std::size_t>(i); }

}  // namespace

void Oracle::apply_put(const Statement& s) {
  const Alias a = aliases_[s.a], b = aliases_[s.b];
  const Cells y = read(b, !s.no_grad);
  const bool records = !s.no_grad && (needs(a) || says(b));
  std::array<Result, kMaxCells> results;
  const auto take = [&](int to, const Window& shape, int i) {
    results[at(to)] = element(y, at(broadcast_position(shape, b.window, i)));
  };
  family_of(b).used = true;
  if (s.code == Code::Put) {
    Window window;
    put_window(s, window);
    Alias part = a;
    set_window(part, window);
    for (int i = 0; i < part.numel; ++i) take(i, window, i);
    // The part's own history decides whether the write is recorded, as for any view.
    const Alias view = view_of(a, window, s.no_grad);
    return write(part, results, !s.no_grad && (needs(view) || says(b)), !s.no_grad);
  }
  const Cells x = read(a, !s.no_grad, As::Target);
  for (std::size_t i = 0; i < at(a.numel); ++i) results[i] = element(x, i);
  Window values = a.window;
  values.size[0] = s.n[5];
  const int rest = a.numel / a.window.size[0];
  for (int i = 0; i < s.n[5] * rest; ++i) take(s.n[at(i / rest)] * rest + i % rest, values, i);
  write(a, results, records, !s.no_grad);
}

/// Nobody but the version counter is told.
void Oracle::apply_raw_write(const Statement& s) {
  const Alias a = aliases_[s.a];
  const Cells x = read(a, false);
  std::array<Result, kMaxCells> results;
  for (std::size_t i = 0; i < at(a.numel); ++i) {
    results[i] = element(x, i);  // its tangent stays
    results[i].value = pattern_value(s.n[0], static_cast<int>(i));
  }
  write(a, results, false, false);
  if (s.which != 2) return;
  CellStorage& storage = storage_of(a);
  for (const int8_t cell : std::span(a.cell).first(at(a.numel)))
    storage.written_unseen[at(cell)] = storage.written[at(cell)];
}

Alias Oracle::detached(const Alias& a) {
  const bool whole = a.numel == storage_of(a).cells &&
                     a.window == dense_window({a.window.size.data(), at(a.window.rank)});
  Alias out = make(a.window, a.storage, new_family(a.storage));
  out.tangents = new_tangents();
  families_.back().whole = whole;
  families_.back().overlaps_itself = a.overlaps_itself();
  return out;
}

void Oracle::apply_detach(const Statement& s) {
  Alias& a = aliases_[s.a];
  if (s.code != Code::DetachWrite) return set(s.out, detached(a));
  const bool whole = family_of(a).whole;
  Alias out = make(a.window, a.storage, new_family(a.storage));
  out.tangents = new_tangents();  // older views keep theirs
  families_.back().whole = whole;
  families_.back().overlaps_itself = a.overlaps_itself();
  storage_of(a).hidden_sharers = true;
  out.serial = a.serial;
  a = out;
}

void Oracle::apply_set_data(const Statement& s) {
  Alias& a = aliases_[s.a];
  const Alias b = aliases_[s.b];
  const Cells x = read(a, true);
  const bool needed = needs(a), leaf = !a.is_view && family_of(a).is_leaf;
  storage_of(a).hidden_sharers = storage_of(b).hidden_sharers = true;
  family_of(a).used = true;  // a view takes its edge into the family along
  const int index = new_family(b.storage);
  Family& family = families_.back();
  if (needed) ensure_rows(family);
  family.is_leaf = leaf;
  family.used = true;
  family.whole = false;
  for (std::size_t i = 0; i < at(a.numel); ++i)
    if (x.has_rows) family.row[at(b.cell[i])] = *x.row[i];
  const int16_t tangents = new_tangents();  // its own, whatever memory it shows
  tangents_.back().exists = may_have_tangent(a);
  for (int i = 0; i < a.numel; ++i) tangents_.back().of[at(b.cell[at(i)])] = tangent(a, i);
  const uint16_t serial = a.serial;
  a = make(b.window, b.storage, index);
  a.serial = serial;
  a.tangents = tangents;
}

/// A view of a with a tangent of its own.
void Oracle::apply_dual(const Statement& s) {
  const Alias a = aliases_[s.a];
  Alias dual = view_of(a, a.window, s.no_grad);
  dual.tangents = new_tangents();
  TangentField& field = tangents_.back();
  field.exists = true;
  for (int i = 0; i < a.numel; ++i) field.of[at(a.cell[at(i)])] = pattern_value(s.n[0], i);
  set(s.out, dual);
}

void Oracle::apply_hook(const Statement& s) {
  Alias& a = aliases_[s.a];
  const std::size_t column = kLeafColumns + hooks_.size();
  if (a.is_view) {  // what is read through it from now on passes the hook
    const Cells x = read(a, true);
    const int16_t index = new_block();
    for (int i = 0; i < a.numel; ++i)
      if (x.has_rows) blocks_.back()[at(a.cell[at(i)])] = *x.row[at(i)];
    a.rows = index;
    a.hooked = a.needed = true;
    a.made = static_cast<uint16_t>(now_ + 2);
  }
  auto& rows = a.is_view ? blocks_.back() : family_of(a).row;
  for (int i = 0; i < a.numel; ++i) {
    Row& row = rows[at(a.cell[at(i)])];
    for (double& entry : row) entry *= s.n[0];
    row[column] = direction_value(i);
  }
  a.used = family_of(a).used = true;
  hooks_.push_back({static_cast<double>(s.n[0]), a.serial, now_, a.family, a.is_view});
}

}  // namespace notape::verify::alias
