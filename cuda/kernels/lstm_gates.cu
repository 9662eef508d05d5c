// The gates of an LSTM on a GPU, a thread for each entry of the state.
#include "ops/recurrent/lstm_gates.h"

#include "cuda/kernels/launch_slices.h"

namespace notape::cuda {
namespace {

template <typename T>
__device__ T sigmoid(T x) {
  const T small = math::exp(-math::abs(x)), lower = small / (T(1) + small);
  return x < T(0) ? lower : T(1) - lower;
}

template <typename T>
struct Gates {
  const T *z, *c;
  T *h, *after, *gates;
  int64_t n;

  __device__ void operator()(int64_t at, const LoneThread&) const {
    const int64_t row = at / n, k = at % n;
    const T* const from = z + row * 4 * n + k;
    T* const kept = gates + row * 5 * n + k;
    const T i = sigmoid(from[0]), f = sigmoid(from[n]), g = math::tanh(from[2 * n]),
            o = sigmoid(from[3 * n]), next = f * c[at] + i * g, t = math::tanh(next);
    after[at] = next;
    h[at] = o * t;
    const T all[] = {i, f, g, o, t};
    for (int part = 0; part < 5; ++part) kept[part * n] = all[part];
  }
};

template <typename T>
struct GatesGradient {
  T *of_z, *of_c;            ///< or null
  const T *grad_h, *grad_c;  ///< or null: zero
  const T *c, *gates;
  int64_t n;

  __device__ void operator()(int64_t at, const LoneThread&) const {
    const int64_t row = at / n, k = at % n;
    const T* const kept = gates + row * 5 * n + k;
    const T i = kept[0], f = kept[n], g = kept[2 * n], o = kept[3 * n], t = kept[4 * n];
    const T h = grad_h ? grad_h[at] : T(0), after = grad_c ? grad_c[at] : T(0);
    const T e = after + h * o * (T(1) - t * t);
    if (of_c) of_c[at] = f * e;
    if (!of_z) return;
    T* const to = of_z + row * 4 * n + k;
    to[0] = g * e * i * (T(1) - i);
    to[n] = c[at] * e * f * (T(1) - f);
    to[2 * n] = i * e * (T(1) - g * g);
    to[3 * n] = t * h * o * (T(1) - o);
  }
};

void gates_on_cuda(const Operation&, const LstmResults& out, const Tensor& z, const Tensor& c) {
  visit_floating(z.dtype(), [&]<typename T>() {
    const Gates<T> work{z.impl().data_as<T>(),      c.impl().data_as<T>(),
                        out[0].impl().data_as<T>(), out[1].impl().data_as<T>(),
                        out[2].impl().data_as<T>(), c.size(1)};
    detail::launch_by_threads(work, c.numel(), stream_of(z));
  });
}

void gradient_on_cuda(const Operation&, const Tensor& of_z, const Tensor& of_c,
                      const Tensor& grad_h, const Tensor& grad_c, const Tensor& c,
                      const Tensor& gates) {
  visit_floating(gates.dtype(), [&]<typename T>() {
    const GatesGradient<T> work{data_or_null<T>(of_z),   data_or_null<T>(of_c),
                                data_or_null<T>(grad_h), data_or_null<T>(grad_c),
                                data_or_null<T>(c),      gates.impl().data_as<T>(),
                                gates.size(1) / 5};
    detail::launch_by_threads(work, gates.numel() / 5, stream_of(gates));
  });
}

const Implementation forward(lstm_gates_kernel, kCUDA, gates_on_cuda);
const Implementation backward(lstm_gates_gradient_kernel, kCUDA, gradient_on_cuda);

}  // namespace
}  // namespace notape::cuda
