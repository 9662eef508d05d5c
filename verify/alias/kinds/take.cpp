// Elements at a list of positions, and the list.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include "ops/ops.h"
#include "verify/alias/draws.h"
#include "verify/alias/executor.h"

namespace notape::verify::alias {

Positions Positions::propose(Draws& draws, int size) {
  Positions one{.count = small(1 + draws.below(3))};
  for (int i = 0; i < one.count; ++i) one.at[alias::at(i)] = small(draws.below(size));
  return one;
}

bool Positions::fit(const Window& window) const {
  if (window.rank == 0 || count < 1 || count > static_cast<int>(at.size())) return false;
  for (int i = 0; i < count; ++i)
    if (at[alias::at(i)] < 0 || at[alias::at(i)] >= window.size[0]) return false;
  return true;
}

std::string Positions::text() const { return fmt::format("{{{}}}", fmt::join(list(), ", ")); }

Take Take::propose(Draws& draws, Slot) {
  Take one{.a = draws.any_slot()};
  const Window& w = draws.window_of(one.a);
  one.positions = Positions::propose(draws, w.rank > 0 ? w.size[0] : 1);
  one.out = draws.slot_for_result();
  return one;
}

Expectation Take::expect(const Oracle& oracle, bool no_grad) const {
  const Alias& x = oracle.alias(a);
  if (!positions.fit(x.window)) return kSkip;
  if (x.numel / x.window.size[0] * positions.count > kMaxCells) return kSkip;
  return oracle.expect_read(out, a, no_grad);
}

void Take::apply(Oracle& oracle, bool no_grad) const {
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

void Take::run(Executor& executor) const {
  executor.held(out) = executor.held(a).index({tensor(positions.list(), kInt64)});
}

std::string Take::text() const {
  return fmt::format("t{} = t{}.index({{tensor({}, kInt64)}});", out, a, positions.text());
}

}  // namespace notape::verify::alias
