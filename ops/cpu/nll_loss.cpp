#include "ops/loss/nll_loss.h"

#include <algorithm>

namespace notape {
namespace {

void check_labels(const Operation& op, const Tensor& labels, int64_t classes,
                  int64_t ignore_index) {
  const auto* label = labels.impl().data_as<int64_t>();
  for (int64_t i = 0; i < labels.numel(); ++i)
    if (label[i] != ignore_index && (label[i] < 0 || label[i] >= classes))
      op.fail<IndexError>("Target {} is out of bounds.", label[i]);
}

template <typename T>
bool run_nll_loss(const Tensor& result, const Picks& picks, const Tensor& input,
                  const Tensor& weight, Reduction reduction, int64_t ignore_index) {
  const Slices s(input.sizes(), class_dim(input.dim()));
  const int64_t count = picks.labels.numel();
  const T* values = input.impl().data_as<T>();
  const T* weights = weight.defined() ? weight.impl().data_as<T>() : nullptr;
  const auto* label = picks.labels.impl().data_as<int64_t>();
  T* coefficient = picks.coefficient.impl().data_as<T>();
  T* losses = result.impl().data_as<T>();
  double sum = 0, total = 0;
  bool any_ignored = false;
  for (int64_t i = 0; i < count; ++i) {
    T loss = 0, w = 0;
    if (label[i] == ignore_index) {
      any_ignored = true;
    } else {
      w = weights ? weights[label[i]] : T(1);
      loss = -w * values[(i / s.inner * s.size + label[i]) * s.inner + i % s.inner];
    }
    coefficient[i] = -w;
    if (reduction == Reduction::None) losses[i] = loss;
    sum += static_cast<double>(loss);
    total += static_cast<double>(w);
  }
  if (reduction == Reduction::None) return any_ignored;
  const double divisor = reduction == Reduction::Mean ? total : 1;
  *losses = static_cast<T>(sum / divisor);
  for (int64_t i = 0; i < count; ++i)
    if (label[i] != ignore_index)
      coefficient[i] = static_cast<T>(static_cast<double>(coefficient[i]) / divisor);
  return any_ignored;
}

void nll_loss_on_cpu(const Operation& op, const Tensor& result, const Picks& picks,
                     const Tensor& input, const Tensor& weight, Reduction reduction,
                     int64_t ignore_index, bool& any_ignored) {
  check_labels(op, picks.labels, input.size(class_dim(input.dim())), ignore_index);
  any_ignored = visit_floating(input.dtype(), [&]<typename T>() {
    return run_nll_loss<T>(result, picks, input, weight, reduction, ignore_index);
  });
}

void nll_loss_gradient(const Operation&, const Tensor& result, const Tensor& grad,
                       const Picks& picks, int64_t ignore_index) {
  const Slices s(result.sizes(), class_dim(result.dim()));
  const int64_t count = picks.labels.numel(), step = grad.numel() == count ? 1 : 0;
  visit_floating(result.dtype(), [&]<typename T>() {
    const auto* label = picks.labels.impl().data_as<int64_t>();
    const T *g = grad.impl().data_as<T>(), *coefficient = picks.coefficient.impl().data_as<T>();
    T* const values = result.impl().data_as<T>();
    std::fill_n(values, result.numel(), T(0));
    for (int64_t i = 0; i < count; ++i)
      if (label[i] != ignore_index)
        values[(i / s.inner * s.size + label[i]) * s.inner + i % s.inner] =
            g[i * step] * coefficient[i];
  });
}

}  // namespace

constinit NllLossKernel nll_loss_kernel(nll_loss_on_cpu);
constinit NllLossGradientKernel nll_loss_gradient_kernel(nll_loss_gradient);

}  // namespace notape
