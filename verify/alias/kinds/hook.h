// Hooks, which see what passes through a tensor, or through one view of it.
#pragma once
#include <algorithm>

#include "verify/alias/kinds/kind.h"

namespace notape::verify::alias {

/// Observes the gradient of a, and multiplies it.
struct Hook {
  static constexpr bool kIgnoresGradMode = true, kIsNoUse = true;
  Slot a = kNoSlot;
  int8_t scale = 1;

  static Hook propose(Draws& draws, Slot a) { return {a, small(1 + draws.below(2))}; }

  Expectation expect(const Oracle& oracle, bool) const {
    const Alias& x = oracle.alias(a);
    if (!oracle.needs(x) || oracle.hooks().size() == kHooks || !leads_to_leaf(oracle, x))
      return kSkip;
    const bool may_hook = x.is_view ? !x.used && x.tag == Tag::Plain &&
                                          !oracle.has_own_rows(x, Oracle::As::Operand) &&
                                          !x.overlaps_itself() && oracle.can_make_block()
                                    : !oracle.family_of(x).used && !has_views(oracle, x);
    return may_hook ? Expectation() : kSkip;
  }

  void apply(Oracle& oracle, bool) const {
    Alias& x = oracle.held(a);
    const std::size_t column = kLeafColumns + oracle.hooks().size();
    if (x.is_view) {  // what is read through it from now on passes the hook
      const Cells cells = oracle.read(x, true);
      auto& block = oracle.new_block(x);
      for (int i = 0; i < x.numel; ++i)
        if (cells.has_rows) block[at(x.cell[at(i)])] = *cells.row[at(i)];
      x.hooked = x.needed = true;
      x.made = oracle.next_time();
    }
    auto& rows = x.is_view ? oracle.block_of(x) : oracle.family_of(x).row;
    for (int i = 0; i < x.numel; ++i) {
      Row& row = rows[at(x.cell[at(i)])];
      for (double& entry : row) entry *= scale;
      row[column] = direction_value(i);
    }
    x.used = oracle.family_of(x).used = true;
    oracle.add_hook(x, scale);
  }

  void run(Executor& executor) const { executor.observe(executor.held(a), scale); }

  std::string text() const {
    return scale == 1
               ? fmt::format("t{}.register_hook([](const Tensor& g) {{ std::cout << g; }});", a)
               : fmt::format("t{}.register_hook([](const Tensor& g) {{ return g * {}; }});", a,
                             scale);
  }

  Parts parts() { return {nullptr, {&a}, {}, {&scale}}; }
  bool operator==(const Hook&) const = default;

 private:
  /// What is made of a view cut by no-grad mode is recorded and leads to no leaf: whether a
  /// backward passes there depends on how it is asked for.
  static bool leads_to_leaf(const Oracle& oracle, const Alias& a) {
    const Cells cells = oracle.read(a, true);
    for (std::size_t i = 0; cells.has_rows && i < at(a.numel); ++i)
      for (const double slope : *cells.row[i])
        if (slope != 0) return true;
    return false;
  }

  static bool has_views(const Oracle& oracle, const Alias& base) {
    for (int slot = 0; slot < kSlots; ++slot) {
      const Alias& other = oracle.alias(slot);
      if (other.defined && other.is_view && other.family == base.family) return true;
    }
    return false;
  }
};

}  // namespace notape::verify::alias
