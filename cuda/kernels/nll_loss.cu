// The loss of class numbers on a GPU: one block for a sum or mean, in double, in one order.
#include "ops/loss/nll_loss.h"

#include "cuda/kernels/launch_slices.h"
#include "cuda/kernels/position_check.h"

namespace notape::cuda {
namespace {

template <typename T>
struct NllLoss {
  const T *input, *weights;  ///< weights or null
  int64_t* labels;
  T *coefficient, *losses;
  int64_t count, classes, inner, ignore_index;
  PositionCheck check;

  struct Term {
    T loss, weight;
  };
  /// A label that is no class counts for nothing, and stands for the first one from then on.
  __device__ Term term(int64_t i) const {
    const int64_t label = labels[i];
    if (label == ignore_index) return {T(0), T(0)};
    if (!check.admits(label)) {
      labels[i] = 0;
      return {T(0), T(0)};
    }
    const T w = weights ? weights[label] : T(1);
    return {-w * input[(i / inner * classes + label) * inner + i % inner], w};
  }
};

template <typename T>
struct EachLoss : NllLoss<T> {
  __device__ void operator()(int64_t i, const LoneThread&) const {
    const auto [loss, weight] = this->term(i);
    this->losses[i] = loss;
    this->coefficient[i] = -weight;
  }
};

template <typename T>
struct AllLosses : NllLoss<T> {
  bool is_mean;

  struct Sums {
    double loss, weight;
  };
  template <typename Team>
  __device__ void operator()(int64_t, const Team& team) const {
    Sums mine{0, 0};
    for (int64_t i = team.rank(); i < this->count; i += team.size()) {
      const auto [loss, weight] = this->term(i);
      this->coefficient[i] = -weight;
      mine = {mine.loss + static_cast<double>(loss), mine.weight + static_cast<double>(weight)};
    }
    const Sums all = combine_in_team(team, mine, [](const Sums& a, const Sums& b) {
      return Sums{a.loss + b.loss, a.weight + b.weight};
    });
    const double divisor = is_mean ? all.weight : 1;
    if (team.rank() == 0) *this->losses = static_cast<T>(all.loss / divisor);
    for (int64_t i = team.rank(); i < this->count; i += team.size())  // what it has written itself
      if (this->labels[i] != this->ignore_index)
        this->coefficient[i] = static_cast<T>(static_cast<double>(this->coefficient[i]) / divisor);
  }
};

void nll_loss_on_cuda(const Operation& op, const Tensor& result, const Picks& picks,
                      const Tensor& input, const Tensor& weight, Reduction reduction,
                      int64_t ignore_index, bool& any_ignored) {
  any_ignored = true;  // nobody knows yet
  const int64_t dim = class_dim(input.dim());
  const Slices s(input.sizes(), dim);
  visit_floating(input.dtype(), [&]<typename T>() {
    const NllLoss<T> work{input.impl().data_as<T>(),
                          data_or_null<T>(weight),
                          picks.labels.impl().data_as<int64_t>(),
                          picks.coefficient.impl().data_as<T>(),
                          result.impl().data_as<T>(),
                          picks.labels.numel(),
                          s.size,
                          s.inner,
                          ignore_index,
                          PositionCheck(op, {0, s.size, dim}, input.device())};
    void* const stream = stream_of(input);
    if (reduction == Reduction::None)
      detail::launch_by_threads(EachLoss<T>{work}, work.count, stream);
    else
      detail::launch_by_blocks(AllLosses<T>{work, reduction == Reduction::Mean}, 1, stream);
  });
}

template <typename T>
struct NllLossGradient {
  const T* grad;
  int64_t step;  ///< 0 if there is one for all
  const int64_t* labels;
  const T* coefficient;
  T* result;
  int64_t classes, inner, ignore_index;

  __device__ void operator()(int64_t at, const LoneThread&) const {
    const int64_t i = at / (classes * inner) * inner + at % inner, label = labels[i];
    const bool is_picked = label == at / inner % classes && label != ignore_index;
    result[at] = is_picked ? grad[i * step] * coefficient[i] : T(0);
  }
};

void gradient_on_cuda(const Operation&, const Tensor& result, const Tensor& grad,
                      const Picks& picks, int64_t ignore_index) {
  const Slices s(result.sizes(), class_dim(result.dim()));
  visit_floating(result.dtype(), [&]<typename T>() {
    const NllLossGradient<T> work{grad.impl().data_as<T>(),
                                  grad.numel() == picks.labels.numel() ? 1 : 0,
                                  picks.labels.impl().data_as<int64_t>(),
                                  picks.coefficient.impl().data_as<T>(),
                                  result.impl().data_as<T>(),
                                  s.size,
                                  s.inner,
                                  ignore_index};
    detail::launch_by_threads(work, result.numel(), stream_of(result));
  });
}

const Implementation forward(nll_loss_kernel, kCUDA, nll_loss_on_cuda);
const Implementation backward(nll_loss_gradient_kernel, kCUDA, gradient_on_cuda);

}  // namespace
}  // namespace notape::cuda
