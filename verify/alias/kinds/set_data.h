// set_data: a tensor shows other memory from now on, and keeps its history and tangent.
#pragma once
#include "verify/alias/kinds/kind.h"

namespace notape::verify::alias {

/// a.set_data(b)
struct SetData {
  static constexpr bool kIgnoresGradMode = true;
  Slot a = kNoSlot, b = kNoSlot;

  static SetData propose(Draws& draws, Slot a) { return {a, draws.partner_of(a)}; }

  Expectation expect(const Oracle& oracle, bool) const {
    if (!oracle.is_defined(b) || a == b || !oracle.can_store(0, 1)) return kSkip;
    const Alias &x = oracle.alias(a), &y = oracle.alias(b);
    if (!x.window.same_shape(y.window) || y.overlaps_itself()) return kSkip;
    Expectation result{.must = oracle.stale(x)};
    if (!oracle.features().tangents) return result;
    if (oracle.sharers(x) > 1)
      result.must |= bit(Failure::SetDataError);
    else if (oracle.storage_of(x).hidden_sharers)
      result.may |= bit(Failure::SetDataError);
    return result;
  }

  void apply(Oracle& oracle, bool) const {
    Alias& x = oracle.held(a);
    const Alias y = oracle.alias(b);
    const Cells cells = oracle.read(x, true);
    const bool needed = oracle.needs(x), leaf = !x.is_view && oracle.family_of(x).is_leaf;
    oracle.storage_of(x).hidden_sharers = oracle.storage_of(y).hidden_sharers = true;
    oracle.family_of(x).used = true;  // a view takes its edge into the family along
    Alias renewed = oracle.make(y.window, y.storage, oracle.new_family(y.storage));
    renewed.serial = x.serial;
    Family& family = oracle.family_of(renewed);
    if (needed) Oracle::ensure_rows(family);
    family.is_leaf = leaf;
    family.used = true;
    family.whole = false;
    renewed.tangents = oracle.new_tangents();  // its own, whatever memory it shows
    TangentField& tangents = oracle.tangents_of(renewed);
    tangents.exists = oracle.may_have_tangent(x);
    for (int i = 0; i < x.numel; ++i) {
      const auto cell = at(y.cell[at(i)]);
      if (cells.has_rows) family.row[cell] = *cells.row[at(i)];
      tangents.of[cell] = oracle.tangent(x, i);
    }
    x = renewed;
  }

  void run(Executor& executor) const { executor.held(a).set_data(executor.held(b)); }
  std::string text() const { return fmt::format("t{}.set_data(t{});", a, b); }
  Parts parts() { return {nullptr, {&a, &b}, {}, {}}; }
  bool operator==(const SetData&) const = default;
};

}  // namespace notape::verify::alias
