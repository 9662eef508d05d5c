// The functions of the CUDA runtime.
#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <unordered_map>

#include "cuda/emulated/findings.h"
#include "cuda/emulated/grid.h"
#include "cuda/emulated/memory.h"
#include "cuda/emulated/timing.h"
#include "cuda/emulated/work.h"

using namespace emulator;

namespace emulator {
namespace {

using Guard = std::lock_guard<std::recursive_mutex>;

thread_local cudaError_t last_error = cudaSuccess;
thread_local std::string failure;  // of cudaErrorLaunchFailure, for cudaGetErrorString()
std::size_t in_use = 0;            // bytes of all devices

int number_from(const char* variable, int otherwise) {
  const char* const text = std::getenv(variable);
  return text ? std::atoi(text) : otherwise;
}
int devices() { return number_from("NOTAPE_EMULATED_DEVICES", 1); }
std::size_t capacity() {
  return static_cast<std::size_t>(number_from("NOTAPE_EMULATED_MEGABYTES", 4096)) << 20;
}

cudaError_t result(cudaError_t error) {
  if (error == cudaSuccess && has_faulted) error = cudaErrorIllegalAddress;
  if (error != cudaSuccess) last_error = error;
  return error;
}
/// Of a call that has waited: what was found until now is its error.
cudaError_t result_of_wait() {
  std::string text = untold_findings();
  if (text.empty()) return result(cudaSuccess);
  failure = "emulated GPU: " + std::move(text);
  return result(cudaErrorLaunchFailure);
}

std::array<int32_t, 3> three(const dim3& of) {
  return {static_cast<int32_t>(of.x), static_cast<int32_t>(of.y), static_cast<int32_t>(of.z)};
}

/// As CUPTI names it: "HtoD (Pageable -> Device)".
std::string direction(int source, int target) {
  const auto place = [](int owner) {
    return owner >= 0 ? "Device" : owner == kPinnedMemory ? "Pinned" : "Pageable";
  };
  return std::string(source >= 0 ? "D" : "H") + "to" + (target >= 0 ? "D" : "H") + " (" +
         place(source) + " -> " + place(target) + ")";
}

/// "[with Expected = {notape::detail::ReduceRow<...>, long}; ...": what the kernel works with.
std::string readable(std::string signature) {
  const auto begin = signature.find("Expected = {");
  if (begin == signature.npos) return "a kernel";
  signature = signature.substr(begin + 12, signature.find("}; ", begin) - begin - 12);
  for (std::size_t at; (at = signature.find("notape::")) != signature.npos;) signature.erase(at, 8);
  return "kernel(" + signature.substr(0, 100) + ")";
}

const std::string& name_of_kernel(const char* signature) {
  static auto* const known = new std::unordered_map<const char*, std::string>;
  std::string& name = (*known)[signature];
  if (name.empty()) name = readable(signature);
  return name;
}

}  // namespace

cudaError_t launch(const cudaLaunchConfig_t& config, const char* signature, Thread thread,
                   std::shared_ptr<void> arguments, std::size_t bytes) {
  const dim3 grid = config.gridDim, block = config.blockDim;
  const uint64_t threads = uint64_t{block.x} * block.y * block.z;
  const bool fits = grid.x > 0 && grid.y > 0 && grid.z > 0 && grid.x < 1u << 31 && grid.y < 65536 &&
                    grid.z < 65536 && threads > 0 && threads <= 1024 && block.z <= 64 &&
                    bytes <= 4096 && config.dynamicSmemBytes == 0;
  const Guard guard(lock);
  if (!fits) return result(cudaErrorInvalidConfiguration);
  CUstream_st& stream = stream_of(config.stream);
  if (stream.device != current_device) return result(cudaErrorInvalidResourceHandle);
  const std::string& name = name_of_kernel(signature);
  ++counts.launches;
  const auto run = [=, &name, device = current_device](uint32_t number) {
    set_arguments(arguments.get(), bytes, device);
    return run_grid(grid, block, number, name, thread, arguments.get());
  };
  queue(stream, name, run, {.grid = three(grid), .block = three(block)});
  if (!launches_block()) return result(cudaSuccess);
  finish(stream);
  return result_of_wait();
}

}  // namespace emulator

