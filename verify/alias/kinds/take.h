// Elements at a list of positions.
#pragma once
#include "verify/alias/kinds/positions.h"

namespace notape::verify::alias {

/// out = a[positions]
struct Take {
  Slot out = kNoSlot, a = kNoSlot;
  Positions positions{};

  static Take propose(Draws& draws, Slot) {
    Take one{.a = draws.any_slot()};
    const Window& w = draws.window_of(one.a);
    one.positions = Positions::propose(draws, w.rank > 0 ? w.size[0] : 1);
    one.out = draws.slot_for_result();
    return one;
  }

  Expectation expect(const Oracle& oracle, bool no_grad) const {
    const Alias& x = oracle.alias(a);
    if (!positions.fit(x.window)) return kSkip;
    if (x.numel / x.window.size[0] * positions.count > kMaxCells) return kSkip;
    return oracle.expect_read(out, a, no_grad);
  }

  void apply(Oracle& oracle, bool no_grad) const {
    const Alias x = oracle.alias(a);
    const Cells cells = oracle.read(x, !no_grad);
    const int rest = x.numel / x.window.size[0];  // elements at one position
    Elements elements;
    for (int i = 0; i < positions.count * rest; ++i)
      elements[at(i)] = oracle.element(cells, at(positions.at[at(i / rest)] * rest + i % rest));
    oracle.family_of(x).used = true;
    Window shape = x.window;
    shape.size[0] = positions.count;
    oracle.set(out, oracle.make_fresh(shape, !no_grad && oracle.says(x), elements, &x));
  }

  void run(Executor& executor) const {
    executor.held(out) = executor.held(a).index({tensor(positions.list(), kInt64)});
  }

  std::string text() const {
    return fmt::format("t{} = t{}.index({{tensor({}, kInt64)}});", out, a, positions.text());
  }

  Parts parts() { return {&out, {&a}, {}, positions.numbers()}; }
  bool operator==(const Take&) const = default;
};

}  // namespace notape::verify::alias
