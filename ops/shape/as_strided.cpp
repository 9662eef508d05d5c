// as_strided(x, size, stride, offset): any window of x's storage; its derivative adds the gradient
// into zeros at the window.
#include "autograd/graph/region.h"
#include "autograd/tensor/covers.h"
#include "autograd/tensor/tensor_extra.h"
#include "ops/core/sizes.h"
#include "ops/shape.h"
#include "ops/shape/view_op.h"
#include "ops/shape/window.h"
#include "ops/spec/plain.h"
#include "ops/spec/row.h"

namespace notape {
namespace {

constexpr auto kAsStridedDerivative = derivative(
    "AsStridedBackward0",
    selection(
        [](const Tensor& grad, const Windows& w) { return region_gradient(grad, w.base, w.view); },
        [](const Tensor& tangent, const Windows& w) {
          return gather_window(tangent, w.base, w.view);
        }));

OpCase draw_as_strided(Draw& draw) {
  const int64_t rows = draw.integer(1, 4), columns = draw.integer(1, 4);
  const int64_t row_step = draw.integer(0, 4), column_step = draw.integer(0, 3);
  const int64_t offset = draw.integer(0, 3);
  const int64_t length = offset + (rows - 1) * row_step + (columns - 1) * column_step + 1;
  OpCase one;
  one.label = format_message("rows={} by {}, columns={} by {}, offset={}",
                             {rows, row_step, columns, column_step, offset});
  one.arguments = {{.sizes = {length + draw.integer(0, 2)}}};
  one.call = [=](const variable_list& x) {
    return as_strided(x[0].contiguous(), {rows, columns}, {row_step, column_step},
                      x[0].contiguous().storage_offset() + offset);
  };
  one.reference = [=]<typename T>(const PlainList<T>& x) {
    PlainTensor<T> result({rows, columns});
    for (int64_t i = 0; i < result.numel(); ++i)
      result.values[static_cast<std::size_t>(i)] = x[0].values[static_cast<std::size_t>(
          offset + i / columns * row_step + i % columns * column_step)];
    return result;
  };
  return one;
}

const RegisterOp as_strided_row(op_row("as_strided", "shape", draw_as_strided, Trait::Overlaps));

/// A window that leaves `self`, or onto cells that self shows several times: its derivative goes
/// past self to the base of the family, whose cells they are; cells outside that are constants.
Tensor view_of_base(const Operation& op, const Tensor& self, Geometry geometry) {
  Tensor result = make_view(self, std::move(geometry));
  detail::note_lost_gradient(result, {&self});
  TensorImpl& base = family_base(self.impl());
  if (!base.has(TensorImpl::kRequiresGrad) || base.has(TensorImpl::kVolatile)) return result;
  if (!thread_state.grad_mode || result.numel() == 0) return result;
  if (self.is_view() && self.impl().extra()->tag != ViewTag::Plain) {
    if (!needs_gradient(self)) return result;  // made in no-grad mode: constant
    op.fail<MemoryOverlap>(
        "the window leaves a view that was made by a custom Function, or shows cells that the view "
        "shows several times: it cannot be said what the Function's derivative is there");
  }
  if (base.extra() && base.extra()->lost_cells &&
      !covers(base.geometry(), result.impl().geometry()))
    op.fail<MemoryOverlap>(
        "the window leaves a tensor that showed more memory before as_strided_: it cannot be said "
        "what the gradient is there");
  if (!base.geometry().is_non_overlapping())
    op.fail<MemoryOverlap>(
        "the tensor whose gradient is wanted shows one memory location at several places, so it "
        "cannot be said which of them the window stands for");
  result.impl().set_history(make_view_backward(base, result.impl(), op.name, op.at), 0);
  return result;
}

}  // namespace

Tensor as_strided(const Tensor& self, IntArrayRef size, IntArrayRef stride,
                  std::optional<Integer> offset, At at) {
  const Operation op("as_strided", at);
  check_operand(op, self);
  Geometry geometry = geometry_of(op, size, stride, offset.value_or(self.storage_offset()));
  const auto available = static_cast<int64_t>(self.impl().storage()->bytes() / self.element_size());
  if (geometry.storage_end() > available)
    op.fail<ShapeError>(
        "size {}, stride {}, offset {} reach element {}, but the storage has {} elements",
        to_string(size), to_string(stride), geometry.offset(), geometry.storage_end() - 1,
        available);
  const Windows windows{self.impl().geometry(), geometry};
  if (is_inside(windows))
    return view_as(kAsStridedDerivative, op, self, std::move(geometry), windows);
  return view_of_base(op, self, std::move(geometry));
}

Tensor ShapeMembers::as_strided(IntArrayRef size, IntArrayRef stride, std::optional<Integer> offset,
                                At at) const {
  return notape::as_strided(self(), size, stride, offset, at);
}

Tensor& ShapeMembers::as_strided_(IntArrayRef size, IntArrayRef stride,
                                  std::optional<Integer> offset, At at) const {
  const Operation op("as_strided_", at);
  return become(op, self(), [&] { return notape::as_strided(self(), size, stride, offset, at); });
}

}  // namespace notape
