// Loops over floats for the widest registers that the processor has, beyond those that the build
// takes for granted.
#pragma once
#include <type_traits>

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
  static const bool has_512 =
      __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512bw") &&
      __builtin_cpu_supports("avx512dq") && __builtin_cpu_supports("avx512vl");
  if constexpr (std::is_same_v<T, float>)
    if (has_512) return run_512(f);
#endif
  f();
}

}  // namespace notape::detail
