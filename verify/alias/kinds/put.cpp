// Writes to one position, or to a slice, along dimension 0.
#include <fmt/format.h>

#include "ops/ops.h"
#include "verify/alias/draws.h"
#include "verify/alias/executor.h"
#include "verify/alias/view_windows.h"

namespace notape::verify::alias {
namespace {

bool target_of(const Put& one, const Window& from, Window& result) {
  return one.is_slice ? slice_window(from, 0, one.start, one.end, 1, result)
                      : select_window(from, 0, one.start, result);
}

}  // namespace

Put Put::propose(Draws& draws, Slot) {
  Put one{.a = draws.slot_to_write()};
  const Window& w = draws.window_of(one.a);
  const int size = w.rank > 0 ? w.size[0] : 1;
  one.is_slice = draws.below(2) == 1;
  one.start = small(draws.below(size));
  one.end = small(one.start + 1 + draws.below(size - one.start));
  one.b = draws.any_slot();
  return one;
}

Expectation Put::expect(const Oracle& oracle, bool no_grad) const {
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

void Put::apply(Oracle& oracle, bool no_grad) const {
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

void Put::run(Executor& executor) const {
  Tensor& x = executor.held(a);
  if (is_slice)
    x.index_put_({indexing::Slice(start, end)}, executor.held(b));
  else
    x.index_put_({int64_t{start}}, executor.held(b));
}

std::string Put::text() const {
  return is_slice
             ? fmt::format("t{}.index_put_({{indexing::Slice({}, {})}}, t{});", a, start, end, b)
             : fmt::format("t{}.index_put_({{{}}}, t{});", a, start, b);
}

}  // namespace notape::verify::alias
