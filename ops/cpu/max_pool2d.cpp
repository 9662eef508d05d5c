// Max pooling on the CPU, plane by plane.
#include <algorithm>
#include <limits>

#include "ops/conv/max_pool2d.h"
#include "ops/core/wrapping.h"
#include "ops/parallel.h"

namespace notape {
namespace {

template <typename T>
constexpr T kSmallest = std::numeric_limits<T>::has_infinity ? -std::numeric_limits<T>::infinity()
                                                             : std::numeric_limits<T>::lowest();

/// The first pixel of a window inside the image, and one past the last.
struct Span {
  int64_t begin, end;
};
Span inside(const MaxPool2dProblem& p, std::size_t d, int64_t window, int64_t size) {
  int64_t begin = window * p.stride[d] - p.padding[d];
  const int64_t end = std::min(begin + p.dilation[d] * (p.kernel[d] - 1) + 1, size);
  if (begin < 0) begin += (-begin + p.dilation[d] - 1) / p.dilation[d] * p.dilation[d];
  return {begin, end};
}

/// The position of the largest pixel; -1 if the window sees only padding.
template <typename T>
int64_t pick(const T* plane, const MaxPool2dProblem& p, Span rows, Span columns) {
  if (rows.begin >= rows.end || columns.begin >= columns.end) return -1;
  int64_t best = rows.begin * p.width + columns.begin;
  T largest = plane[best];
  for (int64_t h = rows.begin; h < rows.end; h += p.dilation[0])
    for (int64_t w = columns.begin; w < columns.end; w += p.dilation[1]) {
      const T value = plane[h * p.width + w];
      if (value > largest || (value != value && largest == largest)) {
        largest = value;
        best = h * p.width + w;
      }
    }
  return best;
}

/// f(plane, its first pixel, its first window) for all planes, by several threads.
template <typename F>
void for_each_plane(const MaxPool2dProblem& p, const F& f) {
  const int64_t pixels = p.height * p.width, windows = p.rows * p.columns;
  const int64_t work = std::max<int64_t>(1, windows * p.kernel[0] * p.kernel[1]);
  parallel_for(0, p.planes, std::max<int64_t>(1, kParallelGrain / work),
               [&](int64_t first, int64_t last) {
                 for (int64_t n = first; n < last; ++n) f(n * pixels, n * windows);
               });
}

void pick_all(const Operation& op, const Tensor& result, const Tensor& indices, const Tensor& image,
              const MaxPool2dProblem& p) {
  if (result.dtype() == kBool) no_kernel(op, result.dtype(), result.device());
  visit_computed(result.dtype(), [&]<typename T>() {
    for_each_plane(p, [&](int64_t pixel, int64_t window) {
      const T* plane = image.impl().data_as<T>() + pixel;
      T* value = result.impl().data_as<T>() + window;
      int64_t* index = indices.impl().data_as<int64_t>() + window;
      for (int64_t i = 0; i < p.rows; ++i) {
        const Span rows = inside(p, 0, i, p.height);
        for (int64_t j = 0; j < p.columns; ++j) {
          *index = pick(plane, p, rows, inside(p, 1, j, p.width));
          *value++ = *index < 0 ? kSmallest<T> : plane[*index];
          ++index;
        }
      }
    });
  });
}

void gather(const Operation&, const Tensor& result, const Tensor& image, const Tensor& indices,
            const MaxPool2dProblem& p) {
  visit_computed(result.dtype(), [&]<typename T>() {
    for_each_plane(p, [&](int64_t pixel, int64_t window) {
      const T* plane = image.impl().data_as<T>() + pixel;
      T* value = result.impl().data_as<T>() + window;
      const int64_t* index = indices.impl().data_as<int64_t>() + window;
      for (int64_t o = 0; o < p.rows * p.columns; ++o)
        value[o] = index[o] < 0 ? T(0) : plane[index[o]];
    });
  });
}

void scatter(const Operation&, const Tensor& result, const Tensor& values, const Tensor& indices,
             const MaxPool2dProblem& p) {
  visit_computed(result.dtype(), [&]<typename T>() {
    for_each_plane(p, [&](int64_t pixel, int64_t window) {
      T* plane = result.impl().data_as<T>() + pixel;
      std::fill_n(plane, p.height * p.width, T(0));
      const T* value = values.impl().data_as<T>() + window;
      const int64_t* index = indices.impl().data_as<int64_t>() + window;
      for (int64_t o = 0; o < p.rows * p.columns; ++o)
        if (index[o] >= 0)
          plane[index[o]] = static_cast<T>(static_cast<Wrapping<T>>(plane[index[o]]) +
                                           static_cast<Wrapping<T>>(value[o]));
    });
  });
}

}  // namespace

constinit MaxPool2dKernel max_pool2d_kernel(pick_all);
constinit MaxPool2dPickKernel max_pool2d_gather_kernel(gather);
constinit MaxPool2dPickKernel max_pool2d_scatter_kernel(scatter);

}  // namespace notape
