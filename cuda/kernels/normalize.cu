// Normalisation on a GPU: a team for what shares a mean, sums in double. Channels of few entries
// and all groups are one launch either way. Of long channels there are too few to keep a GPU busy:
// a second launch goes over all of x.
#include "ops/normalization/normalize.h"

#include "autograd/tensor/factories.h"
#include "cuda/kernels/launch_slices.h"
#include "ops/normalization/standardizer.h"

namespace notape::cuda {
namespace {

/// A channel that is done in one launch.
constexpr int64_t kFewEntries = 16384;
/// A stretch whose entries a block goes through; of shorter ones each entry is one.
constexpr int64_t kStretch = 32;

/// Entries in `outer` runs of `inner` neighbours, which a team visits together.
struct Members {
  int64_t first, outer, step, inner;

  /// f(run, position)
  template <typename Team, typename F>
  __device__ void each(const Team& team, const F& f) const {
    if (inner == 0) return;
    const int64_t size = team.size(), runs = size / inner, rest = size % inner;
    int64_t run = team.rank() / inner, i = team.rank() % inner;
    while (run < outer) {
      f(run, first + run * step + i);
      run += runs;
      i += rest;
      if (i >= inner) {
        i -= inner;
        ++run;
      }
    }
  }
  template <typename Team, typename Load>
  __device__ double sum(const Team& team, const Load& load) const {
    double sum = 0;
    each(team, [&](int64_t run, int64_t at) { sum += static_cast<double>(load(run, at)); });
    return combine_in_team(team, sum, [](double a, double b) { return a + b; });
  }
};

/// NormalizeProblem for a GPU.
struct Layout {
  int64_t samples, groups, width, entries;  ///< `width` channels in a group
  bool by_channel;
  double eps;

  explicit Layout(const NormalizeProblem& p)
      : samples(p.view[0]),
        groups(p.view[1]),
        width(p.view[2]),
        entries(p.view[3]),
        by_channel(p.by_channel),
        eps(p.eps) {}

  __device__ int64_t channels() const { return groups * width; }
  __device__ Members of_channel(int64_t k) const {
    return {k * entries, samples, channels() * entries, entries};
  }
  /// What shares a mean.
  __device__ Members of_mean(int64_t slice) const {
    if (by_channel) return of_channel(slice);
    return {slice * width * entries, width, entries, entries};
  }
  /// The channel of a run of these.
  __device__ int64_t channel(int64_t slice, int64_t run) const {
    return by_channel ? slice : slice % groups * width + run;
  }
  /// The mean of a run of a channel.
  __device__ int64_t mean(int64_t k, int64_t run) const {
    return by_channel ? k : run * groups + k / width;
  }
};

template <typename T>
struct Affine {
  const T *weight, *bias;  ///< or null
  __device__ T factor(int64_t k) const { return weight ? weight[k] : T(1); }
  __device__ T operator()(T standard, int64_t k) const {
    return standard * factor(k) + (bias ? bias[k] : T(0));
  }
};

/// A running statistic of float32 or float64, or none.
struct Moved {
  void* data;
  bool is_double;
  double momentum, factor;

  Moved(const Tensor& running, double momentum, double factor)
      : data(running.defined() ? running.impl().data() : nullptr),
        is_double(running.defined() && running.dtype() == kFloat64),
        momentum(momentum),
        factor(factor) {}
  __device__ void by(double batch, int64_t k) const {
    if (!data) return;
    is_double ? move(static_cast<double*>(data)[k], batch)
              : move(static_cast<float*>(data)[k], batch);
  }
  template <typename S>
  __device__ void move(S& value, double batch) const {
    value = static_cast<S>(moved_statistic(static_cast<double>(value), batch, momentum, factor));
  }
};

/// Mean and variance of a slice, and the result unless that comes later.
template <typename T>
struct Normalize {
  Layout layout;
  const T* x;
  Affine<T> affine;
  T* result;
  double *mean, *variance, count;
  Moved running_mean, running_variance;
  bool writes;

