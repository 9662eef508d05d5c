// A functor that says `using Loop = WideLoop;` has, beside its formula for any numbers, of_float():
// for floats, without calls or branches, so that a loop over it is compiled to vector instructions
// of the widest registers there are. Doubles go the way of VectorLoop.
#pragma once
#include "ops/elementwise/vector_loop.h"
#ifdef __CUDACC__
namespace notape {
struct WideLoop;
}
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

}  // namespace notape
#endif
