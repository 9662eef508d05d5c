#include "cuda/library/runtime_driver.h"

#include <cuda_runtime.h>

#include <algorithm>
#include <mutex>
#include <utility>

#include "autograd/tensor/stream.h"
#include "cuda/kernels/fill.h"

namespace notape::cuda {
namespace {

/// Throws DeviceError in the runtime's words, and forgets the error.
void check(cudaError_t status, const char* what) {
  if (status == cudaSuccess) return;
  static_cast<void>(cudaGetLastError());
  throw DeviceError("CUDA: {} failed: {}", what, cudaGetErrorString(status));
}

/// The same of a call that waits: what has failed was queued at any time before.
void check_wait(cudaError_t status, const char* what) {
  if (status == cudaSuccess) return;
  static_cast<void>(cudaGetLastError());
  throw DeviceError(
      "CUDA: {} failed: {}. That may be of any work queued before: with CUDA_LAUNCH_BLOCKING=1 in "
      "the environment each operator waits for its own, and is named",
      what, cudaGetErrorString(status));
}

cudaStream_t native(StreamHandle stream) { return static_cast<cudaStream_t>(stream); }
cudaEvent_t as_event(EventHandle event) { return static_cast<cudaEvent_t>(event); }

class RuntimeDriver final : public Driver {
  /// Two devices reach each other's memory without a way through the CPU's, where they can. Asked
  /// once of each two.
  void enable_peers(int a, int b) {
    static std::once_flag asked[kMaxDevices][kMaxDevices];
    std::call_once(asked[std::min(a, b)][std::max(a, b)], [&] {
      for (const auto& [from, to] : {std::pair{a, b}, {b, a}}) {
        int can = 0;
        check(cudaDeviceCanAccessPeer(&can, from, to), "asking which devices reach each other");
        select(from);
        if (can != 0 && cudaDeviceEnablePeerAccess(to, 0) != cudaSuccess)
          static_cast<void>(cudaGetLastError());  // already, or too many: copies work as before
      }
    });
  }

 public:
  int device_count() noexcept override {
    int count = 0;
    if (cudaGetDeviceCount(&count) == cudaSuccess) return count;
    static_cast<void>(cudaGetLastError());
    return 0;
  }
  void select(int device) override { check(cudaSetDevice(device), "selecting a device"); }

  std::size_t total_memory(int device) override {
    select(device);
    std::size_t free = 0, total = 0;
    check(cudaMemGetInfo(&free, &total), "asking for the size of memory");
    return total;
  }
  void* allocate(int device, std::size_t bytes) override {
    select(device);
    void* data = nullptr;
    const cudaError_t status = cudaMalloc(&data, bytes);
    if (status == cudaErrorMemoryAllocation) {
      static_cast<void>(cudaGetLastError());
      return nullptr;
    }
    check(status, "allocating memory");
    return data;
  }
  void release(int device, void* data) noexcept override {
    static_cast<void>(cudaSetDevice(device));
    if (cudaFree(data) != cudaSuccess) static_cast<void>(cudaGetLastError());
  }

  void* allocate_pinned(std::size_t bytes) override {
    void* data = nullptr;
    const cudaError_t status = cudaHostAlloc(&data, bytes, cudaHostAllocPortable);
    if (status == cudaErrorMemoryAllocation) {
      static_cast<void>(cudaGetLastError());
      return nullptr;
    }
    check(status, "pinning memory");
    return data;
  }
  void release_pinned(void* data) noexcept override {
    if (cudaFreeHost(data) != cudaSuccess) static_cast<void>(cudaGetLastError());
  }

  StreamHandle make_stream(int device) override {
    select(device);
    cudaStream_t stream = nullptr;
    check(cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking), "making a stream");
    return stream;
  }
  void synchronize_stream(int device, StreamHandle stream) override {
    select(device);
    check_wait(cudaStreamSynchronize(native(stream)), "waiting for a stream");
  }
  void synchronize_device(int device) override {
    select(device);
    check_wait(cudaDeviceSynchronize(), "waiting for a device");
  }

  bool is_capturing(int device, StreamHandle stream) override {
    select(device);
    cudaStreamCaptureStatus status = cudaStreamCaptureStatusNone;
    check(cudaStreamIsCapturing(native(stream), &status), "asking whether a stream is captured");
    return status != cudaStreamCaptureStatusNone;
  }

  EventHandle make_event(int device) override {
    select(device);
    cudaEvent_t event = nullptr;
    check(cudaEventCreateWithFlags(&event, cudaEventDisableTiming), "making an event");
    return event;
  }
  void destroy_event(EventHandle event) noexcept override {
    if (cudaEventDestroy(as_event(event)) != cudaSuccess) static_cast<void>(cudaGetLastError());
  }
  void record(EventHandle event, int device, StreamHandle stream) override {
    select(device);
    check(cudaEventRecord(as_event(event), native(stream)), "recording an event");
  }
  bool has_happened(EventHandle event) override {
    const cudaError_t status = cudaEventQuery(as_event(event));
    if (status == cudaErrorNotReady) {
      static_cast<void>(cudaGetLastError());
      return false;
    }
    check(status, "asking for an event");
    return true;
  }
  void synchronize_event(EventHandle event) override {
    check_wait(cudaEventSynchronize(as_event(event)), "waiting for an event");
  }
  void wait(int device, StreamHandle stream, EventHandle event) override {
    select(device);
    check(cudaStreamWaitEvent(native(stream), as_event(event), 0), "waiting in a stream");
  }

  void fill(void* target, int64_t count, const void* value, std::size_t bytes, int device,
            StreamHandle stream) override {
    select(device);
    const auto* const parts = static_cast<const unsigned char*>(value);
    const bool is_uniform =
        std::all_of(parts, parts + bytes, [&](unsigned char part) { return part == parts[0]; });
    if (is_uniform)
      check(cudaMemsetAsync(target, parts[0], static_cast<std::size_t>(count) * bytes,
                            native(stream)),
            "filling memory");
    else
      launch_fill(target, count, value, bytes, stream);
  }
  void copy(void* target, int target_device, const void* source, int source_device,
            std::size_t bytes, int stream_device, StreamHandle stream) override {
    const bool peers =
        target_device != kHost && source_device != kHost && target_device != source_device;
    if (peers) enable_peers(target_device, source_device);
    select(stream_device);
    check(peers ? cudaMemcpyPeerAsync(target, target_device, source, source_device, bytes,
                                      native(stream))
                : cudaMemcpyAsync(target, source, bytes, cudaMemcpyDefault, native(stream)),
          "copying");
  }
};

}  // namespace

Driver& runtime_driver() {
  static auto* const driver = new RuntimeDriver;
  return *driver;
}

}  // namespace notape::cuda
