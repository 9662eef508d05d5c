// The loop of powers: floats that are simple, of which it has most, in double and several at once
// (log2_exp2.h), the others with care (power.h), each as if it were alone.
#pragma once
#include "ops/elementwise/vector_loop.h"
#ifdef __CUDACC__
namespace notape {
struct PowerLoop;
}
#else
#include "ops/core/run_wide.h"

namespace notape {

struct PowerLoop {
  template <typename F, typename T, typename... Inputs>
  static void run(char* const* data, const int64_t* strides, int64_t n, const F& f,
                  T (*signature)(Inputs...)) {
    if constexpr (std::is_same_v<T, float>)
      blocks(data, strides, n, f, std::index_sequence_for<Inputs...>());
    else
      VectorLoop::run(data, strides, n, f, signature);
  }

 private:
  static constexpr int64_t kBlock = 64;

  /// A block of inputs side by side, as they are or copied; behind the last one ones.
  struct Block {
    alignas(64) float copy[kBlock];
    const float* take(const char* from, int64_t stride, int64_t count) {
      if (stride == sizeof(float) && count == kBlock) return reinterpret_cast<const float*>(from);
      for (int64_t i = 0; i < count; ++i)
        copy[i] = *reinterpret_cast<const float*>(from + i * stride);
      std::fill(copy + count, copy + kBlock, 1.0f);
      return copy;
    }
  };

  template <typename F, std::size_t... I>
  static void blocks(char* const* data, const int64_t* strides, int64_t n, const F& f,
                     std::index_sequence<I...>) {
    Block inputs[sizeof...(I)];
    alignas(64) float results[kBlock];
    for (int64_t i = 0; i < n; i += kBlock) {
      const int64_t count = std::min(kBlock, n - i);
      block(f, results, inputs[I].take(data[I + 1] + i * strides[I + 1], strides[I + 1], count)...);
      char* const to = data[0] + i * strides[0];
      for (int64_t k = 0; k < count; ++k)
        *reinterpret_cast<float*>(to + k * strides[0]) = results[k];
    }
  }

  template <typename F, typename... Floats>
  static void block(const F& functor, float* results, const Floats*... inputs) {
    const F f = functor;
    bool simple = false;
    detail::run_wide<float>([&] {
      int all = 1;
      for (int64_t i = 0; i < kBlock; ++i) all &= f.is_simple(inputs[i]...);
      simple = all;
    });
    f.visit_simple([&](auto of_simple) {
      if (simple)
        return detail::run_wide<float>([&] {
          for (int64_t i = 0; i < kBlock; ++i) results[i] = of_simple(inputs[i]...);
        });
      for (int64_t i = 0; i < kBlock; ++i)
        results[i] = f.is_simple(inputs[i]...)
                         ? of_simple(inputs[i]...)
                         : static_cast<float>(f(Vector<float>(inputs[i])...)[0]);
    });
  }
};

}  // namespace notape
#endif
