// _reshape_alias(x, size, stride): as_strided from x's own offset.
#include "ops/core/promotion.h"
#include "ops/core/sizes.h"
#include "ops/shape.h"
#include "ops/spec/plain.h"
#include "ops/spec/row.h"

namespace notape {
namespace {

OpCase draw_reshape_alias(Draw& draw) {
  const auto sizes = draw.shape(1, 3, 1);
  const bool flat = draw.boolean();
  std::vector<int64_t> result_sizes = sizes;
  if (flat) result_sizes = {WideTensor(sizes).numel()};
  result_sizes.push_back(1);
  return reshaped_case(to_string(result_sizes), sizes, result_sizes, [=](const Tensor& x) {
    return _reshape_alias(x.contiguous(), result_sizes, contiguous_strides(result_sizes));
  });
}

const RegisterOp reshape_alias_row(op_row("_reshape_alias", "shape", draw_reshape_alias));

}  // namespace

Tensor _reshape_alias(const Tensor& self, IntArrayRef size, IntArrayRef stride, At at) {
  const Operation op("_reshape_alias", at);
  check_operand(op, self);
  geometry_of(op, size, stride, self.storage_offset());
  return as_strided(self, size, stride, {}, at);
}

}  // namespace notape
