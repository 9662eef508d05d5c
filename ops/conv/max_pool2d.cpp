// max_pool2d(x)[i, j] = max over p, q of x[i sH - pH + p dH, j sW - pW + q dW], in each plane.
// The derivative follows the pick: dx = scatter(G, picks), tangent = gather(t, picks).
#include "ops/conv/max_pool2d.h"

#include "autograd/graph/record.h"
#include "ops/core/allocate.h"
#include "ops/core/promotion.h"
#include "ops/core/window_count.h"
#include "ops/spec/plain.h"

namespace notape {
namespace {

constexpr auto kMaxPool2dDerivative =
    derivative(
        "MaxPool2DWithIndicesBackward0",
        selection([](const Tensor& grad, const Result<1>& indices,
                     const MaxPool2dProblem& p) { return max_pool2d_scatter(grad, indices, p); },
                  [](const Tensor& tangent, const Result<1>& indices, const MaxPool2dProblem& p) {
                    return max_pool2d_gather(tangent, indices, p);
                  }))
        .with_results<"result", "indices">();

void check_max_pool2d_parameters(const Operation& op, const MaxPool2dProblem& p) {
  if (p.kernel[0] < 1 || p.kernel[1] < 1)
    op.fail<ValueError>("kernel size should be greater than zero, but got kH: {} kW: {}",
                        p.kernel[0], p.kernel[1]);
  if (p.stride[0] < 1 || p.stride[1] < 1)
    op.fail<ValueError>("stride should be greater than zero, but got dH: {} dW: {}", p.stride[0],
                        p.stride[1]);
  if (p.dilation[0] < 1 || p.dilation[1] < 1)
    op.fail<ValueError>("dilation should be greater than zero, but got dilationH: {} dilationW: {}",
                        p.dilation[0], p.dilation[1]);
  for (std::size_t d = 0; d < 2; ++d) {
    if (p.padding[d] < 0)
      op.fail<ValueError>("pad must be non-negative, but got pad: {}", p.padding[d]);
    if (p.padding[d] > p.kernel[d] / 2)
      op.fail<ValueError>(
          "pad should be at most half of kernel size, but got pad={} and kernel_size={}",
          p.padding[d], p.kernel[d]);
  }
}

MaxPool2dProblem make_problem(const Operation& op, IntArrayRef sizes, Pair kernel,
                              Optional<Pair> stride, Pair padding, Pair dilation, bool ceil_mode) {
  MaxPool2dProblem p{.kernel = kernel,
                     .stride = stride.value_or(kernel),
                     .padding = padding,
                     .dilation = dilation};
  check_max_pool2d_parameters(op, p);
  const std::size_t rank = sizes.size();
  bool valid = rank == 3 || rank == 4;
  for (std::size_t d = rank == 4 ? 1 : 0; valid && d < rank; ++d) valid = sizes[d] > 0;
  if (!valid)
    op.fail<ShapeError>(
        "Expected 3D or 4D (batch mode) tensor with optional 0 dim batch size for input, but got: "
        "{}",
        to_string(sizes));
  p.height = sizes[rank - 2];
  p.width = sizes[rank - 1];
  for (std::size_t d = 0; d + 2 < rank; ++d) p.planes *= sizes[d];
  const auto count = [&](int64_t size, std::size_t d) {
    return window_count(size, p.kernel[d], p.stride[d], p.padding[d], p.dilation[d], ceil_mode);
  };
  p.rows = count(p.height, 0);
  p.columns = count(p.width, 1);
  // Of one pixel it says nothing; a step that leaves the image by more could leave 64 bits.
  for (std::size_t d = 0; d < 2; ++d)
    if (p.kernel[d] == 1) p.dilation[d] = 1;
  if (p.rows < 1 || p.columns < 1)
    op.fail<ShapeError>(
        "Given input size: ({}x{}x{}). Calculated output size: ({}x{}x{}). Output size is too "
        "small",
        sizes[rank - 3], p.height, p.width, sizes[rank - 3], p.rows, p.columns);
  return p;
}

template <typename T>
PlainTensor<T> reference(const PlainTensor<T>& x, const MaxPool2dProblem& p) {
  PlainTensor<T> result(x.sizes);
  result.sizes[x.sizes.size() - 2] = p.rows;
  result.sizes[x.sizes.size() - 1] = p.columns;
  result = PlainTensor<T>(result.sizes);
  for (int64_t o = 0; o < result.numel(); ++o) {
    const int64_t j = o % p.columns, i = o / p.columns % p.rows;
    const int64_t plane = o / (p.columns * p.rows);
    T best = -HUGE_VAL;
    for (int64_t k = 0; k < p.kernel[0]; ++k)
      for (int64_t l = 0; l < p.kernel[1]; ++l) {
        const int64_t h = i * p.stride[0] - p.padding[0] + k * p.dilation[0];
        const int64_t w = j * p.stride[1] - p.padding[1] + l * p.dilation[1];
        if (h < 0 || h >= p.height || w < 0 || w >= p.width) continue;
        const auto at = static_cast<std::size_t>((plane * p.height + h) * p.width + w);
        if (x.values[at] > best) best = x.values[at];
      }
    result.values[static_cast<std::size_t>(o)] = best;
  }
  return result;
}

OpCase draw_max_pool2d(Draw& draw) {
  const Pair kernel(draw.integer(1, 3), draw.integer(1, 3));
  const Pair stride(draw.integer(1, 3), draw.integer(1, 3));
  const Pair padding(draw.integer(0, kernel[0] / 2), draw.integer(0, kernel[1] / 2));
  const Pair dilation(draw.integer(1, 2), draw.integer(1, 2));
  const bool ceil_mode = draw.boolean();
  std::vector<int64_t> sizes;
  if (draw.boolean()) sizes.push_back(draw.integer(0, 2));
  sizes.push_back(draw.integer(1, 2));
  for (std::size_t d = 0; d < 2; ++d)
    sizes.push_back(std::max(dilation[d] * (kernel[d] - 1) + 1 - 2 * padding[d], dilation[d]) +
                    draw.integer(0, 4));
  const Operation op("max_pool2d", At::current());
  const MaxPool2dProblem p = make_problem(op, sizes, kernel, stride, padding, dilation, ceil_mode);
  OpCase one;
  one.label =
      format_message("kernel={}x{}, stride={}x{}, padding={}x{}, dilation={}x{}, ceil_mode={}",
                     {kernel[0], kernel[1], stride[0], stride[1], padding[0], padding[1],
                      dilation[0], dilation[1], ceil_mode});
  one.arguments = {{.sizes = sizes, .distinct = true}};
  one.call = [=](const variable_list& x) {
    return max_pool2d(x[0], kernel, stride, padding, dilation, ceil_mode);
  };
  one.reference = [=]<typename T>(const PlainList<T>& x) { return reference(x[0], p); };
  return one;
}

const RegisterOp max_pool2d_row({.name = "max_pool2d",
                                 .family = "conv",
                                 .draw = draw_max_pool2d,
                                 .traits = Trait::Pads | Trait::Accumulates});

std::tuple<Tensor, Tensor> compute_max_pool2d(const Operation& op, const Tensor& self,
                                              const MaxPool2dProblem& problem) {
  if (is_batched(self)) {
    const BatchLevel level = levels_of(self).back();
    const auto [result, indices] =
        compute_max_pool2d(op, peel(self, level), problem.behind_batch(level.size));
    return {wrap(result, level), wrap(indices, level)};
  }
  if (is_reduced_floating_point(self.dtype())) {
    auto [result, indices] = compute_max_pool2d(op, raw_convert(self, kFloat32), problem);
    return {raw_convert(result, self.dtype()), std::move(indices)};
  }
  std::vector<int64_t> sizes = self.sizes().vec();
  sizes[sizes.size() - 2] = problem.rows;
  sizes[sizes.size() - 1] = problem.columns;
  Tensor result = allocate(sizes, self.dtype(), self.device());
  Tensor indices = allocate(sizes, kInt64, self.device());
  max_pool2d_kernel(op, self.dtype(), self.device(), result, indices, raw_contiguous(self),
                    problem);
  return {std::move(result), std::move(indices)};
}

std::tuple<Tensor, Tensor> run_max_pool2d(const Operation& op, const Tensor& self,
                                          const MaxPool2dProblem& problem) {
  auto [result, indices] = compute_max_pool2d(op, self, problem);
  return std::tuple_cat(record(kMaxPool2dDerivative, op,
                               PerResult<2>{std::move(result), std::move(indices)}, problem, self));
}

}  // namespace

std::tuple<Tensor, Tensor> max_pool2d_with_indices(const Tensor& self, Pair kernel_size,
                                                   Optional<Pair> stride, Pair padding,
                                                   Pair dilation, bool ceil_mode, At at) {
  const Operation op("max_pool2d_with_indices", at);
  check_operands(op, {&self});
  return run_max_pool2d(
      op, self, make_problem(op, self.sizes(), kernel_size, stride, padding, dilation, ceil_mode));
}

Tensor max_pool2d(const Tensor& self, Pair kernel_size, Optional<Pair> stride, Pair padding,
                  Pair dilation, bool ceil_mode, At at) {
  const Operation op("max_pool2d", at);
  check_operands(op, {&self});
  return std::get<0>(run_max_pool2d(
      op, self, make_problem(op, self.sizes(), kernel_size, stride, padding, dilation, ceil_mode)));
}

}  // namespace notape
