// Vectors of floats of the machine's width, for kernels that keep tiles of them in registers.
#pragma once
#include <cstdint>
#include <cstring>

#include "ops/core/run_wide.h"

namespace notape {

template <int Count>
using FloatLanes [[gnu::vector_size(Count * sizeof(float))]] = float;
template <int Count>
using IntLanes [[gnu::vector_size(Count * sizeof(int32_t))]] = int32_t;

/// From and to anywhere in memory.
template <typename Vector, typename T>
[[gnu::always_inline]] inline void load(Vector& lanes, const T* from) {
  std::memcpy(&lanes, from, sizeof lanes);
}
template <typename Vector, typename T>
[[gnu::always_inline]] inline void store(T* to, const Vector& lanes) {
  std::memcpy(to, &lanes, sizeof lanes);
}

/// sum += a b. The build keeps compilers from putting the two into one instruction; here they are
/// half of the time.
template <typename Vector>
[[gnu::always_inline]] inline void add_product(Vector& sum, const Vector& a, const Vector& b) {
#ifdef __clang__
#pragma clang fp contract(fast)
  sum += a * b;
#elif defined(__x86_64__) && defined(__FMA__)
  if constexpr (sizeof(sum[0]) == sizeof(float))
    asm("vfmadd231ps %2, %1, %0" : "+v"(sum) : "v"(a), "v"(b));
  else
    asm("vfmadd231pd %2, %1, %0" : "+v"(sum) : "v"(a), "v"(b));
#else
  sum += a * b;
#endif
}

/// Floats in a register: 16 with AVX-512, else 8.
inline int float_lanes() { return uses_avx512() ? 16 : 8; }

/// f.operator()<float_lanes()>(), compiled for registers of that width.
template <typename F>
void with_lanes(const F& f) {
#ifdef __x86_64__
  if (float_lanes() == 16) return detail::run_512([&] { f.template operator()<16>(); });
#endif
  f.template operator()<8>();
}

}  // namespace notape
