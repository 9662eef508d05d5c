// Max pooling on the CPU, plane by plane.
#include "ops/core/wrapping.h"
#include "ops/cpu/max_pool2d_lines.h"
#include "ops/parallel.h"

namespace notape {
namespace {

/// The position of the largest pixel; -1 if the window sees only padding.
template <typename T>
int64_t pick_max_pool2d(const T* plane, const MaxPool2dProblem& p, PixelSpan rows,
                        PixelSpan columns) {
  if (rows.is_empty() || columns.is_empty()) return -1;
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

/// All windows of a plane, one after another.
template <typename T>
void pick_each(const T* plane, const MaxPool2dProblem& p, T* value, int64_t* index) {
  for (int64_t i = 0; i < p.rows; ++i) {
    const PixelSpan rows = pixels_inside(p, 0, i, p.height);
    for (int64_t j = 0; j < p.columns; ++j) {
      *index = pick_max_pool2d(plane, p, rows, pixels_inside(p, 1, j, p.width));
      *value++ = *index < 0 ? kSmallest<T> : plane[*index];
      ++index;
    }
  }
}

/// f(first plane, last plane) for all of them, by several threads.
template <typename F>
void for_planes(const MaxPool2dProblem& p, const F& f) {
  const int64_t work = std::max<int64_t>(1, p.rows * p.columns * p.kernel[0] * p.kernel[1]);
  parallel_for(0, p.planes, std::max<int64_t>(1, kParallelGrain / work), f);
}

/// f(its first pixel, its first window) for each plane.
template <typename F>
void for_each_plane(const MaxPool2dProblem& p, const F& f) {
  for_planes(p, [&](int64_t first, int64_t last) {
    for (int64_t n = first; n < last; ++n) f(n * p.height * p.width, n * p.rows * p.columns);
  });
}

/// Whether the windows were worth copies of lines.
template <typename T>
bool pick_in_lines(const T* pixels, const MaxPool2dProblem& p, int64_t planes, T* value,
                   int64_t* index) {
  const MaxPool2dLines<T> lines(p);
  if (!lines.is_worth_it()) return false;
  std::vector<T> copy;
  const int64_t windows = p.rows * p.columns;
  for (int64_t n = 0; n < planes; ++n)
    lines.pick(pixels + n * p.height * p.width, value + n * windows, index + n * windows, copy);
  return true;
}

template <typename T>
void pick_planes(const T* pixels, const MaxPool2dProblem& p, int64_t planes, T* value,
                 int64_t* index) {
  if constexpr (std::is_floating_point_v<T>)
    if (pick_in_lines(pixels, p, planes, value, index)) return;
  const int64_t windows = p.rows * p.columns;
  for (int64_t n = 0; n < planes; ++n)
    pick_each(pixels + n * p.height * p.width, p, value + n * windows, index + n * windows);
}

void pick_max_pool2d_all(const Operation& op, const Tensor& result, const Tensor& indices,
                         const Tensor& image, const MaxPool2dProblem& p) {
  if (result.dtype() == kBool) no_kernel(op, result.dtype(), result.device());
  visit_computed(result.dtype(), [&]<typename T>() {
    const T* pixels = image.impl().data_as<T>();
    T* value = result.impl().data_as<T>();
    int64_t* index = indices.impl().data_as<int64_t>();
    const int64_t size = p.height * p.width, windows = p.rows * p.columns;
    for_planes(p, [&](int64_t first, int64_t last) {
      pick_planes(pixels + first * size, p, last - first, value + first * windows,
                  index + first * windows);
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

constinit MaxPool2dKernel max_pool2d_kernel(pick_max_pool2d_all);
constinit MaxPool2dPickKernel max_pool2d_gather_kernel(gather);
constinit MaxPool2dPickKernel max_pool2d_scatter_kernel(scatter);

}  // namespace notape
