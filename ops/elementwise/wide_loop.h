// A functor that says `using Loop = WideLoop;` has, beside its formula for any numbers, of_float():
// for floats, without calls or branches, so that a loop over it is compiled to vector instructions
// of the widest registers there are. Doubles go the way of VectorLoop. With BoundedWideLoop
// of_float() is for the floats whose size_of() is at most kMost; others go the way of VectorLoop,
// too, or through of_any(), whose bits are those of of_float() for numbers that both are for.
#pragma once
#include "ops/elementwise/vector_loop.h"
#ifdef __CUDACC__
namespace notape {
struct WideLoop;
struct BoundedWideLoop;
}  // namespace notape
#else
#include "ops/core/run_wide.h"
#include "ops/elementwise/kernel_cpu.h"

namespace notape {

namespace detail {

/// A row of floats; returns the greatest measure(input). Input is asked for before it is needed: of
/// a loop that computes much between two loads the processor begins few by itself.
template <typename F, typename Measure>
[[gnu::always_inline]] inline uint32_t wide_row(const float* input, float* output, int64_t n,
                                                const F& functor, Measure measure) {
  constexpr int64_t kBlock = 64, kAhead = 256, kLine = 16;
  const F f = functor;  // a copy that no output can alias
  uint32_t most = 0;
  const auto run = [&](int64_t count) {
    uint32_t here = 0;
#ifndef __clang__  // which looks at run time whether they overlap
#pragma GCC ivdep
#endif
    for (int64_t i = 0; i < count; ++i) {
      here = std::max(here, measure(input[i]));
      output[i] = f.of_float(input[i]);
    }
    most = std::max(most, here);
  };
  for (; n >= kBlock; n -= kBlock, input += kBlock, output += kBlock) {
    for (int64_t i = 0; i < kBlock; i += kLine) __builtin_prefetch(input + kAhead + i);
    run(kBlock);
  }
  run(n);
  return most;
}

}  // namespace detail

struct WideLoop {
  template <typename F, typename T, typename... Inputs>
  static void run(char* const* data, const int64_t* strides, int64_t n, const F& f,
                  T (*signature)(Inputs...)) {
    if constexpr (std::is_same_v<T, float>)
      detail::run_wide<T>([&] {
        if constexpr (sizeof...(Inputs) == 1)
          if (strides[0] == sizeof(T) && strides[1] == sizeof(T)) {
            detail::wide_row(reinterpret_cast<const T*>(data[1]), reinterpret_cast<T*>(data[0]), n,
                             f, [](T) { return uint32_t{0}; });
            return;
          }
        detail::elementwise_run(
            data, strides, n, [f](Inputs... x) { return f.of_float(x...); }, signature);
      });
    else
      VectorLoop::run(data, strides, n, f, signature);
  }
};

struct BoundedWideLoop {
  template <typename F, typename T>
  static void run(char* const* data, const int64_t* strides, int64_t n, const F& f,
                  T (*signature)(T)) {
    if constexpr (std::is_same_v<T, float>)
      for (int64_t first = 0; first < n; first += kBlock)
        run_block(data[0] + first * strides[0], data[1] + first * strides[1], strides,
                  std::min(kBlock, n - first), f);
    else
      VectorLoop::run(data, strides, n, f, signature);
  }

 private:
  static constexpr int64_t kBlock = 512;  // is still near when it is read again

  template <typename F>
  struct OfAny {
    F f;
    float of_float(float x) const { return f.of_any(x); }
  };

  /// A row in place of what is none, and of inputs that results would overwrite.
  template <typename F>
  static void run_block(char* output, const char* input, const int64_t* strides, int64_t n,
                        const F& f) {
    float inputs[kBlock], results[kBlock];
    const bool is_read = strides[1] == sizeof(float) && input != output,
               is_written = strides[0] == sizeof(float);
    if (!is_read)
      for (int64_t i = 0; i < n; ++i)
        inputs[i] = *reinterpret_cast<const float*>(input + i * strides[1]);
    run_row(is_read ? reinterpret_cast<const float*>(input) : inputs,
            is_written ? reinterpret_cast<float*>(output) : results, n, f);
    if (!is_written)
      for (int64_t i = 0; i < n; ++i)
        *reinterpret_cast<float*>(output + i * strides[0]) = results[i];
  }

  template <typename F>
  static void run_row(const float* input, float* output, int64_t n, const F& f) {
    uint32_t most = 0;
    detail::run_wide<float>([&] {
      most = detail::wide_row(input, output, n, f, [](float x) { return F::size_of(x); });
    });
    if (most <= F::kMost) return;
    if constexpr (requires { f.of_any(0.0f); })
      return detail::run_wide<float>([&] {
        detail::wide_row(input, output, n, OfAny<F>{f}, [](float) { return uint32_t{0}; });
      });
    // Numbers of the other kind, so that what a number gives does not depend on its neighbours.
    constexpr int64_t kDense[] = {sizeof(float), sizeof(float)};
    for (int64_t first = 0, end; first < n; first = end) {
      const auto is_other = [&](int64_t i) { return F::size_of(input[i]) > F::kMost; };
      for (end = first + 1; end < n && is_other(end) == is_other(first);) ++end;
      if (!is_other(first)) continue;
      char* here[] = {reinterpret_cast<char*>(output + first),
                      const_cast<char*>(reinterpret_cast<const char*>(input + first))};
      VectorLoop::run(here, kDense, end - first, f, static_cast<float (*)(float)>(nullptr));
    }
  }
};

}  // namespace notape
#endif