  template <typename Team>
  __device__ void operator()(int64_t slice, const Team& team) const {
    const Members all = layout.of_mean(slice);
    const double middle = all.sum(team, [&](int64_t, int64_t at) { return x[at]; }) / count;
    const double spread = all.sum(team, [&](int64_t, int64_t at) {
      const double deviation = static_cast<double>(x[at]) - middle;
      return deviation * deviation;
    }) / count;
    if (team.rank() == 0) {
      mean[slice] = middle;
      variance[slice] = spread;
      running_mean.by(middle, slice);
      running_variance.by(spread, slice);
    }
    if (!writes) return;
    const auto standard = Standardizer<T>::of(middle, spread, layout.eps);
    all.each(team, [&](int64_t run, int64_t at) {
      result[at] = affine(standard(x[at]), layout.channel(slice, run));
    });
  }
};

/// The result of channels with known statistics.
template <typename T>
struct Standardize {
  Normalize<T> of;
  int64_t length;

  template <typename Team>
  __device__ void operator()(int64_t stretch, const Team& team) const {
    const int64_t k = stretch * length / of.layout.entries % of.layout.channels();
    const auto standard = Standardizer<T>::of(of.mean[k], of.variance[k], of.layout.eps);
    Members{stretch * length, 1, 0, length}.each(
        team, [&](int64_t, int64_t at) { of.result[at] = of.affine(standard(of.x[at]), k); });
  }
};

/// Sums of g w and g w x^ over a slice (of a channel: of g and g x^, which are its gradients of
/// bias and weight), and the gradient of x unless that comes later.
template <typename T>
struct Gradient {
  Layout layout;
  const T *grad, *x;
  Affine<T> affine;
  const double *mean, *variance;
  double count;
  T *of_x, *of_weight, *of_bias;  ///< or null
  double* sums;                   ///< pairs, or null if nothing comes later

  template <typename Team>
  __device__ void operator()(int64_t slice, const Team& team) const {
    const Members all = layout.of_mean(slice);
    const auto standard = Standardizer<T>::of(mean[slice], variance[slice], layout.eps);
    const auto weighted = [&](int64_t run, int64_t at) {
      return layout.by_channel ? grad[at] : grad[at] * affine.factor(layout.channel(slice, run));
    };
    const double sum = all.sum(team, weighted);
    const double product =
        all.sum(team, [&](int64_t run, int64_t at) { return weighted(run, at) * standard(x[at]); });
    if (team.rank() == 0 && layout.by_channel) {
      if (of_weight) of_weight[slice] = static_cast<T>(product);
      if (of_bias) of_bias[slice] = static_cast<T>(sum);
      if (sums) {
        sums[2 * slice] = sum;
        sums[2 * slice + 1] = product;
      }
    }
    if (sums || !of_x) return;
    all.each(team, [&](int64_t run, int64_t at) {
      of_x[at] = entry(weighted(run, at), x[at], standard, sum, product, slice);
    });
  }

  __device__ T entry(T g, T value, const Standardizer<T>& standard, double sum, double product,
                     int64_t slice) const {
    const T share = static_cast<T>(sum / count), slope = static_cast<T>(product / count);
    const T factor = layout.by_channel ? standard.r * affine.factor(slice) : standard.r;
    return (g - share - standard(value) * slope) * factor;
  }
};

/// The gradient of x of channels with known sums.
template <typename T>
struct GradientOfX {
  Gradient<T> of;
  int64_t length;

  template <typename Team>
  __device__ void operator()(int64_t stretch, const Team& team) const {
    const int64_t k = stretch * length / of.layout.entries % of.layout.channels();
    const auto standard = Standardizer<T>::of(of.mean[k], of.variance[k], of.layout.eps);
    Members{stretch * length, 1, 0, length}.each(team, [&](int64_t, int64_t at) {
      of.of_x[at] =
          of.entry(of.grad[at], of.x[at], standard, of.sums[2 * k], of.sums[2 * k + 1], k);
    });
  }
};

/// Gradients of weight and bias where groups share means.
template <typename T>
struct GradientOfWeight {
  Gradient<T> of;

