// Sums over a dimension or over everything.
#pragma once
#include "verify/alias/kinds/kind.h"
#include "verify/alias/view_windows.h"

namespace notape::verify::alias {

/// out = sum of a over a dimension
struct Sum {
  Slot out = kNoSlot, a = kNoSlot;
  int8_t dim = -1;  ///< negative: of everything

  static Sum propose(Draws& draws, Slot a) {
    const int8_t dim = draws.dimension();
    return {draws.slot_for_result(), a, dim};
  }

  Expectation expect(const Oracle& oracle, bool no_grad) const {
    return dim < oracle.alias(a).window.rank ? oracle.expect_read(out, a, no_grad) : kSkip;
  }

  void apply(Oracle& oracle, bool no_grad) const {
    const Alias x = oracle.alias(a);
    const Cells cells = oracle.read(x, !no_grad);
    Window shape;
    int later = 1, size = x.numel;  // of the later dimensions, and of this one
    if (dim >= 0) {
      shape = x.window;
      for (int d = shape.rank - 1; d > dim; --d) later *= shape.size[at(d)];
      size = shape.size[at(dim)];
      remove_dim(shape, dim);
    }
    Elements elements;
    for (int i = 0; i < x.numel; ++i) {
      Element& result = elements[dim < 0 ? 0 : at(i / (later * size) * later + i % later)];
      result.value += cells.value[at(i)];
      oracle.add_slope(result, cells, at(i), 1);
    }
    oracle.family_of(x).used = true;
    oracle.set(out, oracle.make_fresh(shape, !no_grad && oracle.says(x), elements, &x));
  }

  void run(Executor& executor) const {
    const Tensor& x = executor.held(a);
    executor.held(out) = dim < 0 ? x.sum() : x.sum({dim});
  }

  std::string text() const {
    return dim < 0 ? fmt::format("t{} = t{}.sum();", out, a)
                   : fmt::format("t{} = t{}.sum({{{}}});", out, a, dim);
  }

  Parts parts() { return {&out, {&a}, {}, {&dim}}; }
  bool operator==(const Sum&) const = default;
};

}  // namespace notape::verify::alias
