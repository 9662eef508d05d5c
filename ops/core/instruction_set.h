// Which instructions kernels use, of those that the processor has beyond what the build takes for
// granted.
#pragma once

namespace notape {
namespace detail {

/// Whether the processor has AVX-512, unless NOTAPE_ISA=avx2 in the environment rules it out.
/// Throws ValueError if NOTAPE_ISA is neither avx2 nor avx512.
bool choose_avx512();

}  // namespace detail

/// The choice, made once.
inline bool uses_avx512() {
#ifdef __x86_64__
  static const bool uses = detail::choose_avx512();
  return uses;
#else
  return false;
#endif
}

}  // namespace notape
