// The gates of an LSTM on the CPU, row by row: the exponentials of all first, then plain
// arithmetic.
#include "ops/recurrent/lstm_gates.h"

#include <algorithm>

#include "ops/core/run_wide.h"
#include "ops/core/vector_math.h"
#include "ops/elementwise/sigmoid.h"
#include "ops/parallel.h"
#include "ops/reduce/reduction.h"

namespace notape {
namespace {

/// to[k] = f(from[k]) for several numbers at once; places beyond the end are computed on zeros.
template <typename T, typename F>
void map_vectors(const T* from, T* to, int64_t n, const F& f) {
  constexpr std::experimental::element_aligned_tag anywhere;
  constexpr auto kCount = static_cast<int64_t>(Vector<T>::size());
  int64_t k = 0;
  for (; k + kCount <= n; k += kCount) f(Vector<T>(from + k, anywhere)).copy_to(to + k, anywhere);
  if (k == n) return;
  T rest[kCount] = {};
  std::copy(from + k, from + n, rest);
  f(Vector<T>(rest, anywhere)).copy_to(rest, anywhere);
  std::copy_n(rest, n - k, to + k);
}

template <typename T>
void tanh_row(const T* from, T* to, int64_t n) {
  map_vectors(from, to, n, [](const Vector<T>& x) { return math::tanh(x); });
}
template <typename T>
void sigmoid_row(const T* from, T* to, int64_t n) {
  if constexpr (std::is_same_v<T, float>)
    detail::run_wide<T>([&] {
      for (int64_t k = 0; k < n; ++k) to[k] = sigmoid_of(from[k]);
    });
  else
    map_vectors(from, to, n, [](const Vector<T>& x) {
      const Vector<T> small = math::exp(-math::abs(x)), lower = small / (T(1) + small);
      return math::select(x < T(0), lower, T(1) - lower);
    });
}

/// f(first, last) for some rows of `width` exponentials each.
template <typename F>
void for_rows(int64_t rows, int64_t width, const F& f) {
  parallel_for(0, rows, std::max<int64_t>(1, kParallelGrain / 8 / std::max<int64_t>(1, width)), f);
}

void lstm_gates_forward(const Operation&, const LstmResults& out, const Tensor& z,
                        const Tensor& c) {
  const int64_t rows = c.size(0), n = c.size(1);
  visit_floating(z.dtype(), [&]<typename T>() {
    T *const h = out[0].impl().data_as<T>(), *const after = out[1].impl().data_as<T>(),
             *const gates = out[2].impl().data_as<T>();
    const T *const all = z.impl().data_as<T>(), *const before = c.impl().data_as<T>();
    for_rows(rows, 5 * n, [&](int64_t first, int64_t last) {
      for (int64_t row = first; row < last; ++row) {
        const T *const from = all + row * 4 * n, *const old = before + row * n;
        T *const i = gates + row * 5 * n, *const f = i + n, *const g = f + n, *const o = g + n,
                 *const t = o + n, *const next = after + row * n, *const result = h + row * n;
        sigmoid_row(from, i, 2 * n);
        tanh_row(from + 2 * n, g, n);
        sigmoid_row(from + 3 * n, o, n);
        for (int64_t k = 0; k < n; ++k) next[k] = f[k] * old[k] + i[k] * g[k];
        tanh_row(next, t, n);
        for (int64_t k = 0; k < n; ++k) result[k] = o[k] * t[k];
      }
    });
  });
}

/// A row of gradients of h' and c', and of what forward kept.
template <typename T>
struct GradientRow {
  const T *h, *after, *i, *f, *g, *o, *t;

  /// The gradient of c' with what comes through h'.
  T of_after(int64_t k) const { return after[k] + h[k] * o[k] * (T(1) - t[k] * t[k]); }
};

/// Where each element goes is apart from all that is read.
template <typename T>
void gradient_of_z(const GradientRow<T>& row, const T* c, T* __restrict of_i, int64_t n) {
  T* __restrict of_f = of_i + n, * __restrict of_g = of_f + n, * __restrict of_o = of_g + n;
  const auto [h, after, i, f, g, o, t] = row;
  for (int64_t k = 0; k < n; ++k) {
    const T e = row.of_after(k);
    of_i[k] = g[k] * e * i[k] * (T(1) - i[k]);
    of_f[k] = c[k] * e * f[k] * (T(1) - f[k]);
    of_g[k] = i[k] * e * (T(1) - g[k] * g[k]);
    of_o[k] = t[k] * h[k] * o[k] * (T(1) - o[k]);
  }
}
template <typename T>
void gradient_of_c(const GradientRow<T>& row, T* __restrict of_c, int64_t n) {
  for (int64_t k = 0; k < n; ++k) of_c[k] = row.f[k] * row.of_after(k);
}

void lstm_gates_gradient(const Operation&, const Tensor& of_z, const Tensor& of_c,
                         const Tensor& grad_h, const Tensor& grad_c, const Tensor& c,
                         const Tensor& gates) {
  const int64_t rows = gates.size(0), n = gates.size(1) / 5;
  visit_floating(gates.dtype(), [&]<typename T>() {
    const auto at = [](const Tensor& tensor, int64_t place) {
      return tensor.impl().data_as<T>() + place;
    };
    for_rows(rows, n, [&](int64_t first, int64_t last) {
      detail::run_wide<T>([&] {
        for (int64_t row = first; row < last; ++row) {
          const T* const y = at(gates, row * 5 * n);
          const GradientRow<T> own{at(grad_h, row * n), at(grad_c, row * n), y,        y + n,
                                   y + 2 * n,           y + 3 * n,           y + 4 * n};
          if (of_z.defined()) gradient_of_z(own, at(c, row * n), at(of_z, row * 4 * n), n);
          if (of_c.defined()) gradient_of_c(own, at(of_c, row * n), n);
        }
      });
    });
  });
}

}  // namespace

constinit LstmGatesKernel lstm_gates_kernel(lstm_gates_forward);
constinit LstmGatesGradientKernel lstm_gates_gradient_kernel(lstm_gates_gradient);

}  // namespace notape
