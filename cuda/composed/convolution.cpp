#include "cuda/composed/convolution.h"

#include <algorithm>

#include "autograd/tensor/core_operators.h"
#include "autograd/tensor/factories.h"
#include "cuda/composed/windows.h"
#include "ops/linalg/gemm.h"

namespace notape::cuda {
namespace {

/// Entries of the columns that are laid out at a time.
constexpr int64_t kMostEntries = int64_t{1} << 26;

WindowGrid grid_of(const Conv2dProblem& p) {
  return {{p.image[2], p.image[3]},
          {p.filter[2], p.filter[3]},
          {p.response[2], p.response[3]},
          p.stride,
          p.padding,
          p.dilation};
}

/// A convolution as a product of matrices, for a part of the images at a time.
class Products {
 public:
  Products(const Operation& op, const Conv2dProblem& problem, const Tensor& like)
      : op_(op),
        p_(problem),
        dtype_(like.dtype()),
        device_(like.device()),
        grid_(grid_of(problem)) {}

  /// f(first image, how many)
  template <typename F>
  void for_parts(const F& f) const {
    const int64_t each = std::max<int64_t>(1, p_.groups * p_.window() * p_.positions());
    const int64_t most = std::max<int64_t>(1, kMostEntries / each);
    for (int64_t first = 0; first < p_.image[0]; first += most)
      f(first, std::min(most, p_.image[0] - first));
  }

  /// (groups, O / groups, window) of a filter, a view if it is row-major.
  Tensor filter_matrices(const Tensor& filter) const {
    const int64_t matrix = outputs() * p_.window();
    return seen_as(raw_contiguous(filter), {p_.groups, outputs(), p_.window()},
                   {matrix, p_.window(), 1});
  }
  /// (groups, O / groups, n, positions) of responses, as they lie there.
  Tensor response_view(const Tensor& response, int64_t first, int64_t n) const {
    const auto s = response.strides();
    return seen_as(response, {p_.groups, outputs(), n, p_.response[2], p_.response[3]},
                   {outputs() * s[1], s[1], s[0], s[2], s[3]}, first * s[0]);
  }
  /// Memory for (groups, rows, n positions), and the same with n and positions apart.
  Tensor matrices(int64_t rows, int64_t n) const {
    return allocate(IntArrayRef({p_.groups, rows, n * p_.positions()}), dtype_, device_);
  }
  Tensor with_positions_apart(const Tensor& all, int64_t n) const {
    return raw_alias(all, Geometry({p_.groups, all.size(1), n, p_.response[2], p_.response[3]}));
  }
  /// The columns with the pixels of a window, the images and the positions apart.
  Tensor with_windows_apart(const Tensor& columns, int64_t n) const {
    return raw_alias(columns, Geometry({p_.groups, p_.filter[1], p_.filter[2], p_.filter[3], n,
                                        p_.response[2], p_.response[3]}));
  }

  Tensor images(const Tensor& image, int64_t first, int64_t n) const {
    return seen_as(image, {n, image.size(1), image.size(2), image.size(3)}, image.strides(),
                   first * image.stride(0));
  }
  Tensor responses(const Tensor& response, int64_t first, int64_t n) const {
    const Tensor result = matrices(outputs(), n);
    raw_copy(with_positions_apart(result, n), response_view(response, first, n));
    return result;
  }
  Tensor columns(const Tensor& image, int64_t first, int64_t n) const {
    const Tensor padded = padded_with(number_like(image, 0), images(image, first, n), grid_);
    const Tensor result = matrices(p_.window(), n);
    raw_copy(with_windows_apart(result, n), windows_of(padded, p_.groups, grid_));
    return result;
  }
  /// Overwrites images with the sums of the columns' entries; columns (groups, C / groups, kH, kW,
  /// n, H', W').
  void fold(const Tensor& image, const Tensor& columns) const {
    const Tensor padded =
        allocate(IntArrayRef({image.size(0), image.size(1), grid_.padded(0), grid_.padded(1)}),
                 dtype_, device_);
    raw_copy(padded, number_like(image, 0));
    const Tensor windows = windows_of(padded, p_.groups, grid_);
    for (int64_t k = 0; k < p_.filter[2]; ++k)
      for (int64_t l = 0; l < p_.filter[3]; ++l)
        core_operators->add_into(at_pixel(windows, k, l), at_pixel(columns, k, l));
    raw_copy(image, pixels_of(padded, grid_));
  }

