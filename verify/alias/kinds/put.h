// Writes to one position, or to a slice, along dimension 0.
#pragma once
#include "ops/index.h"
#include "verify/alias/kinds/kind.h"
#include "verify/alias/view_windows.h"

namespace notape::verify::alias {

/// a[start] = b or a[start:end] = b
struct Put {
  Slot a = kNoSlot, b = kNoSlot;
  bool is_slice = false;
  int8_t start = 0, end = 0;

  static Put propose(Draws& draws, Slot) {
    Put one{.a = draws.slot_to_write()};
    const Window& w = draws.window_of(one.a);
    const int size = w.rank > 0 ? w.size[0] : 1;
    one.is_slice = draws.below(2) == 1;
    one.start = small(draws.below(size));
    one.end = small(one.start + 1 + draws.below(size - one.start));
    one.b = draws.any_slot();
    return one;
  }

  Expectation expect(const Oracle& oracle, bool no_grad) const {
    const Alias& x = oracle.alias(a);
    Window window, shape;
    if (!oracle.is_defined(b) || a == b || !target_of(*this, x.window, window)) return kSkip;
    const Alias& y = oracle.alias(b);
    if (!broadcast(window, y.window, shape) || !shape.same_shape(window)) return kSkip;
    Alias part = x;
    part.is_view = true;  // of tag Plain if x is a base
    Oracle::set_window(part, window);
    Expectation result = oracle.expect_write(part, &y, false, no_grad);
    if (!no_grad) result.must |= oracle.stale(x);
    return result;
  }

  void apply(Oracle& oracle, bool no_grad) const {
    const Alias x = oracle.alias(a), y = oracle.alias(b);
    const Cells values = oracle.read(y, !no_grad);
    oracle.family_of(y).used = true;
    Alias part = x;
    Window window;
    target_of(*this, x.window, window);
    Oracle::set_window(part, window);
    Elements elements;
    for (int i = 0; i < part.numel; ++i)
      elements[at(i)] = oracle.element(values, at(broadcast_position(window, y.window, i)));
    // The part's own history decides whether the write is recorded, as for any view.
    const Alias view = oracle.view_of(x, window, no_grad);
    oracle.write(part, elements, !no_grad && (oracle.needs(view) || oracle.says(y)), !no_grad);
  }

  void run(Executor& executor) const {
    Tensor& x = executor.held(a);
    if (is_slice)
      x.index_put_({indexing::Slice(start, end)}, executor.held(b));
    else
      x.index_put_({int64_t{start}}, executor.held(b));
  }

  std::string text() const {
    return is_slice
               ? fmt::format("t{}.index_put_({{indexing::Slice({}, {})}}, t{});", a, start, end, b)
               : fmt::format("t{}.index_put_({{{}}}, t{});", a, start, b);
  }

  Parts parts() { return {nullptr, {&a, &b}, {}, {&start, &end}}; }
  bool writes() const { return true; }
  bool operator==(const Put&) const = default;

 private:
  static bool target_of(const Put& one, const Window& from, Window& result) {
    return one.is_slice ? slice_window(from, 0, one.start, one.end, 1, result)
                        : select_window(from, 0, one.start, result);
  }
};

}  // namespace notape::verify::alias
