// The CUDA side of an elementwise kernel. Included by kernel.h when nvcc compiles an operator's file.
#pragma once
#include <cuda_runtime.h>

#include "ops/elementwise/register_cuda.h"

namespace notape {
namespace detail {

template <typename F, typename Result, typename... Inputs>
struct DeviceLoop {
  /// One element of a strided plan: its index is taken apart dimension by dimension.
  template <int... I>
  static __device__ void element(const F& f, const ElementwisePlan& plan, int64_t index) {
    int64_t offsets[sizeof...(Inputs) + 1] = {};
    for (int d = 0; d < plan.ndim; ++d) {
      const int64_t at = index % plan.sizes[d];
      index /= plan.sizes[d];
      for (int k = 0; k <= static_cast<int>(sizeof...(Inputs)); ++k)
        offsets[k] += at * plan.strides[d][k];
    }
    *reinterpret_cast<Result*>(plan.data[0] + offsets[0]) =
        f(*reinterpret_cast<const Inputs*>(plan.data[I + 1] + offsets[I + 1])...);
  }
};

template <typename F, typename Result, typename... Inputs, int... I>
__global__ void elementwise_strided(F f, ElementwisePlan plan, std::integer_sequence<int, I...>) {
  const int64_t step = static_cast<int64_t>(blockDim.x) * gridDim.x;
  for (int64_t i = static_cast<int64_t>(blockIdx.x) * blockDim.x + threadIdx.x; i < plan.numel;
       i += step)
    DeviceLoop<F, Result, Inputs...>::template element<I...>(f, plan, i);
}

template <typename F, typename Result, typename... Inputs>
__global__ void elementwise_contiguous(F f, int64_t n, Result* output, const Inputs*... inputs) {
  const int64_t step = static_cast<int64_t>(blockDim.x) * gridDim.x;
  for (int64_t i = static_cast<int64_t>(blockIdx.x) * blockDim.x + threadIdx.x; i < n; i += step)
    output[i] = f(inputs[i]...);
}

template <typename F, typename Result, typename... Inputs, int... I>
void launch_elementwise(const ElementwisePlan& plan, const F& f, void* stream,
                        Result (*)(Inputs...), std::integer_sequence<int, I...> indices) {
  if (plan.numel == 0) return;
  constexpr int threads = 256;
  const int64_t wanted = (plan.numel + threads - 1) / threads;
  const auto blocks = static_cast<unsigned>(wanted < 65535 ? wanted : 65535);
  const auto queue = static_cast<cudaStream_t>(stream);
  const bool contiguous =
      plan.ndim <= 1 &&
      (plan.ndim == 0 || (plan.strides[0][0] == sizeof(Result) &&
                          ((plan.strides[0][I + 1] == sizeof(Inputs)) && ...)));
  if (contiguous)
    elementwise_contiguous<F, Result, Inputs...><<<blocks, threads, 0, queue>>>(
        f, plan.numel, reinterpret_cast<Result*>(plan.data[0]),
        reinterpret_cast<const Inputs*>(plan.data[I + 1])...);
  else
    elementwise_strided<F, Result, Inputs...><<<blocks, threads, 0, queue>>>(f, plan, indices);
  check_launch(cudaGetLastError());
}

template <typename F, typename T, int... I>
void launch_typed(const ElementwisePlan& plan, const void* functor, void* stream) {
  launch_elementwise(plan, *static_cast<const F*>(functor), stream,
                     signature_of<F, T, std::conditional_t<(I >= 0), T, T>...>(),
                     std::integer_sequence<int, I...>());
}

}  // namespace detail

template <typename F, int Inputs = 1>
class ElementwiseKernel {
 public:
  explicit ElementwiseKernel(const char* name) {
    fill<bool, 0>(name);
    fill<uint8_t, 1>(name);
    fill<int32_t, 2>(name);
    fill<int64_t, 3>(name);
    fill<float, 4>(name);
    fill<double, 5>(name);
  }

 private:
  template <typename T, int Slot>
  static void fill(const char* name) {
    if constexpr (detail::types_of<F>() >> Slot & 1)
      [&]<int... I>(std::integer_sequence<int, I...>) {
        register_cuda_elementwise(name, Slot, detail::launch_typed<F, T, I...>);
      }(std::make_integer_sequence<int, Inputs>());
  }
};

}  // namespace notape
