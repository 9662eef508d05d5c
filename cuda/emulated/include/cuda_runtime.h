// In place of NVIDIA's header of this name, for g++: the part of the CUDA runtime that notape uses.
// Kernels run on the CPU, a thread of the grid after the other, and each of their accesses is
// watched (emulator.h). Put this folder first on the include path and define __CUDACC__. Not here:
// `extern
// __shared__`, cooperative groups, textures, blocking streams, graphs of several streams.
#pragma once
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <tuple>
#include <type_traits>
#include <utility>

#define __host__
#define __device__
#define __global__
#define __shared__ static thread_local

// NOLINTBEGIN(readability-identifier-naming): the names are CUDA's.

struct uint3 {
  unsigned x, y, z;
};
struct dim3 {
  unsigned x, y, z;
  constexpr dim3(unsigned x = 1, unsigned y = 1, unsigned z = 1) : x(x), y(y), z(z) {}
};

namespace emulator {
/// Of the thread, the block, the block's size and the grid's, three numbers each.
unsigned index_now(int which);
/// Read by a call, which is not watched as a read of memory is.
template <int kWhich>
struct Axis {
  operator unsigned() const { return index_now(kWhich); }
};
template <int kFirst>
struct Index {
  Axis<kFirst> x;
  Axis<kFirst + 1> y;
  Axis<kFirst + 2> z;
};
}  // namespace emulator

inline constexpr emulator::Index<0> threadIdx{};
inline constexpr emulator::Index<3> blockIdx{};
inline constexpr emulator::Index<6> blockDim{};
inline constexpr emulator::Index<9> gridDim{};
inline constexpr int warpSize = 32;

// ---- Errors, devices, memory, streams, events

enum cudaError_t {
  cudaSuccess = 0,
  cudaErrorInvalidValue = 1,
  cudaErrorMemoryAllocation = 2,
  cudaErrorInvalidConfiguration = 9,
  cudaErrorInvalidDevice = 101,
  cudaErrorInvalidResourceHandle = 400,
  cudaErrorNotReady = 600,
  cudaErrorIllegalAddress = 700,
  cudaErrorLaunchFailure = 719,
  cudaErrorStreamCaptureUnsupported = 900,
};
enum cudaMemcpyKind {
  cudaMemcpyHostToHost,
  cudaMemcpyHostToDevice,
  cudaMemcpyDeviceToHost,
  cudaMemcpyDeviceToDevice,
  cudaMemcpyDefault
};
using cudaStream_t = struct CUstream_st*;
using cudaEvent_t = struct CUevent_st*;
inline constexpr unsigned cudaStreamNonBlocking = 1, cudaEventDisableTiming = 2,
                          cudaHostAllocPortable = 1;

cudaError_t cudaGetLastError();
const char* cudaGetErrorString(cudaError_t);
cudaError_t cudaGetDeviceCount(int*);
cudaError_t cudaGetDevice(int*);
cudaError_t cudaSetDevice(int);
cudaError_t cudaDeviceSynchronize();
cudaError_t cudaMalloc(void**, std::size_t);
cudaError_t cudaMemGetInfo(std::size_t*, std::size_t*);
cudaError_t cudaFree(void*);
cudaError_t cudaHostAlloc(void**, std::size_t, unsigned flags);
cudaError_t cudaFreeHost(void*);
cudaError_t cudaMemcpyAsync(void* to, const void* from, std::size_t, cudaMemcpyKind, cudaStream_t);
cudaError_t cudaDeviceCanAccessPeer(int* can, int device, int peer);
cudaError_t cudaDeviceEnablePeerAccess(int peer, unsigned flags);
cudaError_t cudaMemcpyPeerAsync(void* to, int, const void* from, int, std::size_t, cudaStream_t);
cudaError_t cudaMemsetAsync(void*, int value, std::size_t, cudaStream_t);
cudaError_t cudaStreamCreateWithFlags(cudaStream_t*, unsigned flags);
cudaError_t cudaStreamSynchronize(cudaStream_t);
cudaError_t cudaStreamWaitEvent(cudaStream_t, cudaEvent_t, unsigned = 0);
cudaError_t cudaEventCreateWithFlags(cudaEvent_t*, unsigned flags);
cudaError_t cudaEventDestroy(cudaEvent_t);
cudaError_t cudaEventRecord(cudaEvent_t, cudaStream_t);
cudaError_t cudaEventQuery(cudaEvent_t);
cudaError_t cudaEventSynchronize(cudaEvent_t);

