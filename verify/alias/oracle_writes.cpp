// What indexed assignment, set_data and hooks do to cells, derivatives and aliases.
#include "verify/alias/oracle.h"

namespace notape::verify::alias {
namespace {

std::size_t at(int i) { return static_cast<std::size_t>(i); }

}  // namespace

void Oracle::apply_put(const Statement& s) {
  const Alias a = aliases_[s.a], b = aliases_[s.b];
  const Cells y = read(b, !s.no_grad);
  const bool records = !s.no_grad && (needs(a) || needs(b));
  std::array<Result, kMaxCells> results;
  const auto take = [&](int to, const Window& shape, int i) {
    const auto j = at(broadcast_position(shape, b.window, i));
    results[at(to)].value = y.value[j];
    results[at(to)].row = y.has_rows ? *y.row[j] : Row{};
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
    return write(part, results, !s.no_grad && (needs(view) || needs(b)), !s.no_grad);
  }
  const Cells x = read(a, !s.no_grad);
  for (std::size_t i = 0; i < at(a.numel); ++i) {
    results[i].value = x.value[i];
    results[i].row = x.has_rows ? *x.row[i] : Row{};
  }
  Window values = a.window;
  values.size[0] = s.n[5];
  const int rest = a.numel / a.window.size[0];
  for (int i = 0; i < s.n[5] * rest; ++i) take(s.n[at(i / rest)] * rest + i % rest, values, i);
  write(a, results, records, !s.no_grad);
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
  const uint16_t serial = a.serial;
  a = make(b.window, b.storage, index);
  a.serial = serial;
}

void Oracle::apply_hook(const Statement& s) {
  Alias& a = aliases_[s.a];
  Family& family = family_of(a);
  const std::size_t column = kLeafColumns + hooks_.size();
  for (int i = 0; i < a.numel; ++i) {
    Row& row = family.row[at(a.cell[at(i)])];
    for (double& entry : row) entry *= s.n[0];
    row[column] = direction_value(i);
  }
  family.used = true;
  hooks_.push_back({static_cast<double>(s.n[0]), a.serial, now_, a.family});
}

}  // namespace notape::verify::alias
