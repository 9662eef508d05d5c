// Writes to a list of positions along dimension 0; of one that comes twice, the last counts.
#pragma once
#include "ops/index.h"
#include "verify/alias/kinds/positions.h"

namespace notape::verify::alias {

/// a[positions] = b
struct PutAt {
  Slot a = kNoSlot, b = kNoSlot;
  Positions positions{};

  static PutAt propose(Draws& draws, Slot) {
    PutAt one{.a = draws.slot_to_write()};
    const Window& w = draws.window_of(one.a);
    one.positions = Positions::propose(draws, w.rank > 0 ? w.size[0] : 1);
    one.b = draws.any_slot();
    return one;
  }

  Expectation expect(const Oracle& oracle, bool no_grad) const {
    const Alias& x = oracle.alias(a);
    if (!oracle.is_defined(b) || a == b || !positions.fit(x.window)) return kSkip;
    const Alias& y = oracle.alias(b);
    const Window values = shape_of(*this, x.window);
    Window shape;
    if (!broadcast(values, y.window, shape) || !shape.same_shape(values)) return kSkip;
    Expectation result =
        oracle.expect_write(x, y.storage == x.storage ? nullptr : &y, false, no_grad);
    if (no_grad) return result;
    result.must |= oracle.stale(y);
    if (!oracle.says(y)) return result;
    result.must |= refusal(x.tag);
    if (x.is_view && oracle.family_of(x).overlaps_itself)
      result.must |= bit(Failure::MemoryOverlap);
    return result;
  }

  void apply(Oracle& oracle, bool no_grad) const {
    const Alias x = oracle.alias(a), y = oracle.alias(b);
    const Cells values = oracle.read(y, !no_grad);
    const bool records = !no_grad && (oracle.needs(x) || oracle.says(y));
    oracle.family_of(y).used = true;
    const Cells old = oracle.read(x, !no_grad, Oracle::As::Target);
    Elements elements;
    for (std::size_t i = 0; i < at(x.numel); ++i) elements[i] = oracle.element(old, i);
    const Window shape = shape_of(*this, x.window);
    const int rest = x.numel / x.window.size[0];  // elements at one position
    for (int i = 0; i < positions.count * rest; ++i)
      elements[at(positions.at[at(i / rest)] * rest + i % rest)] =
          oracle.element(values, at(broadcast_position(shape, y.window, i)));
    oracle.write(x, elements, records, !no_grad);
  }

  void run(Executor& executor) const {
    executor.held(a).index_put_({tensor(positions.list(), kInt64)}, executor.held(b));
  }

  std::string text() const {
    return fmt::format("t{}.index_put_({{tensor({}, kInt64)}}, t{});", a, positions.text(), b);
  }

  Parts parts() { return {nullptr, {&a, &b}, {}, positions.numbers()}; }
  bool writes() const { return true; }
  bool operator==(const PutAt&) const = default;

 private:
  static Window shape_of(const PutAt& one, const Window& target) {
    Window values = target;
    values.size[0] = one.positions.count;
    return values;
  }
};

}  // namespace notape::verify::alias