// Work on a stream that is captured is put down, and done when the graph is launched.
enum cudaStreamCaptureMode { cudaStreamCaptureModeGlobal, cudaStreamCaptureModeRelaxed = 2 };
enum cudaStreamCaptureStatus { cudaStreamCaptureStatusNone, cudaStreamCaptureStatusActive };
using cudaGraph_t = struct CUgraph_st*;
using cudaGraphExec_t = cudaGraph_t;
cudaError_t cudaStreamBeginCapture(cudaStream_t, cudaStreamCaptureMode);
cudaError_t cudaStreamEndCapture(cudaStream_t, cudaGraph_t*);
cudaError_t cudaStreamIsCapturing(cudaStream_t, cudaStreamCaptureStatus*);
cudaError_t cudaGraphInstantiate(cudaGraphExec_t*, cudaGraph_t, unsigned long long = 0);
cudaError_t cudaGraphLaunch(cudaGraphExec_t, cudaStream_t);

// ---- Launches

struct cudaLaunchConfig_t {
  dim3 gridDim, blockDim;
  std::size_t dynamicSmemBytes = 0;
  cudaStream_t stream = nullptr;
  void* attrs = nullptr;
  unsigned numAttrs = 0;
};

namespace emulator {

/// What a thread of a kernel does, given the arguments.
using Thread = void (*)(void* arguments);
cudaError_t launch(const cudaLaunchConfig_t&, const char* signature, Thread thread,
                   std::shared_ptr<void> arguments, std::size_t bytes);
template <typename... T>
struct Call {
  void (*kernel)(T...);
  std::tuple<T...> arguments;
  static void run(void* call) {
    std::apply(static_cast<Call*>(call)->kernel, static_cast<Call*>(call)->arguments);
  }
};

/// What a lane has given to the others of its warp.
struct Given {
  alignas(16) unsigned char bytes[16];
};
/// Returns when all lanes of `mask` have come; what each has given is at result[lane].
const Given* meet_in_warp(unsigned mask, const void* mine, std::size_t bytes);
void meet_in_block(const char* file, int line);
/// The kernel's thread reads and writes there by one instruction that nothing interrupts.
void atomic_access(void* data, std::size_t bytes);
unsigned lane();

template <typename T>
__attribute__((no_sanitize_thread, noinline)) T of_lane(const Given* given, unsigned lane) {
  T value;
  __builtin_memcpy(&value, given[lane].bytes, sizeof(T));
  return value;
}
/// Puts change(value) where the value is. Returns what was there before.
template <typename T, typename Change>
__attribute__((no_sanitize_thread)) T atomically(T* place, const Change& change) {
  atomic_access(place, sizeof(T));
  const T before = *place;
  *place = change(before);
  return before;
}

}  // namespace emulator

template <typename... Expected, typename... Actual>
cudaError_t cudaLaunchKernelEx(const cudaLaunchConfig_t* config, void (*kernel)(Expected...),
                               Actual&&... arguments) {
  using Call = emulator::Call<Expected...>;
  return emulator::launch(
      *config, __PRETTY_FUNCTION__, Call::run,
      std::make_shared<Call>(Call{kernel, {std::forward<Actual>(arguments)...}}), sizeof(Call));
}

// ---- What kernels call

inline void __syncthreads(const char* file = __builtin_FILE(), int line = __builtin_LINE()) {
  emulator::meet_in_block(file, line);
}

template <typename T>
T __shfl_sync(unsigned mask, T value, int from, int width = warpSize) {
  const unsigned start = emulator::lane() & ~(unsigned(width) - 1);
  return emulator::of_lane<T>(emulator::meet_in_warp(mask, &value, sizeof value),
                              start + unsigned(from) % unsigned(width));
}
template <typename T>
T __shfl_xor_sync(unsigned mask, T value, int with, int width = warpSize) {
  const unsigned at = emulator::lane() ^ unsigned(with);
  const unsigned end = (emulator::lane() / unsigned(width) + 1) * unsigned(width);
  const auto* given = emulator::meet_in_warp(mask, &value, sizeof value);
  return at < end ? emulator::of_lane<T>(given, at) : value;
}
template <typename T>
T __shfl_down_sync(unsigned mask, T value, unsigned by, int width = warpSize) {
  const unsigned at = emulator::lane() + by;
  const unsigned end = (emulator::lane() / unsigned(width) + 1) * unsigned(width);
  const auto* given = emulator::meet_in_warp(mask, &value, sizeof value);
  return at < end ? emulator::of_lane<T>(given, at) : value;
}

template <typename T, typename U>
T atomicAdd(T* place, U value) {
  return emulator::atomically(
      place, [value](T old) { return static_cast<T>(old + static_cast<T>(value)); });
}
template <typename T, typename U>
T atomicMax(T* place, U value) {
  return emulator::atomically(
      place, [value](T old) { return old < static_cast<T>(value) ? static_cast<T>(value) : old; });
}
template <typename T>
T atomicCAS(T* place, std::type_identity_t<T> expected, std::type_identity_t<T> value) {
  return emulator::atomically(place, [=](T old) { return old == expected ? value : old; });
}
// NOLINTEND(readability-identifier-naming)
