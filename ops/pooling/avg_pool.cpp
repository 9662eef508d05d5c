// avg_pool1d(x), avg_pool2d(x), avg_pool3d(x): the mean of each window of each row, plane or
// volume, dimension by dimension.
#include "autograd/tensor/factories.h"
#include "ops/arithmetic.h"
#include "ops/pooling.h"
#include "ops/pooling/windows.h"
#include "ops/reduce/reduction.h"
#include "ops/resample/plain_resample.h"
#include "ops/resample/resample.h"
#include "ops/shape.h"

namespace notape {
namespace {

/// Parameters per spatial dimension, outermost first.
struct AvgPool {
  std::vector<int64_t> kernel, stride, padding;
  bool ceil_mode = false, count_include_pad = true;
  std::optional<int64_t> divisor_override = {};
};

/// Window i of an image of this size, from `begin` to `end`, and by what its sum is divided.
struct Window {
  int64_t begin, end, divisor;

  Window(const AvgPool& p, std::size_t d, int64_t size, int64_t i) {
    begin = i * p.stride[d] - p.padding[d];
    end = std::min(begin + p.kernel[d], size + p.padding[d]);
    divisor = end - begin;
    begin = std::max<int64_t>(begin, 0);
    end = std::min(end, size);
    if (!p.count_include_pad) divisor = end - begin;
    if (p.divisor_override) divisor = d == 0 ? *p.divisor_override : 1;
  }
};

int64_t count_of(const AvgPool& p, std::size_t d, int64_t size) {
  return window_count(size, p.kernel[d], p.stride[d], p.padding[d], 1, p.ceil_mode);
}

/// Throws for parameters or an input that do not fit.
Tensor avg_pool(const Operation& op, const char* node, const Tensor& self, const AvgPool& p) {
  const std::size_t dims = p.kernel.size();
  check_windows(op, p.kernel, p.stride, p.padding);
  if (p.divisor_override == 0) op.fail<ValueError>("divisor must be not zero");
  check_image(op, self, dims, false);
  const bool is_whole = self.dtype() == kInt64;  // sums, divided without a rest, as in LibTorch
  if (!is_whole) require_floating(op, self);
  const std::size_t outer = self.sizes().size() - dims;
  std::vector<int64_t> counts;
  for (std::size_t d = 0; d < dims; ++d) counts.push_back(count_of(p, d, self.sizes()[outer + d]));
  check_count(op, self.sizes(), counts);
  std::vector<LinearMap> maps;
  Tensor divisors = is_whole ? ones({}, kInt64) : Tensor();
  for (std::size_t d = 0; d < dims; ++d) {
    SparseRows matrix;
    std::vector<int64_t> along;
    matrix.columns = self.sizes()[outer + d];
    for (int64_t i = 0; i < counts[d]; ++i) {
      const Window window(p, d, matrix.columns, i);
      for (int64_t k = window.begin; k < window.end; ++k)
        matrix.add(k, is_whole ? 1 : 1 / static_cast<double>(window.divisor));
      matrix.end_row();
      if (is_whole) along.push_back(window.divisor);
    }
    maps.push_back(LinearMap(std::move(matrix)));
    if (is_whole) divisors = mul(unsqueeze(divisors, -1, op.at), tensor(along), op.at);
  }
  const Tensor result = resample(op, node, self, std::move(maps));
  if (!is_whole) return result;
  return div(result, to(divisors, self.device().of_samples()), "trunc", op.at);
}

using AvgPoolCall = Tensor (*)(const Tensor& self, const AvgPool& p);
OpCase avg_pool_case(Draw& draw, std::size_t dims, AvgPoolCall call) {
  AvgPool p;
  std::vector<int64_t> spatial, counts;
  p.ceil_mode = draw.boolean();
  p.count_include_pad = draw.boolean();
  if (dims > 1 && draw.integer(0, 2) == 2) p.divisor_override = draw.integer(1, 5);
  for (std::size_t d = 0; d < dims; ++d) {
    p.kernel.push_back(draw.integer(1, 3));
    p.stride.push_back(draw.integer(1, 3));
    p.padding.push_back(draw.integer(0, p.kernel[d] / 2));
    spatial.push_back(std::max<int64_t>(p.kernel[d] - 2 * p.padding[d], 1) +
                      draw.integer(0, dims > 2 ? 2 : 4));
    counts.push_back(count_of(p, d, spatial[d]));
  }
  OpCase one;
  one.label = format_message(
      "kernel={}, stride={}, padding={}, ceil_mode={}, count_include_pad={}, divisor_override={}",
      {to_string(p.kernel), to_string(p.stride), to_string(p.padding), p.ceil_mode,
       p.count_include_pad, p.divisor_override.value_or(0)});
  one.arguments = {{.sizes = draw_image(draw, spatial)}};
  for (int64_t size : p.kernel) one.averaged *= size;
  one.call = [=](const variable_list& x) { return call(x[0], p); };
  one.reference = [=]<typename T>(const PlainList<T>& x) {
    return plain_resample(x[0], counts, [&](std::size_t d, int64_t i) {
      std::vector<PlainTerm> terms;
      int64_t inside = 0, counted = 0;
      for (int64_t k = 0; k < p.kernel[d]; ++k) {
        const int64_t at = i * p.stride[d] - p.padding[d] + k;
        counted += at < spatial[d] + p.padding[d];
        if (at < 0 || at >= spatial[d]) continue;
        ++inside;
        terms.push_back({at, 1});
      }
      const int64_t divisor = p.divisor_override    ? (d == 0 ? *p.divisor_override : 1)
                              : p.count_include_pad ? counted
                                                    : inside;
      for (PlainTerm& term : terms) term.weight = 1 / static_cast<double>(divisor);
      return terms;
    });
  };
  return one;
}

OpCase draw_avg_pool1d(Draw& draw) {
  return avg_pool_case(draw, 1, [](const Tensor& x, const AvgPool& p) {
    return avg_pool1d(x, p.kernel[0], p.stride[0], p.padding[0], p.ceil_mode, p.count_include_pad);
  });
}

const RegisterOp avg_pool1d_row(op_row("avg_pool1d", "pooling", draw_avg_pool1d,
                                       Trait::Pads | Trait::Accumulates | Trait::Averages));

OpCase draw_avg_pool2d(Draw& draw) {
  return avg_pool_case(draw, 2, [](const Tensor& x, const AvgPool& p) {
    return avg_pool2d(x, Pair(p.kernel[0], p.kernel[1]), Pair(p.stride[0], p.stride[1]),
                      Pair(p.padding[0], p.padding[1]), p.ceil_mode, p.count_include_pad,
                      p.divisor_override);
  });
}

const RegisterOp avg_pool2d_row(op_row("avg_pool2d", "pooling", draw_avg_pool2d,
                                       Trait::Pads | Trait::Accumulates | Trait::Averages));

OpCase draw_avg_pool3d(Draw& draw) {
  return avg_pool_case(draw, 3, [](const Tensor& x, const AvgPool& p) {
    return avg_pool3d(x, Triple(p.kernel[0], p.kernel[1], p.kernel[2]),
                      Triple(p.stride[0], p.stride[1], p.stride[2]),
                      Triple(p.padding[0], p.padding[1], p.padding[2]), p.ceil_mode,
                      p.count_include_pad, p.divisor_override);
  });
}

const RegisterOp avg_pool3d_row(op_row("avg_pool3d", "pooling", draw_avg_pool3d,
                                       Trait::Pads | Trait::Accumulates | Trait::Averages));

}  // namespace

Tensor avg_pool1d(const Tensor& self, Integer kernel_size, std::optional<Integer> stride,
                  Integer padding, bool ceil_mode, bool count_include_pad, At at) {
  const int64_t step = stride.value_or(kernel_size);
  return avg_pool({"avg_pool1d", at}, "AvgPool1DBackward0", self,
                  {{kernel_size}, {step}, {padding}, ceil_mode, count_include_pad});
}

Tensor avg_pool2d(const Tensor& self, Pair kernel_size, Optional<Pair> stride, Pair padding,
                  bool ceil_mode, bool count_include_pad, std::optional<Integer> divisor_override,
                  At at) {
  const Pair step = stride.value_or(kernel_size);
  return avg_pool({"avg_pool2d", at}, "AvgPool2DBackward0", self,
                  {{kernel_size[0], kernel_size[1]},
                   {step[0], step[1]},
                   {padding[0], padding[1]},
                   ceil_mode,
                   count_include_pad,
                   divisor_override});
}

Tensor avg_pool3d(const Tensor& self, Triple kernel_size, Optional<Triple> stride, Triple padding,
                  bool ceil_mode, bool count_include_pad, std::optional<Integer> divisor_override,
                  At at) {
  const Triple step = stride.value_or(kernel_size);
  return avg_pool({"avg_pool3d", at}, "AvgPool3DBackward0", self,
                  {{kernel_size[0], kernel_size[1], kernel_size[2]},
                   {step[0], step[1], step[2]},
                   {padding[0], padding[1], padding[2]},
                   ceil_mode,
                   count_include_pad,
                   divisor_override});
}

}  // namespace notape