cudaError_t cudaGetLastError() {
  return std::exchange(last_error, has_faulted ? cudaErrorIllegalAddress : cudaSuccess);
}
const char* cudaGetErrorString(cudaError_t error) {
  switch (error) {
    case cudaSuccess:
      return "no error";
    case cudaErrorInvalidValue:
      return "invalid argument";
    case cudaErrorMemoryAllocation:
      return "out of memory";
    case cudaErrorInvalidConfiguration:
      return "invalid configuration argument";
    case cudaErrorInvalidDevice:
      return "invalid device ordinal";
    case cudaErrorInvalidResourceHandle:
      return "invalid resource handle";
    case cudaErrorNotReady:
      return "device not ready";
    case cudaErrorIllegalAddress:
      return "an illegal memory access was encountered";
    case cudaErrorLaunchFailure:
      return failure.c_str();
    case cudaErrorStreamCaptureUnsupported:
      return "operation not permitted when stream is capturing";
  }
  return "unknown error";
}
cudaError_t cudaGetDeviceCount(int* count) {
  *count = devices();
  return cudaSuccess;
}
cudaError_t cudaGetDevice(int* device) {
  *device = current_device;
  return cudaSuccess;
}
cudaError_t cudaSetDevice(int device) {
  if (device < 0 || device >= devices()) return result(cudaErrorInvalidDevice);
  current_device = device;
  return cudaSuccess;
}
cudaError_t cudaDeviceSynchronize() {
  const Guard guard(lock);
  const HostCall call("cudaDeviceSynchronize");
  finish_device(current_device);
  return result_of_wait();
}

cudaError_t cudaMalloc(void** data, std::size_t bytes) {
  const Guard guard(lock);
  const HostCall call("cudaMalloc", costs.allocate_ns);
  if (in_use + bytes > capacity() || !(*data = allocate(Kind::Device, current_device, bytes)))
    return result(cudaErrorMemoryAllocation);
  in_use += bytes;
  ++counts.allocations;
  return result(cudaSuccess);
}
cudaError_t cudaMemGetInfo(std::size_t* free, std::size_t* total) {
  const Guard guard(lock);
  *total = capacity();
  *free = *total - in_use;
  return result(cudaSuccess);
}
cudaError_t cudaFree(void* data) {
  const Guard guard(lock);
  if (!data) return cudaSuccess;
  const HostCall call("cudaFree", costs.release_ns);
  finish_device(-1);
  const Memory* const memory = find_memory(data);
  const std::size_t bytes = memory ? memory->bytes : 0;
  if (!release(Kind::Device, data)) return result(cudaErrorInvalidValue);
  in_use -= bytes;
  return result(cudaSuccess);
}
cudaError_t cudaHostAlloc(void** data, std::size_t bytes, unsigned) {
  const Guard guard(lock);
  const HostCall call("cudaHostAlloc", costs.allocate_ns);
  *data = allocate(Kind::Pinned, kPinnedMemory, bytes);
  return result(*data ? cudaSuccess : cudaErrorMemoryAllocation);
}
cudaError_t cudaFreeHost(void* data) {
  const Guard guard(lock);
  const HostCall call("cudaFreeHost", costs.release_ns);
  finish_device(-1);
  return result(!data || release(Kind::Pinned, data) ? cudaSuccess : cudaErrorInvalidValue);
}

cudaError_t cudaMemcpyAsync(void* to, const void* from, std::size_t bytes, cudaMemcpyKind,
                            cudaStream_t given) {
  const Guard guard(lock);
  if (bytes == 0) return result(cudaSuccess);
  const HostCall call("cudaMemcpyAsync", costs.launch_ns);
  ++counts.copies;
  const int target = owner_of(to, bytes), source = owner_of(from, bytes);
  if (target == kBeyondItsEnd || source == kBeyondItsEnd) {
    found("illegal address: a copy of " + std::to_string(bytes) + " bytes goes beyond the end");
    return result(cudaErrorInvalidValue);
  }
  // What lies in ordinary memory has been read when the call returns.
  std::shared_ptr<char[]> staged;
  if (source == kOtherMemory && has_values()) {
    staged.reset(new char[bytes]);
    std::memcpy(staged.get(), from, bytes);
  }
  if (source == kOtherMemory || target == kOtherMemory) ++counts.pageable_copies;
  CUstream_st& stream = stream_of(given);
  if (stream.graph && (source == kOtherMemory || target == kOtherMemory))
    return result(cudaErrorStreamCaptureUnsupported);
  if (target == kOtherMemory && has_values()) spoil(to, bytes);  // until it is done
  const auto run = [=](uint32_t launch) {
    if (target < 0) note_read(launch);  // by the CPU, which nobody watches
    note_access(from, bytes, false, launch, "a copy");
    note_access(to, bytes, true, launch, "a copy");
    std::memmove(to, staged ? staged.get() : from, bytes);
    return true;
  };
  queue(stream, "Memcpy " + direction(source, target), run,
        {Activity::Kind::Copy, bytes, source < 0 || target < 0});
  if (!has_values() && target < 0) std::memset(to, 0, bytes);
  if (target != kOtherMemory) return result(cudaSuccess);
  finish(stream);
  return result_of_wait();
}
cudaError_t cudaDeviceCanAccessPeer(int* can, int device, int peer) {
  *can = device != peer;
  return result(std::max(device, peer) < devices() ? cudaSuccess : cudaErrorInvalidDevice);
}
cudaError_t cudaDeviceEnablePeerAccess(int peer, unsigned) {
  const Guard guard(lock);
  if (peer == current_device || peer >= devices()) return result(cudaErrorInvalidDevice);
  ++counts.peers;
  return result(cudaSuccess);
}
cudaError_t cudaMemcpyPeerAsync(void* to, int target, const void* from, int source,
                                std::size_t bytes, cudaStream_t stream) {
  if (owner_of(to, bytes) != target || owner_of(from, bytes) != source)
    return result(cudaErrorInvalidValue);
  return cudaMemcpyAsync(to, from, bytes, cudaMemcpyDefault, stream);
}
cudaError_t cudaMemsetAsync(void* data, int value, std::size_t bytes, cudaStream_t stream) {
  const Guard guard(lock);
  const HostCall call("cudaMemsetAsync", costs.launch_ns);
  ++counts.launches;
  const auto run = [=](uint32_t launch) {
    note_access(data, bytes, true, launch, "a memset");
    std::memset(data, value, bytes);
    return true;
  };
  queue(stream_of(stream), "Memset (Device)", run, {Activity::Kind::Fill, bytes});
  return result(cudaSuccess);
}

