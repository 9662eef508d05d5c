// view(x, size) and reshape(x, size): the same elements in another shape.
#include "ops/shape.h"
#include "ops/shape/view_op.h"
#include "ops/spec/plain.h"
#include "ops/spec/row.h"

namespace notape {
namespace {

constexpr auto kViewDerivative = derivative(
    "ViewBackward0",
    movement([](const Tensor& grad, const Meta<0>& self) { return reshape(grad, self.sizes()); },
             [](const Tensor& tangent, const Sizes& size) { return reshape(tangent, size); }));

/// Fills in one -1.
DimVector infer_size(const Operation& op, IntArrayRef size, int64_t numel) {
  DimVector sizes = size;
  int64_t product = 1, unknown = -1;
  bool is_empty = false;
  for (std::size_t i = 0; i < sizes.size(); ++i) {
    if (sizes[i] == -1) {
      if (unknown >= 0) op.fail<ShapeError>("only one dimension can be inferred");
      unknown = static_cast<int64_t>(i);
    } else if (sizes[i] < 0) {
      op.fail<ShapeError>("invalid shape dimension {}", sizes[i]);
    } else {
      is_empty |= sizes[i] == 0;  // counts as 1, so that strides are numbers, too
      if (__builtin_mul_overflow(product, std::max<int64_t>(sizes[i], 1), &product))
        op.fail<ShapeError>("shape {} is too large", to_string(size));
    }
  }
  if (is_empty) product = 0;
  if (unknown >= 0 && product != 0 && numel % product == 0) {
    sizes[static_cast<std::size_t>(unknown)] = numel / product;
    return sizes;
  }
  if (unknown >= 0 && product == 0)
    op.fail<ShapeError>(
        "cannot reshape tensor of {} elements into shape {} because the unspecified "
        "dimension size -1 can be any value",
        numel, to_string(size));
  if (unknown >= 0 || product != numel)
    op.fail<ShapeError>("shape '{}' is invalid for input of size {}", to_string(size), numel);
  return sizes;
}

/// Strides that show the elements of `from` in shape `sizes`; none if only a copy can.
std::optional<DimVector> view_strides(const Geometry& from, const DimVector& sizes) {
  if (from.numel() == 0 || from.is_contiguous()) return contiguous_strides(sizes);
  DimVector strides(sizes.size());
  auto next = static_cast<int64_t>(sizes.size()) - 1;
  int64_t chunk = 1, chunk_stride = from.stride(from.dim() - 1);
  for (int d = from.dim() - 1; d >= 0; --d) {
    chunk *= from.size(d);
    const bool chunk_ends =
        d == 0 || (from.size(d - 1) != 1 && from.stride(d - 1) != chunk * chunk_stride);
    if (!chunk_ends) continue;
    int64_t filled = 1;
    while (next >= 0 && (filled < chunk || sizes[static_cast<std::size_t>(next)] == 1)) {
      strides[static_cast<std::size_t>(next)] = filled * chunk_stride;
      filled *= sizes[static_cast<std::size_t>(next--)];
    }
    if (filled != chunk) return {};
    if (d > 0) {
      chunk = 1;
      chunk_stride = from.stride(d - 1);
    }
  }
  return next < 0 ? std::optional(std::move(strides)) : std::nullopt;
}

OpCase draw_view(Draw& draw) {
  const auto sizes = draw.shape(0, 4);
  int64_t numel = 1;
  for (int64_t size : sizes) numel *= size;
  std::vector<int64_t> target = {numel};
  for (int64_t divisor : {2, 3})
    if (numel % divisor == 0 && draw.boolean()) {
      target[0] = numel /= divisor;
      target.push_back(divisor);
    }
  return reshaped_case(to_string(target), sizes, target,
                       [=](const Tensor& x) { return reshape(x, target); });
}

OpCase draw_view_case(Draw& draw) {
  OpCase one = draw_view(draw);
  const std::vector<int64_t> target =
      one.reference(WideList{WideTensor(one.arguments[0].sizes)}).sizes;
  one.call = [=](const variable_list& x) { return view(x[0].contiguous(), target); };
  return one;
}

const RegisterOp view_row(op_row("view", "shape", draw_view_case));
const RegisterOp reshape_row(op_row("reshape", "shape", draw_view));

}  // namespace

Tensor view(const Tensor& self, IntArrayRef size, At at) {
  const Operation op("view", at);
  check_operand(op, self);
  const Geometry& from = self.impl().geometry();
  if (Geometry geometry; geometry.set_reshaped(from, size)) [[likely]]
    return view_as(kViewDerivative, op, self, std::move(geometry), Sizes(size));
  DimVector sizes = infer_size(op, size, self.numel());
  const auto strides = view_strides(from, sizes);
  if (!strides)
    op.fail<ShapeError>(
        "view size is not compatible with input tensor's size and stride (at least one dimension "
        "spans across two contiguous subspaces). Use .reshape(...) instead.");
  Geometry geometry(sizes, *strides, from.offset());
  return view_as(kViewDerivative, op, self, std::move(geometry), std::move(sizes));
}

Tensor reshape(const Tensor& self, IntArrayRef shape, At at) {
  const Operation op("reshape", at);
  check_operand(op, self);
  DimVector sizes = infer_size(op, shape, self.numel());
  const bool viewable = view_strides(self.impl().geometry(), sizes).has_value();
  return view(viewable ? self : contiguous(self, at), sizes, at);
}

Tensor ShapeMembers::view(IntArrayRef size, At at) const { return notape::view(self(), size, at); }
Tensor ShapeMembers::reshape(IntArrayRef shape, At at) const {
  return notape::reshape(self(), shape, at);
}

}  // namespace notape
