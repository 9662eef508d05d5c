// Products of matrices.
#pragma once
#include "verify/alias/kinds/kind.h"

namespace notape::verify::alias {

/// out = a b
struct Matmul {
  Slot out = kNoSlot, a = kNoSlot, b = kNoSlot;

  static Matmul propose(Draws& draws, Slot a) {
    const Slot b = draws.any_slot();
    draws.dimension();  // of a sum, which is drawn for all that might have been one
    return {draws.slot_for_result(), a, b};
  }

  Expectation expect(const Oracle& oracle, bool no_grad) const {
    const Expectation result = oracle.expect_read(out, a, b, no_grad);
    if (result.skip) return kSkip;
    const Window &x = oracle.alias(a).window, &y = oracle.alias(b).window;
    if (x.rank != 2 || y.rank != 2 || x.size[1] != y.size[0] || x.size[0] * y.size[1] > kMaxCells)
      return kSkip;
    return oracle.affordable(bits_of(*this, oracle)) ? result : kSkip;
  }

  void apply(Oracle& oracle, bool no_grad) const {
    const Alias left = oracle.alias(a), right = oracle.alias(b);
    const Cells x = oracle.read(left, !no_grad), y = oracle.read(right, !no_grad);
    const int rows = left.window.size[0], inner = left.window.size[1];
    const int columns = right.window.size[1];
    const bool bends = oracle.features().curves();
    Elements elements;
    for (int i = 0; i < rows * columns; ++i)
      for (int k = 0; k < inner; ++k) {
        const auto of_x = at(i / columns * inner + k), of_y = at(k * columns + i % columns);
        Element& result = elements[at(i)];
        result.value += y.value[of_y] * x.value[of_x];
        oracle.add_slope(result, x, of_x, y.value[of_y], bends ? y.along[of_y] : 0);
        oracle.add_slope(result, y, of_y, x.value[of_x], bends ? x.along[of_x] : 0);
      }
    oracle.grow_by(bits_of(*this, oracle));
    const bool records = !no_grad && (oracle.says(left) || oracle.says(right));
    if (records) {
      oracle.save(left, Oracle::When::Before);
      oracle.save(right, Oracle::When::Before);
    }
    oracle.family_of(left).used = oracle.family_of(right).used = true;
    Window shape = left.window;
    shape.size[1] = static_cast<int8_t>(columns);
    oracle.set(out, oracle.make_fresh(shape, records, elements, &left, &right));
  }

  void run(Executor& executor) const {
    executor.held(out) = executor.held(a).matmul(executor.held(b));
  }

  std::string text() const { return fmt::format("t{} = t{}.matmul(t{});", out, a, b); }
  Parts parts() { return {&out, {&a, &b}, {}, {}}; }
  bool operator==(const Matmul&) const = default;

 private:
  /// The product, and up to four terms of it.
  static double bits_of(const Matmul& one, const Oracle& oracle) {
    return oracle.bits_of_product(one.a, one.b) + 2;
  }
};

}  // namespace notape::verify::alias
