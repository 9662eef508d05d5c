// A functor that says `using Loop = WideLoop;` has, beside its formula for any numbers, of_float():
// for floats, without calls or branches, so that a loop over it is compiled to vector instructions
// of the widest registers there are. Doubles go the way of VectorLoop. With BoundedWideLoop
// of_float() is for the floats of which is_for() says yes; others go the way of VectorLoop, too, or
// through of_any(), whose bits are those of of_float() for numbers that both are for.
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

struct WideLoop {
  template <typename F, typename T, typename... Inputs>
  static void run(char* const* data, const int64_t* strides, int64_t n, const F& f,
                  T (*signature)(Inputs...)) {
    if constexpr (std::is_same_v<T, float>)
      detail::run_wide<T>([&] {
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
    if constexpr (std::is_same_v<T, float>) {
      constexpr int64_t kBlock = 512;  // is still near when it is read again
      for (int64_t begin = 0; begin < n; begin += kBlock) {
        char* here[] = {data[0] + begin * strides[0], data[1] + begin * strides[1]};
        run_block(here, strides, std::min(kBlock, n - begin), f, signature);
      }
    } else {
      VectorLoop::run(data, strides, n, f, signature);
    }
  }

 private:
  template <typename F>
  struct OfAny {
    F f;
    float of_float(float x) const { return f.of_any(x); }
  };

  template <typename F>
  static void run_block(char* const* data, const int64_t* strides, int64_t n, const F& f,
                        float (*signature)(float)) {
    const auto input = [&](int64_t i) -> float {
      return *reinterpret_cast<const float*>(data[1] + i * strides[1]);
    };
    int32_t others = 0;
    detail::run_wide<float>([&] {
      if (strides[1] == sizeof(float))
        for (int64_t i = 0; i < n; ++i)
          others += !F::is_for(reinterpret_cast<const float*>(data[1])[i]);
      else
        for (int64_t i = 0; i < n; ++i) others += !F::is_for(input(i));
    });
    if (others == 0) return WideLoop::run(data, strides, n, f, signature);
    if constexpr (requires { f.of_any(0.0f); })
      return WideLoop::run(data, strides, n, OfAny<F>{f}, signature);
    // Stretches of one kind, so that what a number gives does not depend on its neighbours.
    for (int64_t first = 0, end; first < n; first = end) {
      const bool is_for = F::is_for(input(first));
      for (end = first + 1; end < n && F::is_for(input(end)) == is_for;) ++end;
      char* here[] = {data[0] + first * strides[0], data[1] + first * strides[1]};
      if (is_for)
        WideLoop::run(here, strides, end - first, f, signature);
      else
        VectorLoop::run(here, strides, end - first, f, signature);
    }
  }
};

}  // namespace notape
#endif
