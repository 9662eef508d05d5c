// Loops over floats for the widest registers that the processor has, beyond those that the build
// takes for granted.
#pragma once
#include <type_traits>

#include "ops/core/instruction_set.h"

namespace notape::detail {

#ifdef __x86_64__
template <typename F>
[[gnu::target("avx512f,avx512bw,avx512dq,avx512vl"), gnu::flatten]] void run_512(const F& f) {
  f();
}
#endif

/// f(), with all that it calls inline; of arithmetic alone it gives the same bits in less time.
template <typename T, typename F>
void run_wide(const F& f) {
#ifdef __x86_64__
  if constexpr (std::is_same_v<T, float>)
    if (uses_avx512()) return run_512(f);
#endif
  f();
}

}  // namespace notape::detail
