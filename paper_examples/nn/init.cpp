#include "paper_examples/nn/init.h"

#include <cmath>

#include "ops/ops.h"

namespace notape::nn::init {
namespace {

thread_local int skipping = 0;  // guards that live

}  // namespace

SkipGuard::SkipGuard() { ++skipping; }
SkipGuard::~SkipGuard() { --skipping; }

double calculate_gain(Nonlinearity nonlinearity, double param) {
  switch (nonlinearity) {
    case Nonlinearity::Tanh:
      return 5.0 / 3;
    case Nonlinearity::ReLU:
      return std::sqrt(2.0);
    case Nonlinearity::LeakyReLU:
      return std::sqrt(2 / (1 + param * param));
    default:
      return 1;
  }
}

Fans calculate_fans(const Tensor& weight) {
  if (weight.dim() < 2)
    throw ShapeError(
        "init: fan_in and fan_out are those of a tensor of two dimensions or more, not of {}",
        weight.dim());
  const int64_t field =
      weight.numel() == 0 ? 0 : weight.numel() / (weight.size(0) * weight.size(1));
  return {weight.size(1) * field, weight.size(0) * field};
}

Tensor constant_(const Tensor& tensor, Scalar value) {
  if (skipping > 0) return tensor;
  const NoGradGuard no_grad;
  return tensor.fill_(value);
}
Tensor zeros_(const Tensor& tensor) { return constant_(tensor, 0); }
Tensor ones_(const Tensor& tensor) { return constant_(tensor, 1); }

Tensor uniform_(const Tensor& tensor, double low, double high) {
  if (skipping > 0) return tensor;
  const NoGradGuard no_grad;
  return tensor.uniform_(low, high);
}

Tensor normal_(const Tensor& tensor, double mean, double std) {
  if (skipping > 0) return tensor;
  const NoGradGuard no_grad;
  return tensor.normal_(mean, std);
}

Tensor trunc_normal_(const Tensor& tensor, double mean, double std, double low, double high) {
  const NoGradGuard no_grad;
  const auto below = [&](double x) { return 0.5 * std::erfc((mean - x) / (std * std::sqrt(2.0))); };
  if (!(std > 0 && low < high && below(high) > below(low)))
    throw ValueError(
        "trunc_normal_: a normal distribution of mean {} and deviation {} is never in "
        "[{}, {}]",
        mean, std, low, high);
  if (skipping > 0) return tensor;
  // The inverse of the distribution function at uniform numbers between its values at the ends.
  const Tensor part =
      empty(tensor.sizes(), dtype(kFloat64)).uniform_(2 * below(low) - 1, 2 * below(high) - 1);
  return tensor.copy_(clamp(erfinv(part) * (std * std::sqrt(2.0)) + mean, low, high));
}

Tensor eye_(const Tensor& tensor) {
  if (tensor.dim() != 2) throw ShapeError("eye_: {} dimensions, not 2", tensor.dim());
  if (skipping > 0) return tensor;
  const NoGradGuard no_grad;
  return tensor.copy_(eye(tensor.size(0), tensor.size(1)));
}

Tensor xavier_uniform_(const Tensor& tensor, double gain) {
  const Fans fans = calculate_fans(tensor);
  const double bound = gain * std::sqrt(6.0 / static_cast<double>(fans.in + fans.out));
  return uniform_(tensor, -bound, bound);
}

Tensor xavier_normal_(const Tensor& tensor, double gain) {
  const Fans fans = calculate_fans(tensor);
  return normal_(tensor, 0, gain * std::sqrt(2.0 / static_cast<double>(fans.in + fans.out)));
}

namespace {

double kaiming_deviation(const Tensor& tensor, double a, FanMode mode, Nonlinearity nonlinearity) {
  const Fans fans = calculate_fans(tensor);
  const int64_t fan = mode == FanMode::FanIn ? fans.in : fans.out;
  return calculate_gain(nonlinearity, a) / std::sqrt(static_cast<double>(fan));
}

}  // namespace

Tensor kaiming_uniform_(const Tensor& tensor, double a, FanMode mode, Nonlinearity nonlinearity) {
  const double bound = std::sqrt(3.0) * kaiming_deviation(tensor, a, mode, nonlinearity);
  return uniform_(tensor, -bound, bound);
}

Tensor kaiming_normal_(const Tensor& tensor, double a, FanMode mode, Nonlinearity nonlinearity) {
  return normal_(tensor, 0, kaiming_deviation(tensor, a, mode, nonlinearity));
}

Tensor orthogonal_(const Tensor& tensor, double gain) {
  if (tensor.dim() < 2) throw ShapeError("orthogonal_: {} dimensions, not 2 or more", tensor.dim());
  if (tensor.numel() == 0 || skipping > 0) return tensor;
  const NoGradGuard no_grad;
  const int64_t rows = tensor.size(0), columns = tensor.numel() / rows;
  const bool is_wide = rows < columns;
  const auto [q, r] =
      linalg_qr(randn({std::max(rows, columns), std::min(rows, columns)}, dtype(kFloat64)));
  // Of all Q, which are only known up to the signs of columns, each is as likely as another.
  const Tensor even = q * sign(diagonal(r));
  return tensor.copy_((is_wide ? even.t() : even).reshape(tensor.sizes()) * gain);
}

Tensor uniform_by_fan_in_(const Tensor& tensor, int64_t fan_in) {
  const double bound = fan_in > 0 ? 1 / std::sqrt(static_cast<double>(fan_in)) : 0;
  return uniform_(tensor, -bound, bound);
}
Tensor uniform_by_fan_in(IntArrayRef size, int64_t fan_in) {
  return uniform_by_fan_in_(empty(size), fan_in);
}

}  // namespace notape::nn::init
