// diag(x): a vector as the diagonal of a matrix, or a copy of a matrix's diagonal.
#include "ops/core/composite.h"
#include "ops/core/promotion.h"
#include "ops/core/sizes.h"
#include "ops/shape.h"
#include "ops/shape/plain_pick.h"

namespace notape {
namespace {

OpCase draw_diag(Draw& draw) {
  const auto sizes = draw.shape(1, 2);
  const int64_t offset = draw.integer(-2, 2), down = std::max<int64_t>(-offset, 0);
  const int64_t right = std::max<int64_t>(offset, 0);
  OpCase one;
  one.label = format_message("{}, diagonal={}", {to_string(sizes), offset});
  one.arguments = {{.sizes = sizes}};
  one.call = [=](const variable_list& x) { return diag(x[0], offset); };
  const auto place = [=](const IndexTuple& i) { return IndexTuple{i[0] + down, i[0] + right}; };
  one.reference = [=]<typename T>(const PlainList<T>& x) {
    if (sizes.size() == 1) {
      const int64_t n = sizes[0] + down + right;
      return plain_place(PlainTensor<T>({n, n}), x[0], place);
    }
    const int64_t count = std::min(sizes[0] - down, sizes[1] - right);
    return plain_pick({std::max<int64_t>(count, 0)}, x[0], place);
  };
  return one;
}

const RegisterOp diag_row(op_row("diag", "shape", draw_diag, Trait::Locates));

}  // namespace

Tensor diag(const Tensor& self, Integer diagonal, At at) {
  const Operation op("diag", at);
  check_operand(op, self);
  if (self.dim() != 1 && self.dim() != 2)
    op.fail<ShapeError>("Supports 1D or 2D tensors. Got {}D", self.dim());
  const Composite composite({&self});
  if (self.dim() == 1) {
    const int64_t rows = embedded_size(op, self.numel(), diagonal);
    geometry_of(op, IntArrayRef{rows, rows});
    return diag_embed(self, diagonal, 0, 1, at);
  }
  return clone(notape::diagonal(self, diagonal, 0, 1, at), at);
}

Tensor ShapeMembers::diag(Integer diagonal, At at) const {
  return notape::diag(self(), diagonal, at);
}

}  // namespace notape
