// What a statement does to cells, derivatives and aliases.
#include <algorithm>

#include "verify/alias/oracle.h"

namespace notape::verify::alias {
namespace {

std::size_t at(int i) { return static_cast<std::size_t>(i); }

}  // namespace

int Oracle::new_storage(int cells) {
  CellStorage& storage = storages_.emplace_back();
  storage.cells = static_cast<int8_t>(cells);
  storage.written.fill(0);
  storage.written_unseen.fill(0);
  return static_cast<int>(storages_.size()) - 1;
}

int16_t Oracle::new_tangents() {
  tangents_.emplace_back().of.fill(0);
  return static_cast<int16_t>(tangents_.size() - 1);
}

int16_t Oracle::new_block() {
  blocks_.emplace_back();
  return static_cast<int16_t>(blocks_.size() - 1);
}

Oracle::Result Oracle::element(const Cells& cells, std::size_t i) const {
  Result result;
  result.value = cells.value[i];
  if (features_.tangents) result.tangent = cells.tangent[i];
  result.row = cells.has_rows ? *cells.row[i] : Row{};
  return result;
}

int Oracle::new_family(int storage) {
  Family& family = families_.emplace_back();
  family.recorded.fill(0);
  family.storage = static_cast<int16_t>(storage);
  return static_cast<int>(families_.size()) - 1;
}

void Oracle::set_window(Alias& a, const Window& window) const {
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
  a.made = static_cast<uint16_t>(now_ + 2);
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

void Oracle::set(uint8_t slot, Alias a) {
  Alias& old = aliases_[slot];
  if (old.defined && !old.is_view) storage_of(old).hidden_sharers = true;
  old = a;
}

void Oracle::ensure_rows(Family& family) {
  if (family.needs) return;
  family.needs = true;
  for (Row& row : family.row) row.fill(0);
}

void Oracle::save(const Alias& a, int when) {
  saves_.push_back({a.storage, a.mask, static_cast<uint16_t>(now_ + when)});
}

void Oracle::store(const Alias& fresh, const std::array<Result, kMaxCells>& results, bool rows) {
  CellStorage& storage = storage_of(fresh);
  TangentField& tangents = tangents_[index_of(fresh.tangents)];
  for (std::size_t i = 0; i < at(fresh.numel); ++i) {
    storage.value[i] = results[i].value;
    tangents.of[i] = results[i].tangent;
  }
  tangents.exists = operand_has_tangent_;
  if (!rows) return;
  Family& family = family_of(fresh);
  for (std::size_t i = 0; i < at(fresh.numel); ++i) family.row[i] = results[i].row;
}

void Oracle::write(const Alias& target, const std::array<Result, kMaxCells>& results, bool records,
                   bool in_graph) {
  CellStorage& storage = storage_of(target);
  Family& family = family_of(target);
  TangentField& tangents = tangents_[index_of(target.tangents)];
  const auto when = static_cast<uint16_t>(now_ + 1);
  tangents.exists |= operand_has_tangent_;
  if (records) ensure_rows(family);
  for (std::size_t i = 0; i < at(target.numel); ++i) {
    const auto cell = at(target.cell[i]);
    storage.value[cell] = results[i].value;
    storage.written[cell] = when;
    tangents.of[cell] = results[i].tangent;
    if (in_graph && family.needs) family.row[cell] = results[i].row;
    if (records) family.recorded[cell] = when;
  }
  storage.any_written = when;
  if (records) family.used = false;
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

void Oracle::compute_unary(const Statement& s, const Alias& a,
                           std::array<Result, kMaxCells>& results) {
  const UnaryOp& op = unary_ops()[s.which];
  const Cells x = read(a, !s.no_grad, s.code == Code::UnaryWrite ? As::Target : As::Operand);
  const double k = s.n[0];
  for (std::size_t i = 0; i < at(a.numel); ++i) {
    Result& result = results[i];
    clear(result);
    result.value = op.value(x.value[i], k);
    if (op.forgets) continue;
    const double slope = op.slope(x.value[i], result.value, k);
    if (features_.tangents) result.tangent = slope * x.tangent[i];
    if (!x.has_rows) continue;
    add(result.row, *x.row[i], slope,
        features_.curves() ? op.bend(x.value[i], result.value, k) * x.along[i] : 0);
  }
}

void Oracle::compute_binary(const Statement& s, const Window& shape, const Alias& a, const Alias& b,
                            std::array<Result, kMaxCells>& results) {
  const BinaryOp& op = binary_ops()[s.which];
  const Cells x = read(a, !s.no_grad, s.code == Code::BinaryWrite ? As::Target : As::Operand),
              y = read(b, !s.no_grad);
  const bool same = a.window.same_shape(b.window), bends = op.multiplies && features_.curves();
  const double k = s.n[0];
  const int numel = shape.numel();
  for (int n = 0; n < numel; ++n) {
    const auto i = at(same ? n : broadcast_position(shape, a.window, n));
    const auto j = at(same ? n : broadcast_position(shape, b.window, n));
    Result& result = results[at(n)];
    const double left = x.value[i], right = y.value[j];
    const double by_x = op.slope_x(left, right, k), by_y = op.slope_y(left, right, k);
    clear(result);
    result.value = op.value(left, right, k);
    if (features_.tangents) result.tangent = by_x * x.tangent[i] + by_y * y.tangent[j];
    if (x.has_rows) add(result.row, *x.row[i], by_x, bends ? y.along[j] : 0);
    if (y.has_rows) add(result.row, *y.row[j], by_y, bends ? x.along[i] : 0);
  }
}

void Oracle::apply_unary(const Statement& s) {
  const Alias a = aliases_[s.a];
  const UnaryOp& op = unary_ops()[s.which];
  const bool writes = s.code == Code::UnaryWrite;
  // A cut view as target is refused: expect_write().
  const bool records = !s.no_grad && (writes ? needs(a) : says(a));
  const bool keeps_input = op.saves == Saves::Input || op.saves == Saves::InputOrOutput;
  const bool keeps_output =
      op.saves == Saves::Output || (op.saves == Saves::InputOrOutput && writes);
  std::array<Result, kMaxCells> results;
  compute_unary(s, a, results);
  bits_ += bits_of(s);
  if (records && keeps_input && !writes) save(a, 0);
  family_of(a).used = true;
  if (writes) {
    write(a, results, records, !s.no_grad);
    if (records && keeps_output) save(a, 2);
    return;
  }
  const Alias out = make_fresh(a.window, records, &a);
  store(out, results, records);
  if (records && keeps_output) save(out, 2);
  set(s.out, out);
}

void Oracle::apply_binary(const Statement& s) {
  const Alias a = aliases_[s.a], b = aliases_[s.b];
  const BinaryOp& op = binary_ops()[s.which];
  const bool writes = s.code == Code::BinaryWrite;
  const bool records = !s.no_grad && ((writes ? needs(a) : says(a)) || says(b));
  std::array<Result, kMaxCells> results;
  Window shape;
  broadcast(a.window, b.window, shape);
  compute_binary(s, shape, a, b, results);
  bits_ += bits_of(s);
  if (records && op.saves == Saves::Input) {
    if (s.code == Code::Binary) save(a, 0);
    save(b, 0);
  }
  family_of(a).used = family_of(b).used = true;
  if (writes) return write(a, results, records, !s.no_grad);
  const Alias out = make_fresh(shape, records, &a, &b);
  store(out, results, records);
  set(s.out, out);
}

void Oracle::apply_view(const Statement& s) {
  const Alias a = aliases_[s.a];
  const ViewKind& kind = view_kinds()[s.which];
  Window window;
  const bool shows = kind.window(a.window, s.n, s.n[4], window);
  if (!shows) {  // reshape had to copy; the copy's own name is gone
    std::array<Result, kMaxCells> results;
    const Cells x = read(a, !s.no_grad);
    for (std::size_t i = 0; i < at(a.numel); ++i) results[i] = element(x, i);
    family_of(a).used = true;
    const bool needed = !s.no_grad && says(a);
    Alias base = make_fresh(dense_window({s.n.data(), at(s.n[5])}), needed);
    store(base, results, needed);
    storage_of(base).hidden_sharers = true;
    return set(s.out, view_of(base, base.window, s.no_grad));
  }
  Window second;
  const bool two = kind.call_all && s.b != kNoSlot;
  if (two) kind.window(a.window, s.n, s.n[5], second);
  Alias view = view_of(a, window, s.no_grad);
  if (kind.whole_only && is_past(a, window)) view.needed = !s.no_grad && family_of(a).needs;
  set(s.out, view);
  if (two) set(s.b, view_of(a, second, s.no_grad));
}

/// Sum, Matmul, Cat, Take: results that gather cells.
void Oracle::apply_copy_like(const Statement& s) {
  const Alias a = aliases_[s.a], b = s.b < kSlots ? aliases_[s.b] : Alias();
  const Cells x = read(a, !s.no_grad), y = b.defined ? read(b, !s.no_grad) : Cells();
  std::array<Result, kMaxCells> results;
  for (Result& result : results) clear(result);
  Window shape = a.window;
  const auto take = [&](int to, const Cells& from, int i, double factor, double bend = 0) {
    Result& result = results[at(to)];
    result.value += factor * from.value[at(i)];
    if (features_.tangents) result.tangent += factor * from.tangent[at(i)];
    if (from.has_rows) add(result.row, *from.row[at(i)], factor, bend);
  };
  if (s.code == Code::Sum) {
    int later = 1, size = a.numel;
    if (s.n[0] < 0) {
      shape = Window();
    } else {
      for (int d = a.window.rank - 1; d > s.n[0]; --d) later *= a.window.size[at(d)];
      size = a.window.size[at(s.n[0])];
      for (int d = s.n[0]; d + 1 < shape.rank; ++d) shape.size[at(d)] = shape.size[at(d + 1)];
      --shape.rank;
    }
    for (int i = 0; i < a.numel; ++i)
      take(s.n[0] < 0 ? 0 : i / (later * size) * later + i % later, x, i, 1);
  } else if (s.code == Code::Matmul) {
    const int rows = a.window.size[0], inner = a.window.size[1], columns = b.window.size[1];
    shape.size[1] = static_cast<int8_t>(columns);
    for (int i = 0; i < rows * columns; ++i)
      for (int k = 0; k < inner; ++k) {
        const int left = i / columns * inner + k, right = k * columns + i % columns;
        Result& result = results[at(i)];
        const bool bends = features_.curves();
        take(i, x, left, y.value[at(right)], bends ? y.along[at(right)] : 0);
        if (features_.tangents) result.tangent += x.value[at(left)] * y.tangent[at(right)];
        if (y.has_rows)
          add(result.row, *y.row[at(right)], x.value[at(left)], bends ? x.along[at(left)] : 0);
      }
  } else if (s.code == Code::Cat) {
    shape.size[0] = static_cast<int8_t>(a.window.size[0] + b.window.size[0]);
    for (int i = 0; i < a.numel; ++i) take(i, x, i, 1);
    for (int i = 0; i < b.numel; ++i) take(a.numel + i, y, i, 1);
  } else {
    const int rest = a.numel / a.window.size[0];
    shape.size[0] = s.n[5];
    for (int i = 0; i < s.n[5] * rest; ++i) take(i, x, s.n[at(i / rest)] * rest + i % rest, 1);
  }
  bits_ += bits_of(s);
  const bool records = !s.no_grad && (says(a) || (b.defined && says(b)));
  if (records && s.code == Code::Matmul) {
    save(a, 0);
    save(b, 0);
  }
  family_of(a).used = true;
  if (b.defined) family_of(b).used = true;
  const Alias out = make_fresh(shape, records, &a, b.defined ? &b : nullptr);
  store(out, results, records);
  set(s.out, out);
}

void Oracle::apply_leaf(const Statement& s) {
  const bool leaf = s.code == Code::Leaf;
  const Alias out = make_fresh(dense_window({s.n.data(), at(s.n[5])}), leaf);
  std::array<Result, kMaxCells> results;
  for (int i = 0; i < out.numel; ++i) {
    clear(results[at(i)]);
    results[at(i)].value = pattern_value(s.n[4], i);
    if (leaf) results[at(i)].row[at(columns_ + i)] = 1;
  }
  store(out, results, leaf);
  families_.back().is_leaf = leaf;
  if (leaf) {
    leaves_.push_back({static_cast<int8_t>(columns_), out.numel});
    columns_ += out.numel;
  }
  set(s.out, out);
}

void Oracle::apply(const Statement& s) {
  operand_has_tangent_ = false;
  for (const uint8_t slot : {s.a, s.b}) {
    if (!is_defined(slot)) continue;
    operand_has_tangent_ |= may_have_tangent(aliases_[slot]);
    if (s.code != Code::Hook && s.code != Code::Drop) aliases_[slot].used = true;
  }
  switch (s.code) {
    case Code::Leaf:
    case Code::Constant:
      apply_leaf(s);
      break;
    case Code::Unary:
    case Code::UnaryWrite:
      apply_unary(s);
      break;
    case Code::Binary:
    case Code::BinaryWrite:
      apply_binary(s);
      break;
    case Code::View:
      apply_view(s);
      break;
    case Code::Matmul:
    case Code::Sum:
    case Code::Cat:
    case Code::Take:
      apply_copy_like(s);
      break;
    case Code::Put:
    case Code::PutAt:
      apply_put(s);
      break;
    case Code::Detach:
    case Code::Data:
    case Code::DetachWrite:
      apply_detach(s);
      break;
    case Code::SetData:
      apply_set_data(s);
      break;
    case Code::Function:
      apply_function(s);
      break;
    case Code::Hook:
      apply_hook(s);
      break;
    case Code::Dual:
      apply_dual(s);
      break;
    case Code::RawWrite:
      apply_raw_write(s);
      break;
    case Code::Drop:
      set(s.a, Alias());
      break;
    case Code::Backward:
    case Code::Grad:
    case Code::GradGrad:
      freed_ = freed_ || s.which == 0;
      break;
  }
  now_ = static_cast<uint16_t>(now_ + 4);
}

}  // namespace notape::verify::alias
