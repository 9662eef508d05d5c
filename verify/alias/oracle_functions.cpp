// What a user function does to cells, derivatives and aliases.
#include "verify/alias/oracle.h"

namespace notape::verify::alias {
namespace {

using Effect = FunctionKind::Effect;

std::size_t at(int i) { return static_cast<std::size_t>(i); }

}  // namespace

void Oracle::apply_refused(const Statement& s) {
  const Alias a = aliases_[s.a];
  const FunctionKind& kind = function_kinds()[s.which];
  const Cells x = read(a, false);
  std::array<Result, kMaxCells> results;
  for (int i = 0; i < a.numel; ++i) {
    results[at(i)] = element(x, at(i));
    results[at(i)].value *= kind.takes_two() ? value(aliases_[s.b], i) : kind.slope;
  }
  write(a, results, false, false);
  now_ = static_cast<uint16_t>(now_ + 4);
}

void Oracle::apply_function(const Statement& s) {
  const FunctionKind& kind = function_kinds()[s.which];
  const Alias a = aliases_[s.a], b = kind.takes_two() ? aliases_[s.b] : Alias();
  const bool records = !s.no_grad && (says(a) || (b.defined && says(b)));
  const Cells x = read(a, records, kind.is_dirty() ? As::Target : As::Operand),
              y = b.defined ? read(b, records) : Cells();
  std::array<Result, kMaxCells> first{}, second{};
  const bool bends = b.defined && features_.curves();
  for (std::size_t i = 0; i < at(a.numel); ++i) {
    const double slope = b.defined ? y.value[i] : kind.slope;
    first[i].value = slope * x.value[i];
    if (features_.tangents) first[i].tangent = slope * x.tangent[i];
    if (x.has_rows) add(first[i].row, *x.row[i], slope, bends ? y.along[i] : 0);
    if (!b.defined) continue;
    if (features_.tangents) first[i].tangent += x.value[i] * y.tangent[i];
    if (y.has_rows) add(first[i].row, *y.row[i], x.value[i], bends ? x.along[i] : 0);
  }
  second = first;
  bits_ += bits_of(s);
  family_of(a).used = true;
  if (b.defined) family_of(b).used = true;
  Window shape = a.window;
  if (kind.adds_dim) view_kinds()[7].window(a.window, {0}, -1, shape);
  switch (kind.effect) {
    case Effect::FreshOfTwo: {
      if (records && kind.keeps != FunctionKind::Keeps::Copies) {
        save(a, 2);
        save(b, 2);
      }
      has_error_node_ |= records && kind.keeps != FunctionKind::Keeps::Inputs;
      const Alias out = make_fresh(shape, records, &a, b.defined ? &b : nullptr);
      store(out, first, records);
      set(s.out, out);
      break;
    }
    case Effect::Two: {
      for (std::size_t i = 0; i < at(a.numel); ++i) second[i] = element(x, i);
      const Alias copy = make_fresh(shape, records, &a, b.defined ? &b : nullptr);
      store(copy, second, records);
      if (records) {
        save(copy, 2);
        save(b, 2);
      }
      const Alias product = make_fresh(shape, records, &a, b.defined ? &b : nullptr);
      store(product, first, records);
      set(s.out, copy);
      set(static_cast<uint8_t>(s.n[0]), product);
      break;
    }
    case Effect::DirtyOfTwo:
      if (records) save(b, 2);
      has_error_node_ |= records;  // the copy of the old x
      [[fallthrough]];
    case Effect::Dirty:
      write(a, first, records, !s.no_grad);
      break;
    case Effect::DirtyPlus: {
      for (std::size_t i = 0; i < at(a.numel); ++i) {
        second[i].value *= 5;
        second[i].tangent *= 5;
        for (double& entry : second[i].row) entry *= 5;
      }
      write(a, first, records, !s.no_grad);
      const Alias out = make_fresh(shape, records, &a, b.defined ? &b : nullptr);
      store(out, second, records);
      set(s.out, out);
      break;
    }
    case Effect::Alias:
    case Effect::Declared: {
      const bool is_input = kind.effect == Effect::Alias && !kind.adds_dim;
      if (is_input && !records && says(a)) {  // a detached one
        set(s.out, detached(a));
        break;
      }
      const bool tagged = kind.effect == Effect::Alias;
      Alias out = view_of(a, shape, tagged || s.no_grad);
      // Where nothing is recorded a view is what forward, which records nothing, has made of it.
      if (tagged && (records || is_input)) out.tag = Tag::Function;
      if (records) {
        out.needed = true;
        out.rows = new_block();
        for (std::size_t i = 0; i < at(a.numel); ++i) blocks_.back()[at(a.cell[i])] = first[i].row;
      }
      set(s.out, out);
      break;
    }
    case Effect::AliasOfOwn: {
      const Alias base = make_fresh(shape, false, &a);
      storage_of(base).hidden_sharers = true;
      store(base, first, false);
      Alias out = view_of(base, base.window, true);
      if (records) {
        out.tag = Tag::Function;
        out.needed = true;
        out.rows = new_block();
        for (std::size_t i = 0; i < at(a.numel); ++i) blocks_.back()[i] = first[i].row;
      }
      set(s.out, out);
      break;
    }
    case Effect::Silent: {
      const Alias out = make_fresh(shape, records, &a, b.defined ? &b : nullptr);
      store(out, first, records);
      write(a, first, false, false);
      set(s.out, out);
      break;
    }
    case Effect::Refused:
      break;
  }
}

}  // namespace notape::verify::alias
