// Max pooling on a GPU: a thread for each window, and for each pixel where values go back.
#include "ops/conv/max_pool2d.h"

#include <limits>

#include "cuda/kernels/launch_slices.h"
#include "ops/core/wrapping.h"
#include "ops/pooling/pick_maximum.h"

namespace notape::cuda {
namespace {

/// One dimension of a MaxPool2dProblem.
struct Line {
  int64_t size, count, kernel, stride, padding, dilation;

  Line(const MaxPool2dProblem& p, std::size_t d)
      : size(d == 0 ? p.height : p.width),
        count(d == 0 ? p.rows : p.columns),
        kernel(p.kernel[d]),
        stride(p.stride[d]),
        padding(p.padding[d]),
        dilation(p.dilation[d]) {}

  /// What window i has inside the image.
  __device__ WindowLine window(int64_t i) const {
    int64_t begin = i * stride - padding;
    const int64_t end = begin + dilation * (kernel - 1) + 1;
    if (begin < 0) begin += (-begin + dilation - 1) / dilation * dilation;
    return {size, dilation, begin, end < size ? end : size};
  }
  /// The first window that reaches a pixel, maybe, and one past the last.
  __device__ int64_t first_at(int64_t pixel) const {
    const int64_t from = pixel + padding - dilation * (kernel - 1);
    return from <= 0 ? 0 : (from + stride - 1) / stride;
  }
  __device__ int64_t end_at(int64_t pixel) const {
    const int64_t end = (pixel + padding) / stride + 1;
    return end < count ? end : count;
  }
};

struct Planes {
  Line rows, columns;

  explicit Planes(const MaxPool2dProblem& p) : rows(p, 0), columns(p, 1) {}
  __device__ int64_t pixels() const { return rows.size * columns.size; }
  __device__ int64_t windows() const { return rows.count * columns.count; }
};

template <typename T>
struct PickPixels {
  Planes planes;
  const T* image;
  T* result;
  int64_t* indices;

  __device__ void operator()(int64_t i, const LoneThread&) const {
    constexpr T kSmallest = std::numeric_limits<T>::has_infinity
                                ? -std::numeric_limits<T>::infinity()
                                : std::numeric_limits<T>::lowest();
    const T* const plane = image + i / planes.windows() * planes.pixels();
    const int64_t at = pick_maximum(
        plane, {1, 1, 0, 1}, planes.rows.window(i / planes.columns.count % planes.rows.count),
        planes.columns.window(i % planes.columns.count));
    indices[i] = at;
    result[i] = at < 0 ? kSmallest : plane[at];
  }
};

template <typename T>
struct GatherPixels {
  Planes planes;
  const T* image;
  const int64_t* indices;
  T* result;

  __device__ void operator()(int64_t i, const LoneThread&) const {
    result[i] = indices[i] < 0 ? T(0) : image[i / planes.windows() * planes.pixels() + indices[i]];
  }
};

/// Windows in ascending order: the same bits each time.
template <typename T>
struct ScatterPixels {
  Planes planes;
  const T* values;
  const int64_t* indices;
  T* result;

  __device__ void operator()(int64_t i, const LoneThread&) const {
    const int64_t pixel = i % planes.pixels(), first = i / planes.pixels() * planes.windows();
    const int64_t row = pixel / planes.columns.size, column = pixel % planes.columns.size;
    Wrapping<T> sum = 0;
    for (int64_t h = planes.rows.first_at(row); h < planes.rows.end_at(row); ++h)
      for (int64_t w = planes.columns.first_at(column); w < planes.columns.end_at(column); ++w) {
        const int64_t window = first + h * planes.columns.count + w;
        if (indices[window] == pixel) sum += static_cast<Wrapping<T>>(values[window]);
      }
    result[i] = static_cast<T>(sum);
  }
};

void pick_on_cuda(const Operation& op, const Tensor& result, const Tensor& indices,
                  const Tensor& image, const MaxPool2dProblem& p) {
  if (result.dtype() == kBool) no_kernel(op, result.dtype(), result.device());
  visit_computed(result.dtype(), [&]<typename T>() {
    if constexpr (!std::is_same_v<T, Bool>)
      detail::launch_by_threads(
          PickPixels<T>{Planes(p), image.impl().data_as<T>(), result.impl().data_as<T>(),
                        indices.impl().data_as<int64_t>()},
          result.numel(), stream_of(result));
  });
}

/// Of two kinds of work with the same operands.
template <template <typename> typename Work>
void follow(const Operation& op, const Tensor& result, const Tensor& source, const Tensor& indices,
            const MaxPool2dProblem& p) {
  if (result.dtype() == kBool) no_kernel(op, result.dtype(), result.device());
  visit_computed(result.dtype(), [&]<typename T>() {
    if constexpr (!std::is_same_v<T, Bool>)
      detail::launch_by_threads(
          Work<T>{Planes(p), source.impl().data_as<T>(), indices.impl().data_as<int64_t>(),
                  result.impl().data_as<T>()},
          result.numel(), stream_of(result));
  });
}

const Implementation pick(max_pool2d_kernel, kCUDA, pick_on_cuda);
const Implementation picked[] = {{max_pool2d_gather_kernel, kCUDA, follow<GatherPixels>},
                                 {max_pool2d_scatter_kernel, kCUDA, follow<ScatterPixels>}};

}  // namespace
}  // namespace notape::cuda
