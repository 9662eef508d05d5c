// The three convolution products on the CPU: unfold, then gemm, image by image and group by group,
// in strips of response rows that keep the unfolded part in cache.
#include <algorithm>

#include "ops/core/allocate.h"
#include "ops/cpu/correlation.h"
#include "ops/cpu/im2col.h"
#include "ops/linalg/gemm.h"

namespace notape {
namespace {

/// Elements of an unfolded strip that are worked on at a time.
constexpr int64_t kStripElements = 1 << 18;

/// One image and group of a convolution, as matrices.
template <typename T>
class Strips {
 public:
  Strips(const Operation& op, const Conv2dProblem& problem)
      : op_(op), p_(problem), rows_per_strip_(choose_rows()) {
    if (!p_.is_pointwise())
      buffer_ = allocate(IntArrayRef({p_.window() * rows_per_strip_ * p_.response[3]}),
                         scalar_type_of<T>, kCPU);
  }

  /// Calls visit(image group, filter group, response group, rows) for every strip.
  template <typename Visit>
  void for_each(T* image, T* filter, T* response, Visit visit) const {
    const int64_t pixels = p_.filter[1] * p_.image[2] * p_.image[3];
    const int64_t outputs = p_.filter[0] / p_.groups;
    for (int64_t n = 0; n < p_.image[0]; ++n)
      for (int64_t g = 0; g < p_.groups; ++g) {
        const int64_t block = n * p_.groups + g;
        for (int64_t row = 0; row < p_.response[2]; row += rows_per_strip_)
          visit(image + block * pixels, filter + g * outputs * p_.window(),
                response + block * outputs * p_.positions(),
                RowRange{row, std::min(row + rows_per_strip_, p_.response[2])});
      }
  }

  /// (O / groups, window)
  Matrix filter_matrix(T* filter) const {
    return {filter, p_.filter[0] / p_.groups, p_.window(), p_.window(), 1};
  }
  /// (O / groups, positions of the strip)
  Matrix response_matrix(T* response, RowRange rows) const {
    return {response + rows.begin * p_.response[3], p_.filter[0] / p_.groups, width(rows),
            p_.positions(), 1};
  }
  /// (window, positions of the strip): the buffer, or for pointwise filters the image itself.
  Matrix unfolded_matrix(T* image, RowRange rows) const {
    if (p_.is_pointwise())
      return {image + rows.begin * p_.response[3], p_.window(), width(rows), p_.positions(), 1};
    return {buffer_.impl().template data_as<T>(), p_.window(), width(rows), width(rows), 1};
  }
  Matrix unfold(T* image, RowRange rows) const {
    if (!p_.is_pointwise()) im2col(p_, image, buffer_.impl().template data_as<T>(), rows);
    return unfolded_matrix(image, rows);
  }
  void multiply(const Matrix& result, const Matrix& a, const Matrix& b, int beta) const {
    gemm(op_, {.result = result, .a = a, .b = b, .beta = beta, .dtype = scalar_type_of<T>});
  }

 private:
  int64_t choose_rows() const {
    const int64_t row = std::max<int64_t>(p_.window() * p_.response[3], 1);
    if (p_.is_pointwise()) return p_.response[2];
    return std::clamp<int64_t>(kStripElements / row, 1, p_.response[2]);
  }
  int64_t width(RowRange rows) const { return (rows.end - rows.begin) * p_.response[3]; }

