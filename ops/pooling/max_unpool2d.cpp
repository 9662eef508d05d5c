// max_unpool2d(x, indices): zeros with each entry of x at its flat position of a plane: scatter,
// plane by plane.
#include "autograd/tensor/factories.h"
#include "ops/core/batching.h"
#include "ops/core/composite.h"
#include "ops/core/promotion.h"
#include "ops/core/sizes.h"
#include "ops/index.h"
#include "ops/pooling.h"
#include "ops/pooling/windows.h"
#include "ops/reduce.h"
#include "ops/reduce/reduction.h"
#include "ops/shape.h"
#include "ops/shape/plain_pick.h"

namespace notape {
namespace {

void check_unpooling(const Operation& op, const Tensor& self, const Tensor& indices,
                     const Pair& size) {
  require_floating(op, self);
  if (indices.dtype() != kInt64)
    op.fail<DtypeError>("elements in indices should be type int64 but got: {}",
                        name_of(indices.dtype()));
  if (self.dim() != 3 && self.dim() != 4)
    op.fail<ShapeError>("Input should be a 3d or 4d Tensor, but got a tensor with {} dimensions.",
                        self.dim());
  if (!(self.sizes() == indices.sizes()))
    op.fail<ShapeError>(
        "Expected shape of indices to be same as that of the input tensor ({}) but got indices "
        "tensor with shape: {}",
        to_string(self.sizes()), to_string(indices.sizes()));
  for (int64_t d = self.dim() - 3; d < self.dim(); ++d)
    if (self.size(d) == 0)
      op.fail<ShapeError>(
          "Expected input to have non-zero size for non-batch dimensions, but input has sizes {} "
          "with dimension {} being empty",
          to_string(self.sizes()), d);
  if (size[0] < 0 || size[1] < 0)
    op.fail<ShapeError>(
        "output_size must contain non-negative spatial dimensions, but got output_size=[{}, {}]",
        size[0], size[1]);
}

/// Batched ones are checked where scatter() reads them, and so are those of other devices: its
/// kernel does it, and nobody waits.
void check_places(const Operation& op, const Tensor& indices, int64_t plane) {
  if (is_batched(indices) || indices.numel() == 0 || !indices.device().is_cpu()) return;
  const int64_t least = min(indices).item<int64_t>(), most = max(indices).item<int64_t>();
  if (least < 0 || most >= plane)
    op.fail<IndexError>("index {} is out of bounds for a plane of {} entries",
                        least < 0 ? least : most, plane);
}

OpCase draw_max_unpool2d(Draw& draw) {
  const std::vector<int64_t> sizes =
      draw_image(draw, std::vector<int64_t>{draw.integer(1, 3), draw.integer(1, 3)});
  const int64_t height = draw.integer(1, 5), width = draw.integer(1, 5);
  std::vector<int64_t> result_sizes = sizes;
  result_sizes.end()[-2] = height;
  result_sizes.back() = width;
  OpCase one;
  one.label = format_message("output_size={} by {}", {height, width});
  one.arguments = {{.sizes = sizes}, Argument::index(sizes, height * width)};
  one.call = [=](const variable_list& x) { return max_unpool2d(x[0], x[1], Pair(height, width)); };
  one.reference = [=]<typename T>(const PlainList<T>& x) {
    PlainTensor<T> result(result_sizes);
    const int64_t plane = sizes.end()[-2] * sizes.back();
    for (int64_t i = 0; i < x[0].numel(); ++i) {
      const auto from = static_cast<std::size_t>(i);
      const auto place = static_cast<int64_t>(x[1].values[from]);
      result.values[static_cast<std::size_t>(i / plane * height * width + place)] =
          x[0].values[from];
    }
    return result;
  };
  return one;
}

const RegisterOp max_unpool2d_row(op_row("max_unpool2d", "pooling", draw_max_unpool2d,
                                         Trait::Locates));

}  // namespace

Tensor max_unpool2d(const Tensor& self, const Tensor& indices, Pair output_size, At at) {
  const Operation op("max_unpool2d", at);
  check_operands(op, {&self, &indices});
  check_unpooling(op, self, indices, output_size);
  const int64_t plane = size_product(op, {output_size[0], output_size[1]});
  check_places(op, indices, plane);
  const Composite composite({&self});
  std::vector<int64_t> sizes = self.sizes().vec(), lines = sizes;
  lines.pop_back();
  lines.back() = self.size(-2) * self.size(-1);
  sizes.end()[-2] = output_size[0];
  sizes.back() = output_size[1];
  std::vector<int64_t> planes = lines;
  planes.back() = plane;
  geometry_of(op, planes);
  const Tensor none = zeros(planes, self.options());
  return reshape(
      scatter(none, self.dim() - 2, reshape(indices, lines), reshape(self, lines, at), at), sizes,
      at);
}

}  // namespace notape
