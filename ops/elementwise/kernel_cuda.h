// The CUDA side of an elementwise kernel. Included by kernel.h when nvcc compiles an operator's
// file.
#pragma once
#include "ops/core/launch.h"
#include "ops/elementwise/strided_plan.h"

namespace notape {
namespace detail {

/// Memory that one instruction loads or stores.
template <std::size_t kBytes>
struct Word;
template <>
struct Word<16> {
  __extension__ typedef unsigned __int128 Type __attribute__((may_alias));
};
template <>
struct Word<8> {
  using Type [[gnu::may_alias]] = uint64_t;
};
template <>
struct Word<4> {
  using Type [[gnu::may_alias]] = uint32_t;
};
template <>
struct Word<2> {
  using Type [[gnu::may_alias]] = uint16_t;
};
template <>
struct Word<1> {
  using Type [[gnu::may_alias]] = uint8_t;
};

/// Neighbours in memory, at a multiple of their size.
template <typename T, int kSize>
struct Pack {
  using Memory = typename Word<sizeof(T) * kSize>::Type;
  T values[kSize];

  static __device__ Pack load(const T* data) {
    const Memory word = *reinterpret_cast<const Memory*>(data);
    Pack pack;
    __builtin_memcpy(static_cast<void*>(pack.values), &word, sizeof word);
    return pack;
  }
  __device__ void store(T* data) const {
    Memory word;
    __builtin_memcpy(&word, values, sizeof word);
    *reinterpret_cast<Memory*>(data) = word;
  }
};

/// What one kernel does per element. A type of its own, because a __global__ template takes a
/// single pack.
template <typename F, typename Signature, typename Indices>
struct DeviceElement;
template <typename F, typename Result, typename... Inputs, int... I>
struct DeviceElement<F, Result(Inputs...), std::integer_sequence<int, I...>> {
  static constexpr int kOperands = sizeof...(Inputs) + 1;
  /// So many of the largest are 16 bytes; at most 4, since each is a copy of the code.
  static constexpr int kVector = [] {
    std::size_t largest = sizeof(Result);
    ((largest = sizeof(Inputs) > largest ? sizeof(Inputs) : largest), ...);
    return static_cast<int>(largest < 4 ? 4 : 16 / largest);
  }();

  static __device__ void strided(const F& f, const StridedPlan<kOperands>& plan, uint32_t index) {
    char* places[kOperands];
    plan.locate(index, places);
    *reinterpret_cast<Result*>(places[0]) =
        f(static_cast<Inputs>(*reinterpret_cast<const Stored<Inputs>*>(places[I + 1]))...);
  }
  static __device__ void single(const F& f, Result* output, const Stored<Inputs>&... inputs) {
    *output = f(static_cast<Inputs>(inputs)...);
  }
  static __device__ void vector(const F& f, Result* output,
                                const Pack<Stored<Inputs>, kVector>&... inputs) {
    Pack<Result, kVector> result;
    for (int i = 0; i < kVector; ++i)
      result.values[i] = f(static_cast<Inputs>(inputs.values[i])...);
    result.store(output);
  }

  /// Side by side, from where vectors can be loaded.
  static bool is_for_vectors(const ElementwisePlan& plan) {
    if (plan.ndim > 1) return false;
    const auto fits = [&plan](int k, std::size_t size) {
      const bool is_dense = plan.ndim == 0 || plan.strides[0][k] == static_cast<int64_t>(size);
      return is_dense && reinterpret_cast<uintptr_t>(plan.data[k]) % (size * kVector) == 0;
    };
    return fits(0, sizeof(Result)) && (fits(I + 1, sizeof(Inputs)) && ...);
  }
};

template <typename Element, typename F>
__global__ void elementwise_strided(F f, StridedPlan<Element::kOperands> plan) {
  const uint32_t step = blockDim.x * gridDim.x;
  for (uint32_t i = blockIdx.x * blockDim.x + threadIdx.x; i < plan.numel(); i += step)
    Element::strided(f, plan, i);
}

/// A thread for so many neighbours; what is left at the end goes to the first threads, of which
/// there is a warp at least.
template <typename Element, typename F, typename Result, typename... Inputs>
__global__ void elementwise_vectors(F f, int64_t n, Result* output, const Inputs*... inputs) {
  constexpr int kVector = Element::kVector;
  const int64_t step = static_cast<int64_t>(blockDim.x) * gridDim.x, vectors = n / kVector;
  const int64_t first = static_cast<int64_t>(blockIdx.x) * blockDim.x + threadIdx.x;
  for (int64_t i = first; i < vectors; i += step)
    Element::vector(f, output + i * kVector, Pack<Inputs, kVector>::load(inputs + i * kVector)...);
  if (const int64_t i = vectors * kVector + first; i < n)
    Element::single(f, output + i, inputs[i]...);
}

template <typename F, typename Result, typename... Inputs, int... I>
void launch_elementwise(const ElementwisePlan& plan, const F& f, void* stream,
                        Result (*)(Inputs...), std::integer_sequence<int, I...>) {
  using Element = DeviceElement<F, Result(Inputs...), std::integer_sequence<int, I...>>;
  if (plan.numel == 0) return;
  if (Element::is_for_vectors(plan))
    return launch_threads(elementwise_vectors<Element, F, Result, Stored<Inputs>...>,
                          (plan.numel + Element::kVector - 1) / Element::kVector, stream, f,
                          plan.numel, reinterpret_cast<Result*>(plan.data[0]),
                          reinterpret_cast<const Stored<Inputs>*>(plan.data[I + 1])...);
  visit_in_32_bits<Element::kOperands>(plan, [&](const ElementwisePlan& part) {
    launch_threads(elementwise_strided<Element, F>, part.numel, stream, f,
                   StridedPlan<Element::kOperands>(part));
  });
}

template <typename F, typename T, int... I>
void launch_typed(const void* plan, const void* functor, void* stream) {
  launch_elementwise(*static_cast<const ElementwisePlan*>(plan), *static_cast<const F*>(functor),
                     stream, signature_of<F, T, std::conditional_t<(I >= 0), T, T>...>(),
                     std::integer_sequence<int, I...>());
}

}  // namespace detail

template <typename F, int Inputs = 1>
class ElementwiseKernel {
 public:
  explicit ElementwiseKernel(const char* name, const char* /*bool_error*/ = nullptr) {
    detail::for_types_of<F>([name]<typename T, int kSlot>() {
      fill<detail::CalledWith<F, T>, kSlot>(name, std::make_integer_sequence<int, Inputs>());
    });
  }

 private:
  template <typename Operand, int kSlot, int... I>
  static void fill(const char* name, std::integer_sequence<int, I...>) {
    register_cuda_kernel(name, kSlot, detail::launch_typed<F, Operand, I...>);
  }
};

}  // namespace notape
