#include "cuda/testing/host_driver.h"

#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <numeric>
#include <utility>

namespace notape::cuda::testing {

HostDriver::HostDriver(int devices, std::size_t capacity)
    : devices_(devices), capacity_(capacity), memory_(static_cast<std::size_t>(devices) + 1) {}

HostDriver::~HostDriver() {
  for (const auto& blocks : memory_)
    for (const auto& [data, bytes] : blocks) std::free(data);
}

void HostDriver::log(const std::string& line) {
  const std::lock_guard guard(lock_);
  log_.push_back(line);
}

std::string HostDriver::name(StreamHandle stream) const {
  return "stream " + std::to_string(reinterpret_cast<std::uintptr_t>(stream));
}

void HostDriver::select(int device) { log("select " + std::to_string(device)); }

void* HostDriver::take(int device, std::size_t bytes) {
  if (used(device) + bytes > capacity_) return nullptr;
  const std::lock_guard guard(lock_);
  void* data = std::aligned_alloc(512, (bytes + 511) / 512 * 512);
  memory_[static_cast<std::size_t>(device - kHost)][data] = bytes;
  return data;
}

void HostDriver::give_back(int device, void* data) noexcept {
  const std::lock_guard guard(lock_);
  if (memory_[static_cast<std::size_t>(device - kHost)].erase(data) == 1) std::free(data);
}

void* HostDriver::allocate(int device, std::size_t bytes) { return take(device, bytes); }
void HostDriver::release(int device, void* data) noexcept { give_back(device, data); }
void* HostDriver::allocate_pinned(std::size_t bytes) { return take(kHost, bytes); }
void HostDriver::release_pinned(void* data) noexcept { give_back(kHost, data); }

StreamHandle HostDriver::make_stream(int) {
  const std::lock_guard guard(lock_);
  return reinterpret_cast<StreamHandle>(++streams_);
}

void HostDriver::synchronize_stream(int, StreamHandle stream) { log("finish " + name(stream)); }
void HostDriver::synchronize_device(int device) { log("finish device " + std::to_string(device)); }

EventHandle HostDriver::make_event(int) {
  if (events_are_broken_) throw DeviceError("no more events");
  const std::lock_guard guard(lock_);
  const EventHandle event = std::malloc(1);
  events_[event] = true;
  return event;
}

void HostDriver::destroy_event(EventHandle event) noexcept {
  const std::lock_guard guard(lock_);
  if (events_.erase(event) == 1) std::free(event);
}

void HostDriver::record(EventHandle event, int, StreamHandle stream) {
  if (recording_is_broken_) throw DeviceError("the stream is broken");
  log("record on " + name(stream));
  const std::lock_guard guard(lock_);
  events_[event] = !holding_;
}

bool HostDriver::has_happened(EventHandle event) {
  const std::lock_guard guard(lock_);
  return events_.at(event);
}

void HostDriver::synchronize_event(EventHandle event) {
  const std::lock_guard guard(lock_);
  events_.at(event) = true;
}

void HostDriver::wait(int, StreamHandle stream, EventHandle) { log("wait on " + name(stream)); }

void HostDriver::fill(void* target, int64_t count, const void* value, std::size_t bytes, int,
                      StreamHandle stream) {
  for (int64_t i = 0; i < count; ++i)
    std::memcpy(static_cast<char*>(target) + static_cast<std::size_t>(i) * bytes, value, bytes);
  log("fill on " + name(stream));
}

void HostDriver::copy(void* target, int target_device, const void* source, int source_device,
                      std::size_t bytes, int, StreamHandle stream) {
  std::memcpy(target, source, bytes);
  log("copy " + std::to_string(source_device) + " to " + std::to_string(target_device) + " on " +
      name(stream));
}

void HostDriver::finish_work() {
  holding_ = false;
  const std::lock_guard guard(lock_);
  for (auto& [event, happened] : events_) happened = true;
}

std::size_t HostDriver::used(int device) const {
  const std::lock_guard guard(lock_);
  const auto& blocks = memory_[static_cast<std::size_t>(device - kHost)];
  return std::accumulate(blocks.begin(), blocks.end(), std::size_t{0},
                         [](std::size_t sum, const auto& block) { return sum + block.second; });
}

std::size_t HostDriver::live_events() const {
  const std::lock_guard guard(lock_);
  return events_.size();
}

std::vector<std::string> HostDriver::take_log() {
  const std::lock_guard guard(lock_);
  return std::exchange(log_, {});
}

}  // namespace notape::cuda::testing