  void multiply(const Matrix& result, const Matrix& a, const Matrix& b, double beta) const {
    gemm(op_, {.result = result,
               .a = a,
               .b = b,
               .batch = p_.groups,
               .beta = beta,
               .dtype = dtype_,
               .device = device_});
  }

 private:
  int64_t outputs() const { return p_.filter[0] / p_.groups; }

  /// Of windows (groups, C / groups, kH, kW, n, H', W'), which do not overlap at one pixel of
  /// theirs.
  static Tensor at_pixel(const Tensor& windows, int64_t k, int64_t l) {
    const auto size = windows.sizes(), s = windows.strides();
    return seen_as(windows, {size[0], size[1], size[4], size[5], size[6]},
                   {s[0], s[1], s[4], s[5], s[6]}, k * s[2] + l * s[3]);
  }

  const Operation& op_;
  const Conv2dProblem& p_;
  ScalarType dtype_;
  Device device_;
  WindowGrid grid_;
};

/// (N, C kH kW, H' W') as (1, C, kH, kW, N, H', W').
Tensor windows_in(const Tensor& columns, const Conv2dProblem& p) {
  const int64_t row = p.positions(), pixel_row = p.filter[3] * row;
  return seen_as(
      columns, {1, p.filter[1], p.filter[2], p.filter[3], p.image[0], p.response[2], p.response[3]},
      {columns.numel(), p.filter[2] * pixel_row, pixel_row, row, p.window() * row, p.response[3],
       1});
}

}  // namespace

void convolve(const Operation& op, const Tensor& result, const Tensor& image, const Tensor& filter,
              const Tensor& bias, const Conv2dProblem& problem) {
  if (result.numel() == 0) return;
  const Products products(op, problem, result);
  const Tensor weights = products.filter_matrices(filter);
  products.for_parts([&](int64_t first, int64_t n) {
    const Tensor columns = products.columns(image, first, n);
    const Tensor sums = products.matrices(weights.size(1), n);
    if (bias.defined())
      raw_copy(sums, seen_as(bias, {weights.size(0), weights.size(1), 1},
                             {weights.size(1) * bias.stride(0), bias.stride(0), 0}));
    products.multiply(matrix_of(sums), matrix_of(weights), matrix_of(columns),
                      bias.defined() ? 1 : 0);
    raw_copy(products.response_view(result, first, n), products.with_positions_apart(sums, n));
  });
}

void convolve_backward_input(const Operation& op, const Tensor& result, const Tensor& response,
                             const Tensor& filter, const Conv2dProblem& problem) {
  if (result.numel() == 0) return;
  if (response.numel() == 0) return raw_copy(result, number_like(result, 0));
  const Products products(op, problem, result);
  const Tensor weights = products.filter_matrices(filter);
  products.for_parts([&](int64_t first, int64_t n) {
    const Tensor columns = products.matrices(problem.window(), n);
    products.multiply(matrix_of(columns), matrix_of(weights).transposed(),
                      matrix_of(products.responses(response, first, n)), 0);
    products.fold(products.images(result, first, n), products.with_windows_apart(columns, n));
  });
}

void convolve_backward_weight(const Operation& op, const Tensor& result, const Tensor& response,
                              const Tensor& image, const Conv2dProblem& problem) {
  if (result.numel() == 0) return;
  if (response.numel() == 0) return raw_copy(result, number_like(result, 0));
  const Products products(op, problem, result);
  const Tensor weights = products.filter_matrices(result);  // which is row-major
  products.for_parts([&](int64_t first, int64_t n) {
    const Tensor columns = products.columns(image, first, n);
    products.multiply(matrix_of(weights), matrix_of(products.responses(response, first, n)),
                      matrix_of(columns).transposed(), first == 0 ? 0 : 1);
  });
}

void unfold_windows(const Operation&, const Tensor& columns, const Tensor& image,
                    const Conv2dProblem& problem) {
  if (columns.numel() == 0) return;
  const WindowGrid grid = grid_of(problem);
  const Tensor padded = padded_with(number_like(image, 0), image, grid);
  raw_copy(windows_in(columns, problem), windows_of(padded, 1, grid));
}

void fold_windows(const Operation& op, const Tensor& image, const Tensor& columns,
                  const Conv2dProblem& problem) {
  if (image.numel() == 0) return;
  if (columns.numel() == 0) return raw_copy(image, number_like(image, 0));
  Products(op, problem, image).fold(image, windows_in(columns, problem));
}

}  // namespace notape::cuda
