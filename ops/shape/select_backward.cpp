// select_backward(g, sizes, ..) and slice_backward(g, sizes, ..): zeros with g at the part that
// select or slice shows; the derivative takes it out again.
#include "autograd/tensor/factories.h"
#include "ops/core/composite.h"
#include "ops/core/promotion.h"
#include "ops/core/sizes.h"
#include "ops/core/wrap_dim.h"
#include "ops/shape.h"
#include "ops/shape/part.h"
#include "ops/shape/plain_pick.h"
#include "ops/shape/window.h"

namespace notape {
namespace {

/// `restrict` makes the part out of the whole.
template <typename Restrict>
Tensor placed(const Operation& op, const Tensor& grad, IntArrayRef sizes, int64_t dim,
              Restrict restrict) {
  check_operand(op, grad);
  for (const int64_t size : sizes)
    if (size < 0) op.fail<ShapeError>("input_sizes must not be negative: {}", to_string(sizes));
  if (sizes.empty()) op.fail<IndexError>("cannot be applied to a 0-dim tensor.");
  geometry_of(op, sizes);
  // One zero, seen everywhere: only its sizes are asked for.
  Part part(expand(zeros({}, kBool), sizes));
  restrict(part, wrap_dim(op, dim, part.dim()));
  if (!(part.sizes() == grad.sizes()))
    op.fail<ShapeError>("expected grad_output to have the shape of the part, {}, but it has {}",
                        to_string(part.sizes()), to_string(grad.sizes()));
  return scatter_window(grad, Geometry(sizes), part.in_row_major(), op.at);
}

OpCase draw_select_backward_select(Draw& draw) {
  auto [sizes, dim, place] = draw_along(draw, 1, 4, 1);
  const int64_t size = sizes[place], index = draw.integer(0, size - 1);
  const std::vector<int64_t> of_grad = plain_reduced(sizes, dim, false);
  OpCase one;
  one.label = format_message("{}, dim={}, index={}", {to_string(sizes), dim, index});
  one.arguments = {{.sizes = of_grad}};
  one.call = [=](const variable_list& x) {
    return select_backward(x[0], sizes, dim, index % 2 ? index - size : index);
  };
  one.reference = [=]<typename T>(const PlainList<T>& x) {
    return plain_place(PlainTensor<T>(sizes), x[0], [&](IndexTuple i) {
      i.insert(i.begin() + static_cast<std::ptrdiff_t>(place), index);
      return i;
    });
  };
  return one;
}

OpCase draw_select_backward_slice(Draw& draw) {
  auto [sizes, dim, place] = draw_along(draw, 1, 4, 0, 6);
  const int64_t start = draw.integer(0, sizes[place]), end = draw.integer(0, sizes[place] + 1);
  const int64_t step = draw.integer(1, 3), last = std::min(end, sizes[place]);
  std::vector<int64_t> of_grad = sizes;
  of_grad[place] = last > start ? (last - start - 1) / step + 1 : 0;
  OpCase one;
  one.label = format_message("{}, dim={}, {}:{}:{}", {to_string(sizes), dim, start, end, step});
  one.arguments = {{.sizes = of_grad}};
  one.call = [=](const variable_list& x) {
    return slice_backward(x[0], sizes, dim, start, end, step);
  };
  one.reference = [=]<typename T>(const PlainList<T>& x) {
    return plain_place(PlainTensor<T>(sizes), x[0], [&](IndexTuple i) {
      i[place] = start + i[place] * step;
      return i;
    });
  };
  return one;
}

const RegisterOp select_backward_select_row(op_row("select_backward", "shape",
                                                   draw_select_backward_select, Trait::Locates));
const RegisterOp select_backward_slice_row(op_row("slice_backward", "shape",
                                                  draw_select_backward_slice, Trait::Locates));

}  // namespace

Tensor select_backward(const Tensor& grad_output, IntArrayRef input_sizes, Integer dim,
                       Integer index, At at) {
  const Operation op("select_backward", at);
  return placed(op, grad_output, input_sizes, dim, [&](Part& part, int64_t place) {
    part.select(place, wrap_index(op, index, part.size(place), dim));
  });
}

Tensor slice_backward(const Tensor& grad_output, IntArrayRef input_sizes, Integer dim,
                      Integer start, Integer end, Integer step, At at) {
  const Operation op("slice_backward", at);
  if (step <= 0) op.fail<ValueError>("slice step must be positive, but got {}", step);
  return placed(op, grad_output, input_sizes, dim,
                [&](Part& part, int64_t place) { part.slice(place, start, end, step); });
}

}  // namespace notape
