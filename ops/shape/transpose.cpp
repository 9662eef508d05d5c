// transpose(x, dim0, dim1): two dimensions swapped; t(x): rows and columns of a matrix. Each is its
// own derivative.
#include "ops/core/wrap_dim.h"
#include "ops/shape.h"
#include "ops/shape/plain_pick.h"
#include "ops/shape/view_op.h"

namespace notape {
namespace {

struct Swapped {
  int64_t dim0, dim1;
};

constexpr auto kTranspose = derivative(
    "TransposeBackward0",
    movement([](const Tensor& grad, const Swapped& s) { return transpose(grad, s.dim0, s.dim1); }));
constexpr auto kT = derivative("TBackward0", movement([](const Tensor& grad) { return t(grad); }));

Geometry swapped(const Geometry& from, int64_t dim0, int64_t dim1) {
  DimVector sizes = from.sizes(), strides = from.strides();
  if (!sizes.empty()) {
    const auto a = static_cast<std::size_t>(dim0), b = static_cast<std::size_t>(dim1);
    std::swap(sizes[a], sizes[b]);
    std::swap(strides[a], strides[b]);
  }
  return Geometry(sizes, strides, from.offset());
}

template <typename T>
PlainTensor<T> plain_transpose(const PlainTensor<T>& x, std::size_t a, std::size_t b) {
  if (x.sizes.empty()) return x;
  std::vector<int64_t> sizes = x.sizes;
  std::swap(sizes[a], sizes[b]);
  return plain_pick(sizes, x, [=](IndexTuple i) {
    std::swap(i[a], i[b]);
    return i;
  });
}

OpCase draw_transpose_case(Draw& draw) {
  const auto sizes = draw.shape(0, 4);
  const auto rank = static_cast<int64_t>(sizes.size());
  const int64_t dim0 = draw.dimension(rank), dim1 = draw.dimension(rank);
  OpCase one;
  one.label = format_message("dim0={}, dim1={}", {dim0, dim1});
  one.arguments = {{.sizes = sizes}};
  one.call = [=](const variable_list& x) { return transpose(x[0], dim0, dim1); };
  one.reference = [=]<typename T>(const PlainList<T>& x) {
    return plain_transpose(x[0], place_of(dim0, sizes.size()), place_of(dim1, sizes.size()));
  };
  return one;
}

OpCase draw_t_case(Draw& draw) {
  OpCase one;
  one.arguments = {{.sizes = draw.shape(0, 2)}};
  one.label = to_string(one.arguments[0].sizes);
  one.call = [](const variable_list& x) { return t(x[0]); };
  one.reference = []<typename T>(const PlainList<T>& x) {
    return x[0].dim() < 2 ? x[0] : plain_transpose(x[0], 0, 1);
  };
  return one;
}

const RegisterOp transpose_row(op_row("transpose", "shape", draw_transpose_case, Trait::Permutes));
const RegisterOp t_row(op_row("t", "shape", draw_t_case, Trait::Permutes));

}  // namespace

Tensor transpose(const Tensor& self, Integer dim0, Integer dim1, At at) {
  const Operation op("transpose", at);
  check_operand(op, self);
  const Swapped dims{wrap_dim(op, dim0, self.dim()), wrap_dim(op, dim1, self.dim())};
  return view_as(kTranspose, op, self, swapped(self.impl().geometry(), dims.dim0, dims.dim1), dims);
}

Tensor t(const Tensor& self, At at) {
  const Operation op("t", at);
  check_operand(op, self);
  if (self.dim() > 2)
    op.fail<ShapeError>("t() expects a tensor with <= 2 dimensions, but self is {}D", self.dim());
  return view_as(kT, op, self, swapped(self.impl().geometry(), 0, self.dim() < 2 ? 0 : 1));
}

Tensor ShapeMembers::transpose(Integer dim0, Integer dim1, At at) const {
  return notape::transpose(self(), dim0, dim1, at);
}
Tensor ShapeMembers::t(At at) const { return notape::t(self(), at); }

Tensor& ShapeMembers::transpose_(Integer dim0, Integer dim1, At at) const {
  const Operation op("transpose_", at);
  return become(op, self(), [&] { return notape::transpose(self(), dim0, dim1, at); });
}
Tensor& ShapeMembers::swapdims_(Integer dim0, Integer dim1, At at) const {
  return transpose_(dim0, dim1, at);
}
Tensor& ShapeMembers::swapaxes_(Integer axis0, Integer axis1, At at) const {
  return transpose_(axis0, axis1, at);
}
Tensor& ShapeMembers::t_(At at) const {
  const Operation op("t_", at);
  return become(op, self(), [&] { return notape::t(self(), at); });
}

}  // namespace notape
