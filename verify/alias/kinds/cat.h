// Two tensors joined along dimension 0.
#pragma once
#include <algorithm>

#include "ops/shape.h"
#include "verify/alias/kinds/kind.h"

namespace notape::verify::alias {

/// out = a and b joined along dimension 0
struct Cat {
  Slot out = kNoSlot, a = kNoSlot, b = kNoSlot;

  static Cat propose(Draws& draws, Slot a) {
    const Slot b = draws.any_slot();
    draws.dimension();  // of a sum, which is drawn for all that might have been one
    return {draws.slot_for_result(), a, b};
  }

  Expectation expect(const Oracle& oracle, bool no_grad) const {
    if (!oracle.is_defined(b)) return kSkip;
    const Alias &x = oracle.alias(a), &y = oracle.alias(b);
    const int rank = x.window.rank;
    if (rank == 0 || rank != y.window.rank || x.numel + y.numel > kMaxCells) return kSkip;
    const auto& sizes = x.window.size;
    if (!std::equal(sizes.begin() + 1, sizes.begin() + rank, y.window.size.begin() + 1))
      return kSkip;
    return oracle.expect_read(out, a, b, no_grad);
  }

  void apply(Oracle& oracle, bool no_grad) const {
    const Alias x = oracle.alias(a), y = oracle.alias(b);
    Elements elements;
    std::size_t next = 0;
    for (const Alias& part : {x, y}) {
      const Cells cells = oracle.read(part, !no_grad);
      for (std::size_t i = 0; i < at(part.numel); ++i) elements[next++] = oracle.element(cells, i);
    }
    const bool records = !no_grad && (oracle.says(x) || oracle.says(y));
    oracle.family_of(x).used = oracle.family_of(y).used = true;
    Window shape = x.window;
    shape.size[0] = static_cast<int8_t>(x.window.size[0] + y.window.size[0]);
    oracle.set(out, oracle.make_fresh(shape, records, elements, &x, &y));
  }

  void run(Executor& executor) const {
    executor.held(out) = notape::cat({executor.held(a), executor.held(b)}, 0);
  }

  std::string text() const { return fmt::format("t{} = cat({{t{}, t{}}}, 0);", out, a, b); }
  Parts parts() { return {&out, {&a, &b}, {}, {}}; }
  bool operator==(const Cat&) const = default;
};

}  // namespace notape::verify::alias