  template <typename Team>
  __device__ void operator()(int64_t k, const Team& team) const {
    const Members all = of.layout.of_channel(k);
    const double product = all.sum(team, [&](int64_t run, int64_t at) {
      const int64_t slice = of.layout.mean(k, run);
      return of.grad[at] *
             Standardizer<T>::of(of.mean[slice], of.variance[slice], of.layout.eps)(of.x[at]);
    });
    const double sum = all.sum(team, [&](int64_t, int64_t at) { return of.grad[at]; });
    if (team.rank() != 0) return;
    if (of.of_weight) of.of_weight[k] = static_cast<T>(product);
    if (of.of_bias) of.of_bias[k] = static_cast<T>(sum);
  }
};

bool in_two_launches(const NormalizeProblem& p) {
  return p.by_channel && p.averaged() > kFewEntries;
}
/// Work at each slice of that many members, and then at each stretch of x.
template <typename Work>
void launch(const Work& work, int64_t slices, int64_t members, const Tensor& x) {
  detail::launch_each(work, slices, members >= detail::kLongRow, stream_of(x));
}
template <template <typename> typename Later, typename T, typename Work>
void launch_later(const Work& work, const NormalizeProblem& p, const Tensor& x) {
  const int64_t length = p.view[3] >= kStretch ? p.view[3] : 1;
  detail::launch_each(Later<T>{work, length}, x.numel() / length, length > 1, stream_of(x));
}

void normalize_on_cuda(const Operation&, const Normalized& out, const Tensor& x,
                       const Tensor& weight, const Tensor& bias, const NormalizeProblem& p,
                       const Running& running) {
  visit_floating(x.dtype(), [&]<typename T>() {
    const bool later = in_two_launches(p);
    const Normalize<T> work{Layout(p),
                            x.impl().data_as<T>(),
                            {data_or_null<T>(weight), data_or_null<T>(bias)},
                            out.result.impl().data_as<T>(),
                            out.mean.impl().data_as<double>(),
                            out.variance.impl().data_as<double>(),
                            static_cast<double>(p.averaged()),
                            Moved(running.mean, running.momentum, 1),
                            Moved(running.variance, running.momentum, p.unbiased()),
                            !later};
    launch(work, out.mean.numel(), p.averaged(), x);
    if (later) launch_later<Standardize, T>(work, p, x);
  });
}

void gradient_on_cuda(const Operation&, const NormalizeGradients& gradients, const Tensor& grad,
                      const Tensor& x, const Tensor& weight, const Tensor& mean,
                      const Tensor& variance, const NormalizeProblem& p) {
  visit_floating(x.dtype(), [&]<typename T>() {
    const bool later = in_two_launches(p) && gradients.x.defined();
    const Tensor sums = later ? empty({mean.numel(), 2}, mean.options()) : Tensor();
    const Gradient<T> work{Layout(p),
                           grad.impl().data_as<T>(),
                           x.impl().data_as<T>(),
                           {data_or_null<T>(weight), nullptr},
                           mean.impl().data_as<double>(),
                           variance.impl().data_as<double>(),
                           static_cast<double>(p.averaged()),
                           data_or_null<T>(gradients.x),
                           data_or_null<T>(gradients.weight),
                           data_or_null<T>(gradients.bias),
                           data_or_null<double>(sums)};
    if (p.by_channel || gradients.x.defined()) launch(work, mean.numel(), p.averaged(), x);
    if (later) launch_later<GradientOfX, T>(work, p, x);
    if (!p.by_channel && (gradients.weight.defined() || gradients.bias.defined()))
      launch(GradientOfWeight<T>{work}, p.channels(), p.view[0] * p.view[3], x);
  });
}

const Implementation forward(normalize_kernel, kCUDA, normalize_on_cuda);
const Implementation backward(normalize_gradient_kernel, kCUDA, gradient_on_cuda);

}  // namespace
}  // namespace notape::cuda
