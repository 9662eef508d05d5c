// im2col(x)[n, (c, k, l), (i, j)] = x[n, c, i sH - pH + k dH, j sW - pW + l dW], zero outside the
// image. col2im is its transpose: it adds up what comes from one pixel. Each is the derivative of
// the other.
#include "ops/conv/im2col.h"

#include "autograd/graph/record.h"
#include "ops/conv.h"
#include "ops/conv/conv2d_spec.h"
#include "ops/core/allocate.h"
#include "ops/core/composite.h"
#include "ops/core/promotion.h"
#include "ops/core/reduced.h"
#include "ops/shape.h"

namespace notape {
namespace {

Tensor unfolded(const Tensor& image, const Conv2dProblem& p, At at = At::current());
Tensor folded(const Tensor& columns, const Conv2dProblem& p, At at = At::current());

constexpr auto unfold_it = [](const Tensor& image, const Conv2dProblem& p) {
  return unfolded(image, p);
};
constexpr auto fold_it = [](const Tensor& columns, const Conv2dProblem& p) {
  return folded(columns, p);
};
constexpr auto kIm2col = derivative("Im2ColBackward0", movement(fold_it, unfold_it));
constexpr auto kCol2im = derivative("Col2ImBackward0", movement(unfold_it, fold_it));

Conv2dProblem of_images(Conv2dProblem p, int64_t count) {
  p.image[0] = p.response[0] = count;
  return p;
}

template <typename Compute>
Tensor over_images(const Tensor& self, const Conv2dProblem& p, const Compute& compute) {
  return over_batch(
      [&](int64_t size, const Tensor& all) {
        std::vector<int64_t> sizes = all.sizes().vec();
        sizes.erase(sizes.begin());
        sizes[0] *= size;
        const Tensor result = compute(reshape(all, sizes), of_images(p, sizes[0]));
        std::vector<int64_t> apart = result.sizes().vec();
        apart[0] = self.size(0);
        apart.insert(apart.begin(), size);
        return reshape(result, apart);
      },
      self);
}

Tensor compute_im2col(const Operation& op, const Tensor& image, const Conv2dProblem& p) {
  if (is_batched(image))
    return over_images(image, p, [&](const Tensor& x, const Conv2dProblem& all) {
      return compute_im2col(op, x, all);
    });
  Tensor result =
      allocate(IntArrayRef({p.image[0], p.window(), p.positions()}), image.dtype(), image.device());
  im2col_kernel(op, image.dtype(), image.device(), result, raw_contiguous(image), p);
  return result;
}

Tensor compute_col2im(const Operation& op, const Tensor& columns, const Conv2dProblem& p) {
  if (is_batched(columns))
    return over_images(columns, p, [&](const Tensor& x, const Conv2dProblem& all) {
      return compute_col2im(op, x, all);
    });
  if (is_reduced_floating_point(columns.dtype()))
    return in_float32([&](const Tensor& x) { return compute_col2im(op, x, p); }, columns);
  Tensor result = allocate(IntArrayRef(p.image.data(), 4), columns.dtype(), columns.device());
  col2im_kernel(op, columns.dtype(), columns.device(), result, raw_contiguous(columns), p);
  return result;
}

Tensor unfolded(const Tensor& image, const Conv2dProblem& p, At at) {
  const Operation op("im2col", at);
  return record(kIm2col, op, compute_im2col(op, image, p), p, image);
}
Tensor folded(const Tensor& columns, const Conv2dProblem& p, At at) {
  const Operation op("col2im", at);
  return record(kCol2im, op, compute_col2im(op, columns, p), p, columns);
}

Conv2dProblem draw_windows(Draw& draw) {
  const Pair stride(draw.integer(1, 2), draw.integer(1, 2));
  const Pair padding(draw.integer(0, 2), draw.integer(0, 1));
  const Pair dilation(draw.integer(1, 2), draw.integer(1, 2));
  const Pair kernel(draw.integer(1, 3), draw.integer(1, 3));
  std::vector<int64_t> image = {draw.integer(0, 2), draw.integer(1, 3), 0, 0};
  for (std::size_t d = 0; d < 2; ++d)
    image[2 + d] = std::max<int64_t>(dilation[d] * (kernel[d] - 1) + 1 - 2 * padding[d], 1) +
                   draw.integer(0, 3);
  const Operation op("im2col", SourceLocation::current());
  return window_problem(op, image, kernel, dilation, padding, stride);
}

/// Calls visit(position in image, in columns) for each pixel of each window.
template <typename Visit>
void for_each_place(const Conv2dProblem& p, Visit visit) {
  const auto [N, C, H, W] = p.image;
  const int64_t rows = p.response[2], columns = p.response[3];
  std::size_t at = 0;
  for (int64_t n = 0; n < N; ++n)
    for (int64_t c = 0; c < C; ++c)
      for (int64_t k = 0; k < p.filter[2]; ++k)
        for (int64_t l = 0; l < p.filter[3]; ++l)
          for (int64_t i = 0; i < rows; ++i)
            for (int64_t j = 0; j < columns; ++j, ++at) {
              const int64_t h = i * p.stride[0] - p.padding[0] + k * p.dilation[0];
              const int64_t w = j * p.stride[1] - p.padding[1] + l * p.dilation[1];
              if (h >= 0 && h < H && w >= 0 && w < W)
                visit(static_cast<std::size_t>(((n * C + c) * H + h) * W + w), at);
            }
}

OpCase draw_im2col(Draw& draw) {
  const Conv2dProblem p = draw_windows(draw);
  OpCase one;
  one.label = conv2d_label(p);
  one.arguments = {{.sizes = {p.image.begin(), p.image.end()}}};
  one.call = [=](const variable_list& x) {
    return im2col(x[0], {p.filter[2], p.filter[3]}, p.dilation, p.padding, p.stride);
  };
  one.reference = [=]<typename T>(const PlainList<T>& x) {
    PlainTensor<T> result({p.image[0], p.window(), p.positions()});
    for_each_place(p, [&](std::size_t image, std::size_t column) {
      result.values[column] = x[0].values[image];
    });
    return result;
  };
  return one;
}

OpCase draw_col2im(Draw& draw) {
  const Conv2dProblem p = draw_windows(draw);
  OpCase one;
  one.label = conv2d_label(p);
  one.arguments = {{.sizes = {p.image[0], p.window(), p.positions()}}};
  one.call = [=](const variable_list& x) {
    return col2im(x[0], {p.image[2], p.image[3]}, {p.filter[2], p.filter[3]}, p.dilation, p.padding,
                  p.stride);
  };
  one.reference = [=]<typename T>(const PlainList<T>& x) {
    PlainTensor<T> result({p.image.begin(), p.image.end()});
    for_each_place(p, [&](std::size_t image, std::size_t column) {
      result.values[image] += x[0].values[column];
    });
    return result;
  };
  return one;
}

const RegisterOp im2col_row({.name = "im2col",
                             .family = "conv",
                             .draw = draw_im2col,
                             .traits = Trait::Locates | Trait::Overlaps | Trait::Pads});
const RegisterOp col2im_row(
    {.name = "col2im", .family = "conv", .draw = draw_col2im, .traits = Trait::Accumulates});

}  // namespace

Conv2dProblem window_problem(const Operation& op, IntArrayRef image, Pair kernel_size,
                             Pair dilation, Pair padding, Pair stride) {
  return conv2d_problem(op, image, {1, image[1], kernel_size[0], kernel_size[1]}, stride, padding,
                        dilation, 1);
}

Tensor im2col(const Tensor& self, Pair kernel_size, Pair dilation, Pair padding, Pair stride,
              At at) {
  const Operation op("im2col", at);
  check_operand(op, self);
  if (self.dim() == 3) {
    const Composite composite({&self});
    return squeeze(im2col(unsqueeze(self, 0, at), kernel_size, dilation, padding, stride, at), 0,
                   at);
  }
  if (self.dim() != 4)
    op.fail<ShapeError>("expected 3D or 4D (batch mode) tensor, but got input of size: {}",
                        to_string(self.sizes()));
  return unfolded(self, window_problem(op, self.sizes(), kernel_size, dilation, padding, stride),
                  at);
}

Tensor col2im(const Tensor& self, Pair output_size, Pair kernel_size, Pair dilation, Pair padding,
              Pair stride, At at) {
  const Operation op("col2im", at);
  check_operand(op, self);
  if (self.dim() == 2) {
    const Composite composite({&self});
    return squeeze(
        col2im(unsqueeze(self, 0, at), output_size, kernel_size, dilation, padding, stride, at), 0,
        at);
  }
  if (self.dim() != 3)
    op.fail<ShapeError>("expected 2D or 3D (batch mode) tensor, but got input of size: {}",
                        to_string(self.sizes()));
  const bool positive = kernel_size[0] > 0 && kernel_size[1] > 0;
  int64_t pixels = 0;
  if (!positive || __builtin_mul_overflow(kernel_size[0], kernel_size[1], &pixels) ||
      self.size(1) % pixels != 0)
    op.fail<ShapeError>(
        "expected size of input's dimension 1 to be divisible by the product of kernel_size, but "
        "got input.size(1)={} and kernel_size={}",
        self.size(1), to_string(IntArrayRef(kernel_size.data(), 2)));
  const Conv2dProblem p =
      window_problem(op, {self.size(0), self.size(1) / pixels, output_size[0], output_size[1]},
                     kernel_size, dilation, padding, stride);
  if (self.size(2) != p.positions())
    op.fail<ShapeError>(
        "given output_size={} and kernel_size={}, expected size of input's dimension 2 to match "
        "the number of sliding blocks {}, but got input.size(2)={}",
        to_string(IntArrayRef(output_size.data(), 2)),
        to_string(IntArrayRef(kernel_size.data(), 2)), p.positions(), self.size(2));
  return folded(self, p, at);
}

}  // namespace notape
