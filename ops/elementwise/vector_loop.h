// A functor that says `using Loop = VectorLoop;` is called with Vector<float> and Vector<double> on
// the CPU, several elements at a time, for functions that a compiler does not vectorise. It chooses
// with math::select, not with branches.
#pragma once
#ifdef __CUDACC__
namespace notape {
struct VectorLoop;
}
#else
#include <algorithm>
#include <utility>

#include "ops/core/vector_math.h"

namespace notape {

struct VectorLoop {
  /// Lanes past the end are computed too, on ones, so that an element's value does not depend on
  /// its place.
  template <typename F, typename T, typename... Inputs>
  static void run(char* const* data, const int64_t* strides, int64_t n, const F& f,
                  T (*)(Inputs...)) {
    run_indexed<T>(data, strides, n, f, std::index_sequence_for<Inputs...>());
  }

 private:
  template <typename T>
  static constexpr auto kLanes = static_cast<int64_t>(Vector<T>::size());

  template <typename T, typename F, std::size_t... I>
  static void run_indexed(char* const* data, const int64_t* strides, int64_t n, const F& f,
                          std::index_sequence<I...>) {
    constexpr std::experimental::element_aligned_tag unaligned;
    int64_t i = 0;
    if (((strides[I + 1] == sizeof(T)) && ...) && strides[0] == sizeof(T))
      for (; i + kLanes<T> <= n; i += kLanes<T>)
        f(Vector<T>(reinterpret_cast<const T*>(data[I + 1]) + i, unaligned)...)
            .copy_to(reinterpret_cast<T*>(data[0]) + i, unaligned);
    for (; i < n; i += kLanes<T>) {
      const int64_t count = std::min(kLanes<T>, n - i);
      T result[kLanes<T>];
      f(gather<T>(data[I + 1] + i * strides[I + 1], strides[I + 1], count)...)
          .copy_to(result, unaligned);
      for (int64_t k = 0; k < count; ++k)
        *reinterpret_cast<T*>(data[0] + (i + k) * strides[0]) = result[k];
    }
  }

  template <typename T>
  static Vector<T> gather(const char* from, int64_t stride, int64_t count) {
    T lanes[kLanes<T>];
    std::fill_n(lanes, kLanes<T>, T(1));
    for (int64_t k = 0; k < count; ++k) lanes[k] = *reinterpret_cast<const T*>(from + k * stride);
    return Vector<T>(lanes, std::experimental::element_aligned);
  }
};

}  // namespace notape
#endif
