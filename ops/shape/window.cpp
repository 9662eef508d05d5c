// Windows onto a storage, and back. A tensor with the sizes of `base` is first laid out as the base
// is; then the view is plain striding. Bases with gaps or overlaps are laid out over their span.
#include "ops/shape/window.h"

#include <algorithm>

#include "autograd/graph/record.h"
#include "autograd/modes/grad_mode.h"
#include "autograd/tensor/factories.h"
#include "ops/arithmetic.h"
#include "ops/core/allocate.h"
#include "ops/core/wrapping.h"

namespace notape {
namespace {

/// The storage range that base and view reach together, from `start`.
struct Span {
  explicit Span(const Windows& w)
      : start(std::min(w.base.offset(), w.view.offset())),
        length(std::max(w.base.storage_end(), w.view.storage_end()) - start) {}
  Geometry relative(const Geometry& g) const { return g.at_offset(g.offset() - start); }
  /// The range, to lay values of such tensors into.
  Tensor zeros(std::initializer_list<const Tensor*> values) const {
    return zeros_for(values, {std::max<int64_t>(length, 0)}, (*values.begin())->dtype());
  }
  int64_t start, length;
};

Tensor through(const Tensor& span_buffer, const Geometry& window) {
  return raw_alias(span_buffer, window);
}

Tensor gather_raw(const Tensor& base_value, const Windows& w) {
  Tensor result = allocate_for({&base_value}, Geometry(w.view.sizes()), base_value.dtype());
  if (w.view.numel() == 0) return result;
  const Span span(w);
  const Tensor buffer = span.zeros({&base_value});
  raw_copy(through(buffer, span.relative(w.base)), base_value);
  raw_copy(result, through(buffer, span.relative(w.view)));
  return result;
}

Geometry without_dim(const Geometry& g, int dim, int64_t index) {
  DimVector sizes, strides;
  for (int d = 0; d < g.dim(); ++d)
    if (d != dim) {
      sizes.push_back(g.size(d));
      strides.push_back(g.stride(d));
    }
  return Geometry(sizes, strides, g.offset() + index * g.stride(dim));
}

/// The dimension without which a window that overlaps itself is taken apart into the fewest parts:
/// if possible one whose parts do not overlap themselves.
int dim_to_part_by(const Geometry& g) {
  int best = -1;
  bool best_is_enough = false;
  for (int d = 0; d < g.dim(); ++d) {
    if (g.size(d) < 2) continue;
    const bool is_enough = without_dim(g, d, 0).is_non_overlapping();
    const bool is_smaller = best < 0 || g.size(d) < g.size(best);
    if (is_enough == best_is_enough ? is_smaller : is_enough || best < 0) {
      best = d;
      best_is_enough = is_enough;
    }
  }
  return best;
}

/// Part by part, none of which overlaps itself, each by the device's own kernel.
void add_parts(const Tensor& target, const Tensor& value) {
  const Geometry &to = target.impl().geometry(), &from = value.impl().geometry();
  if (to.is_non_overlapping()) return core_operators->add_into(target, value);
  const int dim = dim_to_part_by(to);
  for (int64_t i = 0; i < to.size(dim); ++i)
    add_parts(raw_alias(target, without_dim(to, dim, i)),
              raw_alias(value, without_dim(from, dim, i)));
}

/// Adds one element after the other, so windows may overlap themselves.
void add_elements(const Tensor& target, const Tensor& value) {
  if (any_batched(target, value)) {
    const BatchLevels levels = levels_of(target);
    return add_elements(with_batch_dims(target, levels, target.dim()),
                        with_batch_dims(value, levels, target.dim()));
  }
  if (!target.is_cpu()) return add_parts(target, value);
  visit_type(target.dtype(), [&]<typename T>() {
    const Geometry& to = target.impl().geometry();
    const Tensor from = raw_contiguous(value);
    T* base = static_cast<T*>(target.impl().storage()->data());
    const T* source = from.impl().data_as<T>();
    std::vector<int64_t> index(static_cast<std::size_t>(to.dim()), 0);
    int64_t at = to.offset();
    for (int64_t i = 0; i < to.numel(); ++i) {
      base[at] =
          static_cast<T>(static_cast<Wrapping<T>>(base[at]) + static_cast<Wrapping<T>>(source[i]));
      for (int d = to.dim(); d-- > 0;) {
        at += to.stride(d);
        if (++index[static_cast<std::size_t>(d)] < to.size(d)) break;
        at -= to.stride(d) * to.size(d);
        index[static_cast<std::size_t>(d)] = 0;
      }
    }
  });
}

/// The window of a buffer of zeros.
void fill_window(const Tensor& window, const Tensor& value, const Windows& w) {
  if (w.view.is_non_overlapping())
    raw_copy(window, value);
  else
    add_elements(window, value);
}

/// Into a base without gaps: straight into the result, zeros only where the window leaves any.
Tensor scatter_into_dense(const Tensor& value, const Windows& w) {
  const bool filled = w.view.is_non_overlapping() && w.view.numel() == w.base.numel();
  const DimVector length(1, w.base.numel());
  const Tensor buffer = filled ? allocate_for({&value}, Geometry(length), value.dtype())
                               : zeros_for({&value}, length, value.dtype());
  if (w.view.numel() > 0)
    fill_window(through(buffer, w.view.at_offset(w.view.offset() - w.base.offset())), value, w);
  return through(buffer, w.base.at_offset(0));
}

Tensor scatter_raw(const Tensor& value, const Windows& w) {
  if (is_inside(w)) return scatter_into_dense(value, w);
  Tensor result = allocate_for({&value}, Geometry(w.base.sizes()), value.dtype());
  const Span span(w);
  const Tensor buffer = span.zeros({&value});
  if (w.view.numel() > 0) fill_window(through(buffer, span.relative(w.view)), value, w);
  if (w.base.numel() > 0) raw_copy(result, through(buffer, span.relative(w.base)));
  return result;
}

constexpr auto kGather = derivative(
    "GatherWindowBackward",
    selection(
        [](const Tensor& grad, const Windows& w) { return scatter_window(grad, w.base, w.view); },
        [](const Tensor& tangent, const Windows& w) {
          return gather_window(tangent, w.base, w.view);
        }));
constexpr auto kScatter = derivative(
    "ScatterWindowBackward",
    movement(
        [](const Tensor& grad, const Windows& w) { return gather_window(grad, w.base, w.view); },
        [](const Tensor& tangent, const Windows& w) {
          return scatter_window(tangent, w.base, w.view);
        }));
constexpr auto kReplace = derivative(
    "ReplaceWindowBackward",
    selection([](const Tensor& grad,
                 const Windows& w) { return replace_window(grad, w.base, w.view, Tensor()); },
              [](const Tensor& tangent, const Windows& w) {
                return replace_window(tangent, w.base, w.view, Tensor());
              }),
    movement(
        [](const Tensor& grad, const Windows& w) { return gather_window(grad, w.base, w.view); },
        [](const Tensor& tangent, const Windows& w) {
          return scatter_window(tangent, w.base, w.view);
        }));

/// Whether neither graph nor tangents want to know what is done.
bool is_unobserved() { return !thread_state.grad_mode && thread_state.forward_levels == 0; }

/// Whether `filler` may be written or added into the buffer of `value`.
bool may_reuse(const Tensor& value, const Tensor& filler, const Geometry& base) {
  const TensorImpl& impl = value.impl();
  if (is_batched(filler) && !without(levels_of(filler), levels_of(value)).empty()) return false;
  return is_unobserved() && impl.use_count() == 1 && impl.storage()->is_exclusive() &&
         !impl.storage()->is_foreign() && !impl.storage()->is_pinned() &&
         impl.geometry().strides() == base.strides();
}

/// The value, laid out as the base: itself if `in_place`, else a copy that can take `filler`, too.
Tensor buffer_of(const Tensor& value, const Tensor& filler, const Geometry& base, bool in_place) {
  if (in_place) return value;
  Tensor copy = allocate_for({&value, &filler}, base.at_offset(0), value.dtype());
  raw_copy(copy, value);
  return copy;
}

Tensor window_of(const Tensor& buffer, const Windows& w) {
  const int64_t start = buffer.storage_offset() + w.view.offset() - w.base.offset();
  return raw_alias(buffer, w.view.at_offset(start));
}

}  // namespace

bool is_inside(const Windows& w) {
  return w.base.is_dense() && w.view.offset() >= w.base.offset() &&
         w.view.storage_end() <= w.base.storage_end();
}

Tensor gather_window(const Tensor& base_value, const Geometry& base, const Geometry& view, At at) {
  const Operation op("gather_window", at);
  const Windows w{base, view};
  const Geometry& own = base_value.impl().geometry();
  if (is_unobserved() && is_inside(w) && own.strides() == base.strides())
    // no copy: the window of the buffer itself
    return raw_alias(base_value, view.at_offset(own.offset() + view.offset() - base.offset()));
  return record(kGather, op, gather_raw(base_value, w), w, base_value);
}

Tensor scatter_window(const Tensor& value, const Geometry& base, const Geometry& view, At at) {
  const Operation op("scatter_window", at);
  const Windows w{base, view};
  return record(kScatter, op, scatter_raw(value, w), w, value);
}

Tensor replace_window(Tensor base_value, const Geometry& base, const Geometry& view,
                      const Tensor& value, At at) {
  const Operation op("replace_window", at);
  const Windows w{base, view};
  const Tensor filler = value.defined() ? value : zeros(view.sizes(), base_value.options());
  if (is_inside(w)) {
    const bool in_buffer = may_reuse(base_value, filler, base);
    Tensor result = buffer_of(base_value, filler, base, in_buffer);
    raw_copy(window_of(result, w), filler);
    return in_buffer ? result : record(kReplace, op, std::move(result), w, base_value, filler);
  }
  // The base has gaps, or the window reaches beyond it.
  const Span span(w);
  const Tensor buffer = span.zeros({&base_value, &filler});
  raw_copy(through(buffer, span.relative(base)), base_value);
  if (view.numel() > 0) raw_copy(through(buffer, span.relative(view)), filler);
  Tensor result = allocate_for({&base_value, &filler}, Geometry(base.sizes()), base_value.dtype());
  raw_copy(result, through(buffer, span.relative(base)));
  return record(kReplace, op, std::move(result), w, base_value, filler);
}

Tensor add_window(Tensor base_value, const Geometry& base, const Geometry& view,
                  const Tensor& value) {
  const NoGradGuard no_grad;
  const Windows w{base, view};
  if (!is_inside(w)) return base_value + scatter_window(value, base, view);
  Tensor result = buffer_of(base_value, value, base, may_reuse(base_value, value, base));
  const Tensor window = window_of(result, w);
  const Tensor addend = raw_convert(value, result.dtype());
  if (view.is_non_overlapping())
    core_operators->add_into(window, addend);
  else
    add_elements(window, addend);
  return result;
}

}  // namespace notape