cudaError_t cudaStreamCreateWithFlags(cudaStream_t* stream, unsigned flags) {
  const Guard guard(lock);
  const HostCall call("cudaStreamCreateWithFlags");
  if (flags != cudaStreamNonBlocking) return result(cudaErrorInvalidValue);
  *stream = &make_stream(current_device);
  return result(cudaSuccess);
}
cudaError_t cudaStreamSynchronize(cudaStream_t stream) {
  const Guard guard(lock);
  const HostCall call("cudaStreamSynchronize");
  if (stream_of(stream).graph) return result(cudaErrorStreamCaptureUnsupported);
  finish(stream_of(stream));
  return result_of_wait();
}
cudaError_t cudaStreamWaitEvent(cudaStream_t stream, cudaEvent_t event, unsigned) {
  const Guard guard(lock);
  const HostCall call("cudaStreamWaitEvent");
  if (stream_of(stream).graph) return result(cudaErrorStreamCaptureUnsupported);
  queue_wait(stream_of(stream), *event);
  return result(cudaSuccess);
}

cudaError_t cudaStreamBeginCapture(cudaStream_t stream, cudaStreamCaptureMode) {
  const Guard guard(lock);
  if (!stream || stream->graph) return result(cudaErrorStreamCaptureUnsupported);
  stream->graph = std::make_unique<CUgraph_st>();
  return result(cudaSuccess);
}
cudaError_t cudaStreamEndCapture(cudaStream_t stream, cudaGraph_t* graph) {
  const Guard guard(lock);
  if (!stream || !stream->graph) return result(cudaErrorInvalidValue);
  *graph = stream->graph.release();
  return result(cudaSuccess);
}
cudaError_t cudaStreamIsCapturing(cudaStream_t stream, cudaStreamCaptureStatus* status) {
  const Guard guard(lock);
  *status = stream && stream->graph ? cudaStreamCaptureStatusActive : cudaStreamCaptureStatusNone;
  return result(cudaSuccess);
}
cudaError_t cudaGraphInstantiate(cudaGraphExec_t* made, cudaGraph_t graph, unsigned long long) {
  *made = graph;
  return cudaSuccess;
}
cudaError_t cudaGraphLaunch(cudaGraphExec_t graph, cudaStream_t stream) {
  const Guard guard(lock);
  const HostCall call("cudaGraphLaunch", costs.launch_ns);
  for (const CUgraph_st::Part& part : graph->parts)
    queue(stream_of(stream), part.name, part.run, part.request);
  return result(cudaSuccess);
}

cudaError_t cudaEventCreateWithFlags(cudaEvent_t* event, unsigned) {
  const Guard guard(lock);
  const HostCall call("cudaEventCreateWithFlags");
  *event = new CUevent_st;
  return result(cudaSuccess);
}
cudaError_t cudaEventDestroy(cudaEvent_t event) {
  const Guard guard(lock);
  const HostCall call("cudaEventDestroy");
  delete event;
  return result(cudaSuccess);
}
cudaError_t cudaEventRecord(cudaEvent_t event, cudaStream_t given) {
  const Guard guard(lock);
  CUstream_st& stream = stream_of(given);
  if (stream.device != current_device) return result(cudaErrorInvalidResourceHandle);
  if (stream.graph) return result(cudaErrorStreamCaptureUnsupported);
  const HostCall call("cudaEventRecord");
  *event = {&stream, stream.queued, stream.others};
  time_record(*event, stream);
  return result(cudaSuccess);
}
cudaError_t cudaEventQuery(cudaEvent_t event) {
  const Guard guard(lock);
  const HostCall call("cudaEventQuery");
  return has_happened(*event) ? result(cudaSuccess) : cudaErrorNotReady;
}
cudaError_t cudaEventSynchronize(cudaEvent_t event) {
  const Guard guard(lock);
  const HostCall call("cudaEventSynchronize");
  ++counts.waits;
  finish(*event);
  return result_of_wait();
}
