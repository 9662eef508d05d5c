// select_scatter(x, y, ..) and slice_scatter(x, y, ..): x with the part that select or slice shows
// replaced by y. The gradient of x is zero there, exactly, and y's is that part of the gradient.
#include "autograd/graph/record.h"
#include "ops/core/allocate.h"
#include "ops/core/promotion.h"
#include "ops/core/wrap_dim.h"
#include "ops/shape.h"
#include "ops/shape/part.h"
#include "ops/shape/plain_pick.h"
#include "ops/shape/window.h"

namespace notape {
namespace {

constexpr auto kSelectScatterDerivative = derivative(
    "ScatterBackward0",
    selection([](const Tensor& grad,
                 const Windows& w) { return replace_window(grad, w.base, w.view, Tensor()); },
              [](const Tensor& tangent, const Windows& w) {
                return replace_window(tangent, w.base, w.view, Tensor());
              }),
    movement(
        [](const Tensor& grad, const Windows& w, const Meta<1>& src) {
          return to(gather_window(grad, w.base, w.view), src.dtype());
        },
        [](const Tensor& tangent, const Windows& w, const Meta<0>& self) {
          return scatter_window(to(tangent, self.dtype()), w.base, w.view);
        }));

/// `part` restricts a row-major tensor of self's sizes.
Tensor replaced(const Operation& op, const Tensor& self, const Tensor& src, const Part& part) {
  if (!(part.sizes() == src.sizes()))
    op.fail<ShapeError>(
        "expected src to have a size equal to the slice of self. src size = {}, slice size = {}",
        to_string(src.sizes()), to_string(part.sizes()));
  const Tensor result = allocate_for({&self, &src}, Geometry(self.sizes()), self.dtype());
  raw_copy(result, self);
  raw_copy(raw_alias(result, part.in_row_major()), src);
  return record(kSelectScatterDerivative, op, result,
                Windows{Geometry(self.sizes()), part.in_row_major()}, self, src);
}

OpCase draw_select_scatter_select(Draw& draw) {
  auto [sizes, dim, place] = draw_along(draw, 1, 4);
  sizes[place] = std::max<int64_t>(sizes[place], 1);
  const int64_t index = draw.integer(0, sizes[place] - 1);
  std::vector<int64_t> of_src = sizes;
  of_src.erase(of_src.begin() + static_cast<std::ptrdiff_t>(place));
  OpCase one;
  one.label = format_message("dim={}, index={}", {dim, index});
  one.arguments = {{.sizes = sizes}, {.sizes = of_src}};
  one.call = [=](const variable_list& x) {
    return select_scatter(x[0], x[1], dim, index % 2 ? index - sizes[place] : index);
  };
  one.reference = [=]<typename T>(const PlainList<T>& x) {
    return plain_place(x[0], x[1], [&](IndexTuple i) {
      i.insert(i.begin() + static_cast<std::ptrdiff_t>(place), index);
      return i;
    });
  };
  return one;
}

OpCase draw_select_scatter_slice(Draw& draw) {
  auto [sizes, dim, place] = draw_along(draw, 1, 4, 0, 6);
  const int64_t size = sizes[place];
  const int64_t start = draw.integer(0, size), end = draw.integer(0, size);
  const int64_t step = draw.integer(1, 3);
  std::vector<int64_t> of_src = sizes;
  of_src[place] = end > start ? (end - start - 1) / step + 1 : 0;
  OpCase one;
  one.label = format_message("dim={}, {}:{}:{}", {dim, start, end, step});
  one.arguments = {{.sizes = sizes}, {.sizes = of_src}};
  one.call = [=](const variable_list& x) {
    return slice_scatter(x[0], x[1], dim, start, end == size ? std::nullopt : std::optional(end),
                         step);
  };
  one.reference = [=]<typename T>(const PlainList<T>& x) {
    return plain_place(x[0], x[1], [&](IndexTuple i) {
      i[place] = start + i[place] * step;
      return i;
    });
  };
  return one;
}

const RegisterOp select_scatter_select_row(op_row("select_scatter", "shape",
                                                  draw_select_scatter_select,
                                                  Trait::Locates | Trait::Overwrites));
const RegisterOp select_scatter_slice_row(op_row("slice_scatter", "shape",
                                                 draw_select_scatter_slice,
                                                 Trait::Locates | Trait::Overwrites));

}  // namespace

Tensor select_scatter(const Tensor& self, const Tensor& src, Integer dim, Integer index, At at) {
  const Operation op("select_scatter", at);
  check_operands(op, {&self, &src});
  if (self.dim() == 0) op.fail<IndexError>("select() cannot be applied to a 0-dim tensor.");
  const int64_t place = wrap_dim(op, dim, self.dim());
  Part part(self);
  part.select(place, wrap_index(op, index, part.size(place), dim));
  return replaced(op, self, src, part);
}

Tensor slice_scatter(const Tensor& self, const Tensor& src, Integer dim,
                     std::optional<Integer> start, std::optional<Integer> end, Integer step,
                     At at) {
  const Operation op("slice_scatter", at);
  check_operands(op, {&self, &src});
  if (self.dim() == 0) op.fail<IndexError>("slice() cannot be applied to a 0-dim tensor.");
  const int64_t place = wrap_dim(op, dim, self.dim());
  if (step <= 0) op.fail<ValueError>("slice step must be positive, but got {}", step);
  Part part(self);
  part.slice(place, start, end, step);
  return replaced(op, self, src, part);
}

Tensor ShapeMembers::select_scatter(const Tensor& src, Integer dim, Integer index, At at) const {
  return notape::select_scatter(self(), src, dim, index, at);
}
Tensor ShapeMembers::slice_scatter(const Tensor& src, Integer dim, std::optional<Integer> start,
                                   std::optional<Integer> end, Integer step, At at) const {
  return notape::slice_scatter(self(), src, dim, start, end, step, at);
}

}  // namespace notape