  const Operation& op_;
  const Conv2dProblem& p_;
  const int64_t rows_per_strip_;
  Tensor buffer_;
};

/// Calls f.operator()<T>() for the element types that can be multiplied.
template <typename F>
void visit_number(const Operation& op, const Tensor& result, F f) {
  if (result.dtype() == kBool) no_kernel(op, result.dtype(), result.device());
  visit_computed(result.dtype(), [&]<typename T>() {
    if constexpr (!std::is_same_v<T, Bool>) f.template operator()<T>();
  });
}

template <typename T>
void fill_with_bias(const Tensor& result, const Tensor& bias, const Conv2dProblem& p) {
  T* to = result.impl().template data_as<T>();
  for (int64_t n = 0; n < p.image[0]; ++n)
    for (int64_t o = 0; o < p.filter[0]; ++o, to += p.positions())
      std::fill_n(to, p.positions(), bias.impl().template data_as<T>()[o * bias.stride(0)]);
}

/// Pointwise filters of many channels multiply the image itself, as a matrix.
bool is_correlation(const Conv2dProblem& p, int64_t channels) {
  return !(p.is_pointwise() && correlation::fill_lanes(channels)) && correlation::takes(p);
}

correlation::Bias bias_of(const Tensor& bias) {
  if (!bias.defined()) return {};
  return {bias.impl().data_as<float>(), bias.stride(0)};
}

bool correlate(const correlation::Correlation& p, const Tensor& result, const Tensor& source,
               const Tensor& filter, correlation::Bias bias) {
  if (!correlation::is_worthwhile(p)) return false;
  correlation::run(p, result.impl().data_as<float>(), source.impl().data_as<float>(),
                   filter.impl().data_as<float>(), bias);
  return true;
}

void conv2d_forward(const Operation& op, const Tensor& result, const Tensor& image,
                    const Tensor& filter, const Tensor& bias, const Conv2dProblem& p) {
  const Tensor x = raw_contiguous(image), w = raw_contiguous(filter);
  visit_number(op, result, [&]<typename T>() {
    if constexpr (std::is_same_v<T, float>)
      if (is_correlation(p, p.filter[0] / p.groups) &&
          correlate(correlation::forward(p), result, x, w, bias_of(bias)))
        return;
    if (bias.defined()) fill_with_bias<T>(result, bias, p);
    const Strips<T> strips(op, p);
    strips.for_each(
        x.impl().template data_as<T>(), w.impl().template data_as<T>(),
        result.impl().template data_as<T>(), [&](T* pixels, T* weights, T* outputs, RowRange rows) {
          strips.multiply(strips.response_matrix(outputs, rows), strips.filter_matrix(weights),
                          strips.unfold(pixels, rows), bias.defined() ? 1 : 0);
        });
  });
}

void backward_input(const Operation& op, const Tensor& result, const Tensor& response,
                    const Tensor& filter, const Conv2dProblem& p) {
  const Tensor y = raw_contiguous(response), w = raw_contiguous(filter);
  visit_number(op, result, [&]<typename T>() {
    if constexpr (std::is_same_v<T, float>)
      if (is_correlation(p, p.filter[1]) &&
          correlate(correlation::backward_input(p), result, y, w, {}))
        return;
    std::fill_n(result.impl().template data_as<T>(), result.numel(), T(0));
    const Strips<T> strips(op, p);
    strips.for_each(result.impl().template data_as<T>(), w.impl().template data_as<T>(),
                    y.impl().template data_as<T>(),
                    [&](T* pixels, T* weights, T* outputs, RowRange rows) {
                      const Matrix unfolded = strips.unfolded_matrix(pixels, rows);
                      strips.multiply(unfolded, strips.filter_matrix(weights).transposed(),
                                      strips.response_matrix(outputs, rows), 0);
                      if (!p.is_pointwise())
                        add_col2im(p, static_cast<const T*>(unfolded.data), pixels, rows);
                    });
  });
}

void backward_weight(const Operation& op, const Tensor& result, const Tensor& response,
                     const Tensor& image, const Conv2dProblem& p) {
  const Tensor y = raw_contiguous(response), x = raw_contiguous(image);
  visit_number(op, result, [&]<typename T>() {
    if constexpr (std::is_same_v<T, float>)
      if (is_correlation(p, p.filter[0] / p.groups))
        return correlation::backward_weight(p, result.impl().data_as<float>(),
                                            y.impl().data_as<float>(), x.impl().data_as<float>());
    std::fill_n(result.impl().template data_as<T>(), result.numel(), T(0));
    const Strips<T> strips(op, p);
    strips.for_each(
        x.impl().template data_as<T>(), result.impl().template data_as<T>(),
        y.impl().template data_as<T>(), [&](T* pixels, T* weights, T* outputs, RowRange rows) {
          strips.multiply(strips.filter_matrix(weights), strips.response_matrix(outputs, rows),
                          strips.unfold(pixels, rows).transposed(), 1);
        });
  });
}

}  // namespace

constinit Conv2dKernel conv2d_kernel(conv2d_forward);
constinit Conv2dBackwardKernel conv2d_backward_input_kernel(backward_input);
constinit Conv2dBackwardKernel conv2d_backward_weight_kernel(backward_weight);

}  // namespace notape
