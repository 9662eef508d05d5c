// max_pool1d(x)[i] = max over p of x[i s - padding + p d], as max_pool2d of images of one row.
#include "ops/conv.h"
#include "ops/core/composite.h"
#include "ops/pooling.h"
#include "ops/pooling/windows.h"
#include "ops/shape.h"
#include "ops/spec/plain.h"
#include "ops/spec/row.h"

namespace notape {
namespace {

OpCase draw_max_pool1d(Draw& draw) {
  const int64_t kernel = draw.integer(1, 3), stride = draw.integer(1, 3);
  const int64_t padding = draw.integer(0, kernel / 2), dilation = draw.integer(1, 2);
  const bool ceil_mode = draw.boolean();
  const int64_t size =
      std::max(dilation * (kernel - 1) + 1 - 2 * padding, dilation) + draw.integer(0, 4);
  const int64_t count = window_count(size, kernel, stride, padding, dilation, ceil_mode);
  OpCase one;
  one.label = format_message("kernel={}, stride={}, padding={}, dilation={}, ceil_mode={}",
                             {kernel, stride, padding, dilation, ceil_mode});
  one.arguments = {{.sizes = draw_image(draw, {size}), .distinct = true}};
  one.call = [=](const variable_list& x) {
    return max_pool1d(x[0], kernel, stride, padding, dilation, ceil_mode);
  };
  one.reference = [=]<typename T>(const PlainList<T>& x) {
    std::vector<int64_t> sizes = x[0].sizes;
    sizes.back() = count;
    PlainTensor<T> result(sizes);
    for (int64_t o = 0; o < result.numel(); ++o) {
      T best = -HUGE_VAL;
      for (int64_t k = 0; k < kernel; ++k) {
        const int64_t at = o % count * stride - padding + k * dilation;
        if (at < 0 || at >= size) continue;
        const T& value = x[0].values[static_cast<std::size_t>(o / count * size + at)];
        if (value > best) best = value;
      }
      result.values[static_cast<std::size_t>(o)] = best;
    }
    return result;
  };
  return one;
}

const RegisterOp max_pool1d_row(op_row("max_pool1d", "pooling", draw_max_pool1d,
                                       Trait::Pads | Trait::Accumulates));

std::tuple<Tensor, Tensor> pool_row(const Operation& op, const Tensor& self, int64_t kernel,
                                    std::optional<int64_t> stride, int64_t padding,
                                    int64_t dilation, bool ceil_mode) {
  check_image(op, self, 1, false);
  const int64_t step = stride.value_or(kernel);
  check_windows(op, {kernel}, {step}, {padding});
  if (dilation < 1)
    op.fail<ValueError>("dilation should be greater than zero, but got {}", dilation);
  check_count(op, self.sizes(),
              {window_count(self.size(-1), kernel, step, padding, dilation, ceil_mode)});
  const Composite composite({&self});
  const auto [values, indices] =
      max_pool2d_with_indices(unsqueeze(self, -2, op.at), Pair(1, kernel), Pair(1, step),
                              Pair(0, padding), Pair(1, dilation), ceil_mode, op.at);
  return {squeeze(values, -2, op.at), squeeze(indices, -2, op.at)};
}

}  // namespace

Tensor max_pool1d(const Tensor& self, Integer kernel_size, std::optional<Integer> stride,
                  Integer padding, Integer dilation, bool ceil_mode, At at) {
  return std::get<0>(
      pool_row({"max_pool1d", at}, self, kernel_size, stride, padding, dilation, ceil_mode));
}

std::tuple<Tensor, Tensor> max_pool1d_with_indices(const Tensor& self, Integer kernel_size,
                                                   std::optional<Integer> stride, Integer padding,
                                                   Integer dilation, bool ceil_mode, At at) {
  return pool_row({"max_pool1d_with_indices", at}, self, kernel_size, stride, padding, dilation,
                  ceil_mode);
}

}  // namespace notape
