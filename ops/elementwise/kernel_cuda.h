// The CUDA side of an elementwise kernel. Included by kernel.h when nvcc compiles an operator's
// file.
#pragma once
#include "ops/core/launch.h"

namespace notape {
namespace detail {

/// What one kernel does per element. A type of its own, because a __global__ template takes a
/// single pack.
template <typename F, typename Signature, typename Indices>
struct DeviceElement;
template <typename F, typename Result, typename... Inputs, int... I>
struct DeviceElement<F, Result(Inputs...), std::integer_sequence<int, I...>> {
  static __device__ void strided(const F& f, const ElementwisePlan& plan, int64_t index) {
    char* places[sizeof...(Inputs) + 1];
    plan.locate(index, places);
    *reinterpret_cast<Result*>(places[0]) =
        f(static_cast<Inputs>(*reinterpret_cast<const Stored<Inputs>*>(places[I + 1]))...);
  }

  static bool is_contiguous(const ElementwisePlan& plan) {
    if (plan.ndim != 1) return plan.ndim == 0;
    return plan.strides[0][0] == sizeof(Result) &&
           ((plan.strides[0][I + 1] == sizeof(Inputs)) && ...);
  }
};

template <typename Element, typename F>
__global__ void elementwise_strided(F f, ElementwisePlan plan) {
  const int64_t step = static_cast<int64_t>(blockDim.x) * gridDim.x;
  for (int64_t i = static_cast<int64_t>(blockIdx.x) * blockDim.x + threadIdx.x; i < plan.numel;
       i += step)
    Element::strided(f, plan, i);
}

template <typename F, typename Result, typename... Inputs>
__global__ void elementwise_contiguous(F f, int64_t n, Result* output,
                                       const Stored<Inputs>*... inputs) {
  const int64_t step = static_cast<int64_t>(blockDim.x) * gridDim.x;
  for (int64_t i = static_cast<int64_t>(blockIdx.x) * blockDim.x + threadIdx.x; i < n; i += step)
    output[i] = f(static_cast<Inputs>(inputs[i])...);
}

template <typename F, typename Result, typename... Inputs, int... I>
void launch_elementwise(const ElementwisePlan& plan, const F& f, void* stream,
                        Result (*)(Inputs...), std::integer_sequence<int, I...>) {
  using Element = DeviceElement<F, Result(Inputs...), std::integer_sequence<int, I...>>;
  if (plan.numel == 0) return;
  constexpr int threads = 256;
  const int64_t wanted = (plan.numel + threads - 1) / threads;
  const auto blocks = static_cast<unsigned>(wanted < 65535 ? wanted : 65535);
  if (Element::is_contiguous(plan))
    launch(elementwise_contiguous<F, Result, Inputs...>, blocks, threads, stream, f, plan.numel,
           reinterpret_cast<Result*>(plan.data[0]),
           reinterpret_cast<const Stored<Inputs>*>(plan.data[I + 1])...);
  else
    launch(elementwise_strided<Element, F>, blocks, threads, stream, f, plan);
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
