// ElementwiseKernel<F>: one scalar functor F as a kernel for every element type and device.
// Compiled twice: as C++ the object holds the CPU loops and the slots for other devices; as CUDA
// the same line in the operator's file fills the CUDA slot of the kernel of that name.
//
// F is called as `result = f(inputs...)` with all operands of the computation type T, unless F says
// otherwise:  template <typename T> using Signature = bool(T, T);
// F's data members (scalars) travel with it. Its default types are float32 and float64; others with
//   static constexpr TypeSet types = kAllTypes;
// A kernel for integers alone may be given the reason why it refuses bools. F computes with
// integers that wrap around, and is called with unsigned ones, if it says
//   static constexpr bool wraps = true;
// It multiplies them as Wrapping<T>.
#pragma once
#include <cstdint>

#include "ops/core/device_function.h"
#include "ops/core/type_set.h"
#include "ops/core/wrapping.h"
#include "ops/elementwise/plan.h"

namespace notape {

/// One contiguous or strided run of n elements; data[0] is the output, strides in bytes.
using ElementwiseLoop = void (*)(char* const* data, const int64_t* strides, int64_t n,
                                 const void* functor);

namespace detail {

template <typename F, typename T, typename... Inputs>
constexpr auto signature_of() {
  if constexpr (requires { typename F::template Signature<T>; }) {
    return static_cast<typename F::template Signature<T>*>(nullptr);
  } else {
    return static_cast<T (*)(Inputs...)>(nullptr);
  }
}

template <typename F>
constexpr bool wraps() {
  if constexpr (requires { F::wraps; })
    return F::wraps;
  else
    return false;
}
/// What F is called with for elements of type T.
template <typename F, typename T>
using CalledWith = std::conditional_t<wraps<F>(), UnsignedElement<T>, T>;

}  // namespace detail
}  // namespace notape

#if defined(NOTAPE_KERNEL)  // a file, for functors on numbers of another kind (verify/prove/)
#include NOTAPE_KERNEL
#elif defined(__CUDACC__)
#include "ops/elementwise/kernel_cuda.h"
#else
#include "ops/elementwise/kernel_cpu.h"
#endif
