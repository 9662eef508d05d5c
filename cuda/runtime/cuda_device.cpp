#include "cuda/runtime/cuda_device.h"

#include <pthread.h>

#include <algorithm>
#include <atomic>
#include <bit>
#include <cstdlib>
#include <cstring>
#include <new>
#include <string_view>
#include <utility>

#include "ops/core/check_values.h"

namespace notape::cuda {
namespace {

/// A driver does not survive a fork. That is told by a flag, which costs what a read costs.
std::atomic<bool> was_forked{false};

void refuse_forked_process() {
  if (was_forked.load(std::memory_order_relaxed))
    throw DeviceError(
        "CUDA cannot be used in a process that was forked from one that had used it: fork before "
        "the first use, or start a program anew");
}

StreamHandle stream_on(int index) { return notape::current_stream(Device(kCUDA, index)).handle; }

int driver_index(Device device) { return device.is_cpu() ? kHost : device.index; }

}  // namespace

int CudaDevice::device_count() noexcept {
  std::call_once(found_, [this]() noexcept { find_devices(); });
  return count_;
}

void CudaDevice::find_devices() noexcept {
  count_ = std::min(driver_.device_count(), kMaxDevices);
  ::pthread_atfork(nullptr, nullptr, [] { was_forked.store(true, std::memory_order_relaxed); });
  for (int i = 0; i < count_; ++i) {
    const auto place = static_cast<std::size_t>(i);
    allocators_[place] = std::make_unique<CachingAllocator>(driver_, i);
    const char* const no_caching = std::getenv("NOTAPE_NO_CUDA_MEMORY_CACHING");
    if (no_caching && std::string_view(no_caching) == "1") allocators_[place]->set_caching(false);
  }
}

void CudaDevice::check(int index) const {
  if (index < 0 || index >= count_)
    throw DeviceError("device cuda:{} is not available: {} such device(s)", index, count_);
}

CachingAllocator& CudaDevice::allocator(int index) {
  device_count();
  check(index);
  if (plugged())
    throw DeviceError(
        "cuda:{}: the program's own allocator (change_current_allocator) keeps the account of this "
        "device's memory",
        index);
  return *allocators_[static_cast<std::size_t>(index)];
}

void CudaDevice::refuse_capture(const char* what, int index, StreamHandle stream) const {
  if (stream && driver_.is_capturing(index, stream)) [[unlikely]]
    throw DeviceError(
        "cuda:{}: a stream that is being captured for a CUDA graph cannot be used for {}", index,
        what);
}

void* CudaDevice::allocate(std::size_t bytes, int index) {
  refuse_forked_process();
  refuse_capture("memory: other tensors would have it when the graph is replayed", index);
  if (PluggedAllocator* const own = plugged()) {
    check(index);
    return own->allocate(bytes, index, stream_on(index));
  }
  CachingAllocator& pool = allocator(index);
  return pool.allocate(bytes, stream_on(index));
}

void CudaDevice::deallocate(void* data, std::size_t, int index) noexcept {
  if (PluggedAllocator* const own = plugged()) return own->deallocate(data);
  allocators_[static_cast<std::size_t>(index)]->deallocate(data);
}

void CudaDevice::change_allocator(PluggableAllocator allocator) {
  device_count();
  for (int i = 0; i < count_; ++i)
    if (plugged() || allocators_[static_cast<std::size_t>(i)]->stats().requests > 0)
      throw ValueError(
          "change_current_allocator: cuda:{} has given memory to somebody already, or its "
          "allocator "
          "was changed: call it once, and first",
          i);
  own_allocator_ = std::make_unique<PluggedAllocator>(driver_, std::move(allocator));
  plugged_.store(own_allocator_.get(), std::memory_order_release);
}

void CudaDevice::copy(void* target, Device target_device, const void* source, Device source_device,
                      std::size_t bytes) {
  if (bytes == 0) return;
  refuse_forked_process();
  const bool leaves = target_device.is_cpu(), enters = source_device.is_cpu();
  if (enters && bytes <= kStaged) return copy_staged(target, target_device, source, bytes);
  // Between two devices the copy is queued where the data is read: that work is ordered there.
  const int index = enters ? target_device.index : source_device.index;
  if (leaves || enters) refuse_capture("a copy that waits", index);
  const bool crosses = !leaves && !enters && target_device.index != source_device.index;
  const auto order = [&](int later, int earlier) {
    DriverEvent event(driver_, earlier);
    event.record(stream_on(earlier));
    event.block(later, stream_on(later));
  };
  if (crosses) order(index, target_device.index);
  driver_.copy(target, driver_index(target_device), source, driver_index(source_device), bytes,
               index, stream_on(index));
  if (crosses) order(target_device.index, index);
  if (!leaves && !enters) return;
  synchronize_stream(index, stream_on(index));
}

/// Nobody waits for what is small: it has been read when this returns.
void CudaDevice::copy_staged(void* target, Device target_device, const void* source,
                             std::size_t bytes) {
  refuse_capture("a copy of numbers that the CPU has now", target_device.index);
  void* const stage = pinned_.allocate(bytes);
  std::memcpy(stage, source, bytes);
  try {
    copy_from_pinned(target, target_device, stage, bytes);
  } catch (...) {
    pinned_.deallocate(stage);
    throw;
  }
  pinned_.deallocate(stage);  // it is used again when the copy is done
}

void CudaDevice::fill(void* target, Device target_device, int64_t count, const void* value,
                      std::size_t bytes) {
  if (count == 0) return;
  const int index = target_device.index;
  driver_.fill(target, count, value, bytes, index, stream_on(index));
}

void CudaDevice::copy_from_pinned(void* target, Device target_device, const void* source,
                                  std::size_t bytes) {
  if (bytes == 0) return;
  const Stream stream = notape::current_stream(target_device);
  const int index = target_device.index;
  refuse_capture("a copy of numbers that the CPU has now", index, stream.handle);
  driver_.copy(target, index, source, kHost, bytes, index, stream.handle);
  try {
    pinned_.record_use(source, stream);
  } catch (const DeviceError&) {  // nobody could tell when the memory is free again
    driver_.synchronize_stream(index, stream.handle);
  }
}

void* CudaDevice::current_stream(int index) {
  refuse_forked_process();
  driver_.select(index);
  return stream_on(index);
}

void CudaDevice::set_memory_fraction(double fraction, int index) {
  CachingAllocator& pool = allocator(index);
  const auto total = static_cast<double>(driver_.total_memory(index));
  pool.set_limit(static_cast<std::size_t>(fraction * total));
}

void CudaDevice::synchronize_stream(int index, void* stream) {
  refuse_capture("a wait", index, stream);
  driver_.synchronize_stream(index, stream);
  throw_reported(index);
}

void CudaDevice::synchronize(int index) {
  refuse_capture("a wait", index);
  driver_.synchronize_device(index);
  throw_reported(index);
}

PositionReport* CudaDevice::position_report(int index) {
  std::atomic<PositionReport*>& report = reports_[static_cast<std::size_t>(index)];
  if (PositionReport* const found = report.load(std::memory_order_acquire)) return found;
  void* const memory = pinned_.allocate(sizeof(PositionReport));
  auto* const made = new (memory) PositionReport{};
  PositionReport* found = nullptr;
  if (report.compare_exchange_strong(found, made, std::memory_order_acq_rel)) return made;
  pinned_.deallocate(memory);
  return found;
}

void CudaDevice::throw_reported(int index) {
  PositionReport* const report =
      reports_[static_cast<std::size_t>(index)].load(std::memory_order_acquire);
  if (!report || std::atomic_ref(report->is_taken).load(std::memory_order_relaxed) == 0) return;
  driver_.synchronize_device(index);  // on another stream the rest may be under way
  const PositionReport read = std::exchange(*report, {});
  const auto text = [](unsigned long long word) { return reinterpret_cast<const char*>(word); };
  const std::string later = format_message(
      "(called at {}:{}). This call has waited for cuda:{}, which had found it meanwhile: results "
      "since then mean nothing",
      {text(read.file), read.line, index});
  if (read.words != 0) {
    const auto error = static_cast<ValueBounds::Error>(read.size);
    const std::string words = words_of(text(read.words), error, std::bit_cast<double>(read.wrong),
                                       static_cast<int64_t>(read.dim));
    if (error == ValueBounds::Error::Value)
      throw ValueError("{}: {} {}", text(read.name), words, later);
    throw LinalgError("{}: {} {}", text(read.name), words, later);
  }
  throw IndexError("{}: index {} is out of bounds for dimension {} with size {} {}",
                   text(read.name), static_cast<int64_t>(read.wrong),
                   static_cast<int64_t>(read.dim), static_cast<int64_t>(read.size), later);
}

void* CudaDevice::new_stream(int index) {
  device_count();
  check(index);
  return streams_.next(index);
}

}  // namespace notape::cuda
